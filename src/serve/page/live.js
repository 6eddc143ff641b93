// Shows a run while it goes on: what was seen of it comes as server-sent events; orders go as POSTs.
"use strict";
(() => {
  const { run, gauges } = JSON.parse(document.getElementById("about").textContent);
  const byId = (id) => document.getElementById(id);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const token = new URLSearchParams(location.search).get("token");
  const address = (path, words = {}) => {
    const query = new URLSearchParams(token ? { ...words, token } : words).toString();
    return query ? `${path}?${query}` : path;
  };

  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const short = (value) => value == null ? "–" : Math.abs(value) >= 1000 ? whole.format(value) : String(Number(value.toPrecision(3)));
  const scaled = (value, units) => {
    const [worth, unit] = units.find(([worth]) => Math.abs(value) >= worth) ?? units[units.length - 1];
    return `${short(value / worth)} ${unit}`;
  };
  const SPANS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const BYTES = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
  const withUnit = (value, unit, rate) => {
    if (value == null) return "–";
    if (unit === "s") return scaled(value, SPANS);
    if (unit === "bytes") return scaled(value, BYTES) + (rate ? "/s" : "");
    return rate ? `${short(value * 3600)} /h` : short(value);
  };

  const seen = [];

  /** The value of a gauge at a sighting: as it is, or how it has changed since an earlier one. */
  function readingOf(place, at, before) {
    const { reading } = gauges[place];
    const now = at.gauges[place];
    if (reading === "level") return now;
    if (!before) return null;
    const grown = now - before.gauges[place];
    if (reading === "rate") return at.now_s > before.now_s ? grown / (at.now_s - before.now_s) : null;
    const counted = at.gauges[place + 1] - before.gauges[place + 1];
    return counted > 0 ? grown / counted : null;
  }
  const eventsPerSecond = (at, before) => before && at.wall_s > before.wall_s ? (at.events - before.events) / (at.wall_s - before.wall_s) : null;

  // One chart per group of gauges over simulated time, and one for the speed.
  const shown = gauges.map((gauge, place) => ({ ...gauge, place })).filter(({ reading }) => reading !== "hidden");
  const groups = [...new Set(shown.map(({ group }) => group))].map((name) => {
    const lines = shown.filter(({ group }) => group === name);
    const { unit, reading } = lines[0];
    return { name, unit, rate: reading === "rate", lines: lines.map(({ title, place }) => [title, (at, before) => readingOf(place, at, before)]) };
  });
  groups.push({ name: "events per second of the clock on the wall", unit: "1", rate: false, lines: [["events", eventsPerSecond]] });

  for (const group of groups) {
    const figure = document.createElement("figure");
    const heading = document.createElement("h2");
    heading.textContent = group.name;
    figure.append(heading);
    byId("charts").append(figure);
    const axis = (values, size) => ({
      stroke: () => css("--muted"), grid: { stroke: () => css("--line"), width: 1 }, ticks: { stroke: () => css("--line"), width: 1 },
      font: "12px system-ui, sans-serif", size, values: (u, splits) => splits.map(values),
    });
    const width = () => Math.max(200, figure.clientWidth - 26);
    group.plot = new uPlot({
      width: width(), height: 190,
      scales: { x: { time: false }, y: { range: (u, low, high) => [Math.min(0, low ?? 0), high > 0 ? high * 1.08 : 1] } },
      axes: [axis((s) => s == null ? "" : scaled(s, SPANS)), axis((v) => v == null ? "" : withUnit(v, group.unit, group.rate), 76)],
      series: [{ label: "simulated time", value: (u, s) => s == null ? "" : scaled(s, SPANS) }, ...group.lines.map(([label], i) => ({
        label, stroke: () => css(`--c${i % 4}`), width: 2, points: { show: false }, spanGaps: true, value: (u, v) => withUnit(v, group.unit, group.rate),
      }))],
    }, [[], ...group.lines.map(() => [])], figure);
    new ResizeObserver(() => { if (Math.abs(width() - group.plot.width) > 1) group.plot.setSize({ width: width(), height: 190 }); }).observe(figure);
  }

  function draw() {
    // A held run is seen twice at the same instant; charts want each once.
    const once = seen.filter((at, i) => i + 1 === seen.length || seen[i + 1].now_s > at.now_s);
    const x = once.map(({ now_s }) => now_s);
    for (const { plot, lines } of groups) plot.setData([x, ...lines.map(([, value]) => once.map((at, i) => value(at, once[i - 1])))]);
    const last = seen[seen.length - 1], earlier = before(last, 1.5);
    byId("progress").value = last.now_s / run.until_s;
    const state = last.outcome ?? (last.held ? "held" : "running");
    byId("state").textContent = `${state} at ${scaled(last.now_s, SPANS)} of ${scaled(run.until_s, SPANS)}; ${whole.format(last.events)} events in ${scaled(last.wall_s, SPANS)}; seed ${run.seed}`;
    document.title = `${Math.floor(100 * last.now_s / run.until_s)} % of ${run.name}`;
    const speed = earlier && last.wall_s > earlier.wall_s ? (last.now_s - earlier.now_s) / (last.wall_s - earlier.wall_s) : 0;
    byId("ahead").textContent = last.outcome || last.held || speed <= 0 ? "" : `about ${scaled((run.until_s - last.now_s) / speed, SPANS)} to go`;
    const over = last.outcome != null;
    for (const button of document.querySelectorAll("[data-order]"))
      button.disabled = over || (button.dataset.order === "pause" && last.held) || (button.dataset.order === "resume" && !last.held);
    showCards(last, earlier);
    showWorkers(last, earlier);
  }

  /** The sighting that was at least `seconds` before by the clock on the wall. */
  function before(last, seconds) {
    for (let i = seen.length - 2; i >= 0; i--) if (seen[i].wall_s <= last.wall_s - seconds || i === 0) return seen[i];
    return null;
  }

  function showCards(last, earlier) {
    const cards = shown.map(({ title, group, unit, reading, place }) =>
      [`${group}: ${title}`, withUnit(readingOf(place, last, earlier), unit, reading === "rate")]);
    cards.push(["events per second", short(eventsPerSecond(last, earlier))]);
    byId("cards").replaceChildren(...cards.map(([name, value]) => {
      const card = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = name;
      dd.textContent = value;
      card.append(dt, dd);
      return card;
    }));
  }

  const LOADS = [["computing_s", "computing"], ["exchanging_s", "exchanging"], ["waiting_s", "waiting"]];
  function showWorkers(last, earlier) {
    const rows = last.workers.map((worker, number) => {
      const spent = LOADS.map(([key]) => Math.max(0, worker[key] - (earlier?.workers[number]?.[key] ?? 0)));
      const all = spent.reduce((a, b) => a + b, 0) || 1;
      const row = document.createElement("div"), name = document.createElement("span"), bar = document.createElement("span"), busy = document.createElement("span");
      row.className = "worker";
      name.textContent = `worker ${number}`;
      bar.className = "bar";
      LOADS.forEach(([, what], i) => {
        const part = document.createElement("i");
        part.style.width = `${100 * spent[i] / all}%`;
        part.style.background = `var(--${what})`;
        part.title = `${what}: ${short(100 * spent[i] / all)} %`;
        bar.append(part);
      });
      busy.textContent = `${Math.round(100 * spent[0] / all)} %`;
      row.append(name, bar, busy);
      return row;
    });
    const key = document.createElement("p");
    key.className = "key";
    for (const [, what] of LOADS) {
      const mark = document.createElement("i");
      mark.style.background = `var(--${what})`;
      key.append(mark, what);
    }
    byId("workers").replaceChildren(...rows, key);
  }

  async function order(what) {
    try {
      const answer = await fetch(address(what), { method: "POST", headers: { "x-myriad-order": what } });
      if (!answer.ok) byId("state").textContent = await answer.text();
    } catch {
      byId("state").textContent = "the program does not answer any more";
    }
  }
  for (const button of document.querySelectorAll("[data-order]"))
    button.addEventListener("click", () => {
      if (button.dataset.order !== "stop") return order(button.dataset.order);
      byId("question").textContent = `Stop the run here? ${run.stopping}`;
      byId("sure").showModal();
    });
  byId("sure").addEventListener("close", () => { if (byId("sure").returnValue === "yes") order("stop"); });

  let stream;
  function listen() {
    stream = new EventSource(address("events", { from: seen.length ? seen[seen.length - 1].number + 1 : 0 }));
    stream.onmessage = ({ data }) => {
      seen.push(...JSON.parse(data));
      // As many as the program keeps: of two neighbours the later one stays.
      if (seen.length > 4000) seen.splice(0, seen.length, ...seen.filter((_, i) => (seen.length - 1 - i) % 2 === 0));
      draw();
      if (seen[seen.length - 1].outcome != null) stream.close();
    };
    stream.onerror = () => {
      stream.close();
      if (seen.length && seen[seen.length - 1].outcome != null) return;
      byId("state").textContent = "the program does not answer any more; the run is over, or it was ended";
      setTimeout(listen, 2000);
    };
  }
  listen();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => groups.forEach(({ plot }) => plot.redraw(false, true)));
})();
