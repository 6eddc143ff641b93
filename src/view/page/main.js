// The page: what is known, what is asked for, what is on screen, and what can be done.

const app = {
  recording: null, links: null, strips: null,
  rows: new Int32Array(0), scale: null, lanes: null,
  view: { from: 0, until: 1, scroll: 0, stretch: 1 },
  axis: "linear", order: "short", quiet: false, open: new Map(), filter: noFilter(),
  chosen: -1, hovered: -1, glow: null, lit: false, trail: [], effect: 0,
  ink: {}, chart: null, overview: null, asked: false, served: null,

  /** Takes a recording and shows it as the address asks. */
  load(recording) {
    Object.assign(this, { recording, links: new Links(recording), strips: new Strips(recording) });
    byId("title").textContent = recording.title;
    byId("lead").textContent = recording.lead;
    byId("names").replaceChildren(...recording.classes.map((name) => element("option", { value: name })),
      ...recording.actors.slice(0, 500).map((name) => element("option", { value: name })));
    this.readInk();
    this.chart.fit();
    const wanted = readAddress(this);
    showFields(this);
    this.select();
    this.fit();
    if (wanted.from != null && wanted.until != null)
      this.show(this.scale.placeOf(wanted.from), this.scale.placeOf(wanted.until));
    if (wanted.message != null) this.choose(this.links.rowOf(wanted.message), wanted.from == null);
    if (wanted.scroll != null) this.view.scroll = wanted.scroll;
    this.draw();
  },

  /** Takes another part of the same trace: everything stays as it is, as far as it is still there. */
  replace(recording) {
    const chosen = this.chosen >= 0 ? nameOf(this.recording, this.chosen) : null;
    const scroll = this.view.scroll;
    Object.assign(this, { recording, links: new Links(recording), strips: new Strips(recording), hovered: -1, chosen: -1, glow: null, trail: [] });
    this.readInk();
    this.select();
    this.view.scroll = Math.min(scroll, this.chart.mostScroll);
    if (chosen) this.chosen = this.links.rowOf(chosen);
    this.light();
    if (this.chosen >= 0 || !chosen) showPanel(this);
    this.draw();
  },

  // What passes, on which axis, in which lanes.

  /** Finds out what passes the filters; the view stays at the same times. */
  select() {
    const { rows, wrong } = passing(this.recording, this.links, this.filter);
    this.rows = rows;
    for (const id of ["actor", "job"]) byId(id).classList.toggle("wrong", wrong.includes(id));
    this.arrange();
    this.rescale();
    showKinds(this);
  },
  arrange() {
    // Parts of one trace keep their lanes in the order that was found first, as far as they can.
    const before = this.served && this.lanes ? this.lanes : null;
    this.lanes = new Lanes(this.recording, this.rows, this, before);
    this.view.scroll = Math.min(this.view.scroll, this.chart.mostScroll);
  },
  rescale() {
    const old = this.scale;
    const times = old && [old.timeOf(this.view.from), old.timeOf(this.view.until)];
    this.scale = new TimeScale(this.axis, this.recording, this.rows);
    this.overview.outdated();
    if (times) this.show(this.scale.placeOf(times[0]), this.scale.placeOf(times[1]));
  },
  placeInRows(i) {
    const k = lowerBound(this.rows, i);
    return this.rows[k] === i ? k : -1;
  },

  setFilter(change) {
    Object.assign(this.filter, change);
    this.select();
    // What passes may be far from what was on screen.
    if ("job" in change && this.filter.job.trim() && this.rows.length > 0) this.fit();
    showFields(this);
    this.draw();
  },
  clearFilter() { this.setFilter(noFilter()); },
  toggleKind(name, only) {
    const { hidden } = this.filter;
    if (only) {
      const alone = this.recording.kinds.every((kind) => hidden.has(kind) !== (kind === name));
      this.filter.hidden = new Set(alone ? [] : this.recording.kinds.filter((kind) => kind !== name));
    } else if (!hidden.delete(name)) {
      hidden.add(name);
    }
    this.setFilter({});
  },
  setJob(job) {
    this.setFilter({ ...noFilter(), job: String(job) });
    showPanel(this);
  },
  setAxis(axis) {
    this.axis = axis;
    this.rescale();
    showFields(this);
    this.draw();
  },
  setOrder(order) { this.order = order; this.arrange(); this.draw(); },
  setQuiet(quiet) { this.quiet = quiet; this.arrange(); this.draw(); },
  setStretch(factor) {
    this.view.stretch = Math.max(0.5, Math.min(6, this.view.stretch * factor));
    this.pan(0, 0);
  },

  // What is on screen.

  /** Shows the places from `from` to `until`, as far as there is something. */
  show(from, until) {
    const { first, last, closest } = this.scale;
    const whole = last - first, margin = whole * 0.02;
    const width = Math.min(Math.max(until - from, Math.min(closest, whole)), whole + 2 * margin);
    const middle = (from + until) / 2;
    const begin = Math.min(Math.max(middle - width / 2, first - margin), last + margin - width);
    Object.assign(this.view, { from: begin, until: begin + width });
    this.draw();
  },
  /** Shows everything that passes the filters. */
  fit() {
    const { scale, recording, rows } = this;
    let [from, until] = [scale.first, scale.last];
    if (rows.length > 0 && rows.length < recording.n && this.axis === "linear") {
      from = scale.sentAt[0];
      until = Math.min(scale.receivedAt.reduce((a, b) => Math.max(a, b), from), scale.last);
    }
    const margin = Math.max((until - from) * 0.03, scale.closest);
    this.show(from - margin, until + margin);
  },
  pan(dx, dy) {
    const { view, chart } = this;
    const width = view.until - view.from;
    view.scroll = Math.max(0, Math.min(chart.mostScroll, view.scroll + dy));
    if (dx === Infinity) this.show(this.scale.last - width * 0.9, this.scale.last + width * 0.1);
    else if (dx === -Infinity) this.show(this.scale.first - width * 0.1, this.scale.first + width * 0.9);
    else this.show(view.from + dx / chart.zoom, view.until + dx / chart.zoom);
  },
  zoomAt(x, factor) {
    const { view, chart } = this;
    const place = chart.placeAt(Math.max(chart.gutter, x));
    const from = place - (place - view.from) * factor, until = place + (view.until - place) * factor;
    if (factor < 1 && until - from < this.scale.closest) return;
    this.show(from, until);
  },
  middle() {
    const arrow = this.chosen >= 0 ? this.chart.arrows.of(this.chosen) : null;
    if (arrow) return Math.max(this.chart.gutter, Math.min(this.chart.width, (arrow.x1 + arrow.x2) / 2));
    return this.chart.gutter + this.chart.plot / 2;
  },
  /** Brings message `i` onto the screen. */
  reveal(i) {
    let k = this.placeInRows(i);
    if (k < 0) {
      this.clearFilter();
      k = this.placeInRows(i);
    }
    const { view, scale, chart } = this;
    const width = view.until - view.from, sent = scale.sentAt[k], got = Math.min(scale.receivedAt[k], scale.last);
    const inside = (place) => place >= view.from + width * 0.03 && place <= view.until - width * 0.03;
    if (!(inside(sent) && inside(got))) {
      const needed = Math.max(width, (got - sent) * 1.5);
      this.show((sent + got - needed) / 2, (sent + got + needed) / 2);
    }
    const places = [this.recording.from[i], this.recording.to[i]].map((actor) => chart.y(this.lanes.laneOf[actor]));
    const [top, bottom] = [Math.min(...places) - chart.pitch, Math.max(...places) + chart.pitch];
    if (top < AXIS) this.pan(0, top - AXIS);
    else if (bottom > chart.height) this.pan(0, Math.min(bottom - chart.height, top - AXIS));
  },

  // The chosen message.

  choose(i, reveal = false) {
    if (this.chosen >= 0 && i >= 0 && i !== this.chosen) this.trail.push(this.chosen);
    this.effect = 0;
    this.chosen = i;
    if (i < 0) this.lit = false;
    this.light();
    const narrow = byId("panel").hidden !== (i < 0);
    showPanel(this);
    if (narrow) this.resize();
    if (i >= 0 && reveal) this.reveal(i);
    this.draw();
  },
  /** What lights up with the chosen message: its job if that was asked for, or causes and consequences. */
  light() {
    const { chosen: i, links, recording } = this;
    this.glow = null;
    if (i < 0) return;
    if (this.lit) {
      const jobs = new Set(recording.job.subarray(recording.subjects[i], recording.subjects[i + 1]));
      this.glow = new Set([i, ...[...jobs].slice(0, 20).flatMap((job) => links.ofJob(job))]);
    } else {
      this.glow = links.neighbourhood(i);
    }
  },
  lightJob() {
    if (this.chosen < 0) return;
    this.lit = !this.lit;
    this.light();
    this.draw();
  },
  toggleJob() {
    if (this.filter.job) return this.clearFilter();
    const { chosen: i, recording } = this;
    if (i >= 0 && recording.subjects[i] < recording.subjects[i + 1]) this.setJob(recording.job[recording.subjects[i]]);
  },
  toCause() {
    const cause = this.chosen < 0 ? -1 : this.recording.cause[this.chosen];
    if (cause >= 0) this.choose(cause, true);
    // When it was received is known: then its consequence was sent.
    else if (cause === -2 && this.served) this.served.await(this.links.unrecorded.get(this.chosen), this.recording.sent[this.chosen]);
  },
  /** To the consequence; asked again from the same message, to its next one. */
  toConsequence() {
    if (this.chosen < 0) return;
    const effects = this.links.consequences(this.chosen);
    if (effects.length > 0) return this.choose(effects[0], true);
    const cause = this.recording.cause[this.chosen];
    if (cause < 0) return;
    const siblings = this.links.consequences(cause);
    this.choose(siblings[(siblings.indexOf(this.chosen) + 1) % siblings.length], true);
  },
  back() {
    const last = this.trail.pop();
    if (last == null) return;
    this.chosen = -1;
    this.choose(last, true);
  },
  /** To the next or the previous shown message, of all or of the same job. */
  step(by, sameJob) {
    if (this.rows.length === 0) return;
    if (this.chosen < 0) return this.choose(this.rows[Math.min(this.rows.length - 1, lowerBound(this.scale.sentAt, this.view.from))], true);
    let list = this.rows;
    const { recording, chosen } = this;
    if (sameJob && recording.subjects[chosen] < recording.subjects[chosen + 1])
      list = this.links.ofJob(recording.job[recording.subjects[chosen]]);
    const next = list[lowerBound(list, chosen) + by];
    if (next != null) this.choose(next, true);
  },

  // Pointer.

  point(x, y) {
    const { chart } = this;
    const hovered = x == null || x < chart.gutter || y < AXIS ? -1 : chart.arrows.nearest(x, y);
    const over = x != null && x < chart.gutter ? this.lanes.list[chart.laneAt(y)] : null;
    byId("lanes").classList.toggle("pointing", hovered >= 0 || Boolean(over && (over.folded || over.heading)));
    const changed = hovered !== this.hovered;
    this.hovered = hovered;
    showTip(this, x, y);
    if (changed) this.draw();
  },
  click(x, y) {
    const { chart } = this;
    if (x >= chart.gutter) return this.choose(chart.arrows.nearest(x, y));
    const lane = this.lanes.list[chart.laneAt(y)];
    if (!lane || y < AXIS) return;
    if (lane.folded || lane.heading) this.open.set(this.recording.classes[lane.cls], Boolean(lane.folded));
    this.arrange();
    this.draw();
  },

  // Drawing.

  readInk() {
    const style = getComputedStyle(document.documentElement);
    const css = (name) => style.getPropertyValue(name).trim();
    const names = ["ink", "muted", "faint", "line", "paper", "panel", "lane", "band", "accent", "glow", "lost"];
    this.ink = Object.fromEntries(names.map((name) => [name, css("--" + name)]));
    this.ink.kinds = this.recording.kinds.map((_, kind) => css(`--k${kind % 12}`));
    this.ink.states = this.recording.states.map((name, place) => css(stateVariable(name, place)));
  },
  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    if (!this.recording) return;
    this.readInk();
    this.overview.outdated();
    showKinds(this);
    showPanel(this);
    this.draw();
  },
  toggleTheme() { this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); },
  resize() {
    this.chart.fit();
    this.overview.outdated();
    if (!this.scale) return;
    this.pan(0, 0);
    // At once: a canvas is empty after a change of its size, and would be seen so for a frame.
    this.drawNow();
  },
  /** Draws once before the next frame, however often it is asked to. */
  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.drawNow());
  },
  drawNow() {
    this.asked = false;
    if (!this.scale) return;
    this.chart.draw();
    this.overview.draw();
    showCounts(this);
    writeAddressSoon(this);
    this.served?.look();
  },
  async copyLink() {
    writeAddress(this);
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    byId("counts").textContent = "the link is in the clipboard";
  },
};

// The address: all that is on screen, as words after the #.

function readAddress(app) {
  const words = new URLSearchParams(location.hash.slice(1));
  const number = (name) => words.has(name) && Number.isFinite(Number(words.get(name))) ? Number(words.get(name)) : null;
  const one = (name, allowed) => allowed.includes(words.get(name)) ? words.get(name) : allowed[0];
  app.axis = one("axis", ["linear", "events", "compressed"]);
  app.order = one("lanes", ["short", "name"]);
  app.quiet = words.has("quiet");
  const hidden = new Set((words.get("hide") ?? "").split(",").filter((kind) => app.recording.kinds.includes(kind)));
  app.filter = { hidden, actor: words.get("actor") ?? "", job: words.get("job") ?? "", text: words.get("text") ?? "", timers: !words.has("notimers") };
  app.open = new Map();
  for (const name of (words.get("unfold") ?? "").split(",")) if (name) app.open.set(name, true);
  for (const name of (words.get("fold") ?? "").split(",")) if (name) app.open.set(name, false);
  app.lit = words.has("lit");
  if (["dark", "light"].includes(words.get("theme"))) app.setTheme(words.get("theme"));
  const stretch = number("height");
  app.view.stretch = stretch == null ? 1 : Math.max(0.5, Math.min(6, stretch));
  return { from: number("from"), until: number("until"), message: words.get("message"), scroll: number("scroll") };
}

function addressOf(app) {
  const { view, scale, filter, recording } = app;
  const words = new URLSearchParams();
  words.set("from", Math.floor(scale.timeOf(view.from)));
  words.set("until", Math.ceil(scale.timeOf(view.until)));
  const set = (name, value) => { if (value) words.set(name, value === true ? "" : value); };
  set("axis", app.axis !== "linear" && app.axis);
  set("lanes", app.order !== "short" && app.order);
  set("quiet", app.quiet);
  set("hide", [...filter.hidden].join(","));
  set("actor", filter.actor.trim());
  set("job", filter.job.trim());
  set("text", filter.text.trim());
  set("notimers", !filter.timers);
  set("unfold", [...app.open].filter(([, open]) => open).map(([name]) => name).join(","));
  set("fold", [...app.open].filter(([, open]) => !open).map(([name]) => name).join(","));
  if (app.chosen >= 0) words.set("message", nameOf(recording, app.chosen));
  set("lit", app.lit);
  set("scroll", view.scroll > 0 && Math.round(view.scroll));
  set("height", view.stretch !== 1 && view.stretch.toFixed(2));
  set("theme", document.documentElement.dataset.chosen === "true" && document.documentElement.dataset.theme);
  return words.toString().replaceAll("=&", "&").replaceAll("%3A", ":").replace(/=$/, "");
}

let addressTimer = 0, written = "";
function writeAddressSoon(app) {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => writeAddress(app), 300);
}
function writeAddress(app) {
  if (!app.scale || location.hash.startsWith("#selftest") || location.hash.startsWith("#benchmark")) return;
  written = "#" + addressOf(app);
  try { history.replaceState(null, "", written); } catch { /* Some browsers forbid it for files. */ }
}

function showFields(app) {
  for (const id of ["actor", "job", "text"]) if (document.activeElement !== byId(id)) byId(id).value = app.filter[id];
  byId("axis").value = app.axis;
  byId("order").value = app.order;
  byId("timers").checked = app.filter.timers;
  byId("quiet").checked = app.quiet;
}

async function begin() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { if (document.documentElement.dataset.chosen !== "true") app.setTheme(dark.matches ? "dark" : "light"); };
  follow();
  dark.addEventListener("change", follow);
  app.chart = new Chart(byId("lanes"), app);
  app.overview = new Overview(byId("overview"), app);
  takeHands(app);
  new ResizeObserver(() => app.resize()).observe(byId("stage"));
  const data = byId("data");
  try {
    if (data.dataset.source === "served") {
      app.served = new Served(app);
      app.load(await app.served.ask(null, null, ""));
    } else {
      app.load(await embedded(data.textContent));
    }
    data.textContent = "";
  } catch (error) {
    byId("counts").textContent = `This page cannot show its data: ${error.message}.`;
    throw error;
  }
  window.addEventListener("hashchange", () => { if (location.hash !== written) app.load(app.recording); });
  if (location.hash.startsWith("#selftest")) selfTest(app);
  if (location.hash.startsWith("#benchmark")) benchmark(app);
}
begin();
