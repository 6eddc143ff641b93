// Draws the charts whose data stand in the page, with uPlot. Nothing is fetched.
"use strict";
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const root = document.documentElement;
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colour = (i) => css(`--c${i % 10}`);
  const faded = (hex, alpha) => hex + Math.round(alpha * 255).toString(16).padStart(2, "0");

  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
  const figure = (v) => v == null ? "–" : Math.abs(v) >= 1000 ? whole.format(v) : short.format(v);
  const withUnit = (v, unit) => figure(v) + (unit && v != null ? " " + unit : "");

  // Marks on a logarithmic axis of seconds, at the spans people think in.
  const SPANS = [];
  for (const [size, unit, counts] of [[1e-3, "ms", [1, 10, 100]], [1, "s", [1, 2, 5, 10, 30]],
    [60, "min", [1, 2, 5, 10, 30]], [3600, "h", [1, 2, 4, 8, 16]], [86400, "d", [1, 2, 4, 7, 14, 30, 90, 180]],
    [31557600, "y", [1, 2, 5, 10, 20, 50, 100]]])
    for (const count of counts) SPANS.push([size * count, `${count} ${unit}`]);
  const span = (s) => {
    for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"]])
      if (s >= size) return figure(s / size) + " " + unit;
    return figure(s) + " s";
  };

  const axis = (label, more) => ({
    label,
    labelSize: 20,
    labelFont: "12px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    stroke: () => css("--muted"),
    grid: { stroke: () => css("--line"), width: 1 },
    ticks: { stroke: () => css("--line"), width: 1 },
    ...more,
  });
  const yAxis = (label) => axis(label, {
    values: (u, splits) => splits.map(figure),
    // As wide as its longest mark.
    size: (u, values) => 18 + 7 * Math.max(3, ...(values || []).map((v) => v.length)),
  });

  // Values at the pointer. Text only: what stands in it may come from a scenario file.
  const tooltip = (lines) => {
    let tip;
    return {
      hooks: {
        init: (u) => {
          tip = document.createElement("div");
          tip.className = "tip";
          tip.hidden = true;
          u.over.append(tip);
          u.over.addEventListener("mouseleave", () => { tip.hidden = true; });
        },
        setCursor: (u) => {
          const { left, top, idx } = u.cursor;
          const shown = idx == null || left < 0 ? [] : lines(u, idx);
          tip.hidden = shown.length === 0;
          if (tip.hidden) return;
          tip.replaceChildren(...shown.map(([text, mark]) => {
            const line = document.createElement("div");
            if (mark) {
              const swatch = document.createElement("i");
              swatch.style.background = mark;
              line.append(swatch);
            }
            line.append(text);
            return line;
          }));
          const right = left + 14 + tip.offsetWidth > u.over.clientWidth;
          const x = right ? left - 14 - tip.offsetWidth : left + 14;
          tip.style.left = Math.max(-40, x) + "px";
          tip.style.top = Math.max(0, Math.min(top + 10, u.over.clientHeight - tip.offsetHeight)) + "px";
        },
      },
    };
  };

  const overTime = (chart) => {
    const stacked = chart.kind === "stacked";
    const count = chart.y.length;
    let data = chart.y;
    if (stacked) {
      const sums = new Array(chart.x.length).fill(0);
      data = chart.y.map((values) => values.map((v, i) => (sums[i] += v ?? 0)));
    }
    const largest = Math.max(...data.flat().map((v) => v ?? 0));
    const smallest = Math.min(...data.flat().map((v) => v ?? 0));
    const series = chart.names.map((label, i) => ({
      label,
      stroke: () => colour(i),
      width: stacked ? 1 : 2,
      fill: stacked ? () => faded(colour(i), .65) : undefined,
      dash: !stacked && i >= 4 ? [6, 4] : undefined,
      points: { show: chart.x.length < 3 },
    }));
    const bands = [];
    for (let s = count; stacked && s > 1; s--) bands.push({ series: [s, s - 1] });
    return {
      data: [chart.x, ...data],
      options: {
        scales: {
          x: { time: false },
          // From zero, so that heights can be compared; with a little room above.
          y: { range: () => [Math.min(0, smallest), largest > 0 ? largest * 1.05 : 1] },
        },
        series: [{ label: chart.x_title }, ...series],
        bands,
        axes: [axis(chart.x_title, { values: (u, splits) => splits.map(figure) }), yAxis(chart.y_title)],
        plugins: [tooltip((u, idx) => {
          const order = chart.names.map((_, i) => i);
          if (stacked) order.reverse();
          return [[`${figure(chart.x[idx])} ${chart.x_unit}`], ...order.map((i) =>
            [`${chart.names[i]}: ${withUnit(chart.y[i][idx], chart.unit)}`, colour(i)])];
        })],
      },
    };
  };

  const histogram = (chart) => {
    const logarithmic = chart.kind === "log_histogram";
    const say = chart.spans ? span : (v) => withUnit(v, chart.unit);
    const largest = Math.max(1, ...chart.counts);
    const low = chart.edges[0], high = chart.edges[chart.edges.length - 1];
    const marks = (u) => {
      const ctx = u.ctx;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = css("--ink");
      ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
      let row = 0;
      for (const [p, value] of chart.quantiles) {
        if (value <= low || value >= high) continue;
        const x = u.valToPos(value, "x", true);
        ctx.beginPath();
        ctx.moveTo(x, u.bbox.top);
        ctx.lineTo(x, u.bbox.top + u.bbox.height);
        ctx.stroke();
        const right = x > u.bbox.left + .7 * u.bbox.width;
        ctx.textAlign = right ? "right" : "left";
        const text = (p === .5 ? "median " : `${figure(p * 100)} % `) + say(value);
        ctx.fillText(text, x + (right ? -4 : 4) * devicePixelRatio, u.bbox.top + (12 + 14 * row++) * devicePixelRatio);
      }
      ctx.restore();
    };
    const xMarks = chart.spans && logarithmic ? {
      splits: (u) => {
        const within = SPANS.filter(([s]) => s >= u.scales.x.min && s <= u.scales.x.max).map(([s]) => s);
        const room = Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 60));
        const step = Math.ceil(within.length / room);
        return within.filter((_, i) => i % step === 0);
      },
      filter: (u, splits) => splits,
      values: (u, splits) => splits.map((s) => (SPANS.find(([v]) => v === s) || [0, figure(s)])[1]),
    } : {
      values: (u, splits) => splits.map((v) => v == null ? "" : figure(v)),
    };
    return {
      data: [chart.edges, [...chart.counts, 0]],
      options: {
        scales: {
          x: { time: false, distr: logarithmic ? 3 : 1, range: (u, min, max) => [min ?? low, max ?? high] },
          y: { range: () => [0, largest * 1.1] },
        },
        series: [{ label: chart.x_title }, {
          label: chart.y_title,
          stroke: () => colour(0),
          fill: () => faded(colour(0), .45),
          width: 1,
          paths: uPlot.paths.stepped({ align: 1 }),
          points: { show: false },
        }],
        legend: { show: false },
        axes: [axis(chart.x_title, xMarks), yAxis(chart.y_title)],
        hooks: { draw: [marks] },
        plugins: [tooltip((u) => {
          // The bar under the pointer, not the nearest edge.
          const at = u.posToVal(u.cursor.left, "x");
          let bar = chart.edges.findIndex((edge) => edge > at) - 1;
          if (bar < 0) return [];
          return [[`${say(chart.edges[bar])} to ${say(chart.edges[bar + 1])}`],
            [`${whole.format(chart.counts[bar])} of ${whole.format(chart.count)}`, colour(0)]];
        })],
      },
    };
  };

  const HEIGHT = 300;
  const drawn = [];
  charts.forEach((chart, number) => {
    const place = document.getElementById(`chart-${number}`);
    const { data, options } = chart.counts ? histogram(chart) : overTime(chart);
    const width = () => Math.max(200, place.clientWidth);
    const u = new uPlot({
      width: width(), height: HEIGHT,
      cursor: { points: { show: !chart.counts }, y: false, drag: { x: true, y: false } },
      // The values are in the tooltip; the legend only names the lines.
      legend: { live: false, markers: { width: 0, fill: (u, i) => colour(i - 1) } },
      ...options,
    }, data, place);
    u.ctx.canvas.setAttribute("role", "img");
    u.ctx.canvas.setAttribute("aria-label", place.dataset.says);
    new ResizeObserver(() => {
      if (Math.abs(width() - u.width) > 1) u.setSize({ width: width(), height: HEIGHT });
    }).observe(place);
    drawn.push(u);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    drawn.forEach((u) => u.redraw(false, true));
  });
})();
