// What is said in words: the chosen message, the tooltip, the filters, the help.

const spoken = (name) => name.replaceAll("_", " ");

/** "host[3] → scheduler" */
const parties = (recording, i) => recording.from[i] === recording.to[i]
  ? `${recording.actors[recording.from[i]]}, to itself`
  : `${recording.actors[recording.from[i]]} → ${recording.actors[recording.to[i]]}`;

const fateOf = (recording, i) => recording.fates[recording.fate[i]] ?? "";

/** The chosen message with its causes, consequences and job. */
function showPanel(app) {
  const panel = byId("panel");
  const { recording, links, chosen: i } = app;
  panel.hidden = i < 0;
  if (i < 0) return panel.replaceChildren();
  const colour = app.ink.kinds[recording.kind[i]];
  const subjects = subjectsOf(recording, i);
  const jobs = [...new Set(subjects.map((name) => name.split("_")[0]))];
  const facts = [
    ["message", nameOf(recording, i)],
    [recording.from[i] === recording.to[i] ? "set" : "sent", exactly(recording.sent[i])],
    [recording.from[i] === recording.to[i] ? "due" : "received", `${exactly(recording.received[i])} (after ${span(recording.received[i] - recording.sent[i])})`],
    ["fate", fateOf(recording, i)],
    ["instances", listed(subjects)],
    ["file", recording.file[i] > 0 ? String(recording.file[i] - 1) : ""],
    ["size", recording.bytes[i] > 0 ? size(recording.bytes[i]) : ""],
  ].filter(([, value]) => value !== "");
  const close = element("button", { type: "button", title: "let go (Escape)", onclick: () => app.choose(-1) }, "×");
  panel.replaceChildren(
    element("h2", { colour }, element("i"), spoken(recording.kinds[recording.kind[i]]), close),
    element("div", {}, parties(recording, i)),
    textOf(recording, i) ? element("p", {}, textOf(recording, i)) : null,
    element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    element("div", { class: "row" },
      ...jobs.slice(0, 4).flatMap((job) => [
        element("button", { type: "button", onclick: () => app.setJob(job), title: "hide everything else (j)" }, `only job ${job}`),
      ]),
      element("button", { type: "button", onclick: () => app.copyLink(), title: "copies the address of this page as it is now" }, "copy link")),
  );
  const section = (title, rows, limit = 60) => {
    if (rows.length === 0) return;
    const items = Array.from(rows.slice(0, limit), (row) => element("li", {}, messageButton(app, row, i)));
    if (rows.length > limit) items.push(element("li", {}, `… and ${count(rows.length - limit)} more`));
    panel.append(element("h3", {}, title), element("ol", {}, ...items));
  };
  section("caused by (c)", links.causes(i, 4));
  if (links.unrecorded.has(i)) panel.append(element("p", {}, `Caused by message ${links.unrecorded.get(i)}, which was not recorded.`));
  section("led to (e)", links.consequences(i));
  for (const job of jobs.slice(0, 2)) section(`all of job ${job}`, links.ofJob(Number(job)), 200);
}

/** A few names, or how many there are. */
const listed = (names) => names.length <= 8 ? names.join(", ") : `${names.slice(0, 8).join(", ")} and ${names.length - 8} more`;

function messageButton(app, row, current) {
  const { recording } = app;
  return element("button", {
    type: "button", colour: app.ink.kinds[recording.kind[row]], onclick: () => app.choose(row, true),
    "aria-current": row === current ? "true" : null,
  },
    element("span", {}, spoken(recording.kinds[recording.kind[row]]) + (recording.fate[row] ? `, ${fateOf(recording, row)}` : "")),
    element("small", {}, instant(recording.sent[row], SECOND)),
    element("span", { class: "who" }, parties(recording, row)));
}

/** What the pointer is on, beside it. */
function showTip(app, x, y) {
  const tip = byId("tip");
  const lines = x == null ? null : tipLines(app, x, y);
  tip.hidden = lines == null;
  if (!lines) return;
  tip.replaceChildren(...lines);
  const { clientWidth, clientHeight } = tip.parentElement;
  const right = x + 16 + tip.offsetWidth > clientWidth;
  tip.style.left = `${Math.max(2, right ? x - 14 - tip.offsetWidth : x + 16)}px`;
  tip.style.top = `${Math.max(2, Math.min(y + 14, clientHeight - tip.offsetHeight - 4))}px`;
}

function tipLines(app, x, y) {
  const { recording, chart, lanes, strips, scale, hovered: i } = app;
  if (i >= 0) {
    const subjects = subjectsOf(recording, i);
    return [
      element("b", { colour: app.ink.kinds[recording.kind[i]] }, spoken(recording.kinds[recording.kind[i]])),
      element("div", {}, parties(recording, i)),
      textOf(recording, i) ? element("div", {}, textOf(recording, i)) : null,
      element("div", { class: "quiet" }, `${exactly(recording.sent[i])}, for ${span(recording.received[i] - recording.sent[i])}`
        + (recording.fate[i] ? `, ${fateOf(recording, i)}` : "")),
      subjects.length ? element("div", { class: "quiet" }, "instances " + listed(subjects)) : null,
    ].filter(Boolean);
  }
  if (x < chart.gutter || y < AXIS) return null;
  const lane = lanes.list[chart.laneAt(y)];
  if (!lane) return null;
  const time = scale.timeOf(chart.placeAt(x));
  const head = element("div", {}, element("b", {}, lane.label), ` at ${instant(time, (app.view.until - app.view.from) / chart.plot || 1)}`);
  const doing = [];
  if (lane.actors.length === 1) {
    const state = strips.at(lane.actors[0], time);
    if (state >= 0) doing.push(element("div", { class: "quiet" }, recording.states[state]));
  } else {
    strips.countsAt(lane, time).forEach((number, state) => {
      if (number > 0) doing.push(element("div", { class: "quiet" }, `${count(number)} ${recording.states[state]}`));
    });
  }
  if (!chart.few) {
    const counts = countsNear(app, x, y);
    const busiest = Array.from(counts, (number, kind) => [number, kind]).filter(([number]) => number > 0).sort((a, b) => b[0] - a[0]);
    for (const [number, kind] of busiest.slice(0, 6))
      doing.push(element("div", {}, element("b", { colour: app.ink.kinds[kind] }, count(number)), " " + spoken(recording.kinds[kind])));
  }
  return doing.length === 0 ? null : [head, ...doing];
}

/** One button per kind: pressed are those that are shown. */
function showKinds(app) {
  const { recording, filter } = app;
  const numbers = new Uint32Array(recording.kinds.length);
  for (let i = 0; i < recording.n; i++) numbers[recording.kind[i]]++;
  const order = recording.kinds.map((_, kind) => kind).filter((kind) => numbers[kind] > 0);
  byId("kinds").replaceChildren(
    element("legend", { class: "hidden" }, "kinds of messages"),
    ...order.map((kind) => {
      const name = recording.kinds[kind];
      return element("button", {
        type: "button", class: "chip", colour: app.ink.kinds[kind], "data-kind": name,
        "aria-pressed": String(!filter.hidden.has(name)), title: "hide or show; with Shift: only this kind",
        onclick: (event) => app.toggleKind(name, event.shiftKey),
      }, element("i"), spoken(name), element("small", {}, count(numbers[kind])));
    }),
    ...recording.states.map((name, state) => app.recording.state.includes(state)
      ? element("span", { class: "chip", title: "what actors are doing: the strips along lanes" },
        element("i", { style: `height:.6rem;background:${app.ink.states[state]}` }), name)
      : null).filter(Boolean));
}

/** How many shown messages of each kind touch the lane at `y` within some pixels of `x`. */
function countsNear(app, x, y) {
  const { rows, recording, scale, lanes, chart } = app;
  const lane = chart.laneAt(y), from = chart.placeAt(x - 5), until = chart.placeAt(x + 5);
  const counts = new Uint32Array(recording.kinds.length);
  const touch = (k) => {
    const sent = scale.sentAt[k] >= from && lanes.sender[k] === lane;
    const heard = scale.receivedAt[k] < until && lanes.listener[k] === lane;
    if (sent || heard) counts[recording.kind[rows[k]]]++;
  };
  const [begin, end] = scale.begun(from, until);
  for (let k = begin; k < end; k++) touch(k);
  scale.underway(from, begin, touch);
  return counts;
}

function showCounts(app) {
  const { recording, rows, chart, view, scale } = app;
  let all = rows.length === recording.n ? many(recording.n, "message") : `${count(rows.length)} of ${many(recording.n, "message")}`;
  if (app.served) all = `${count(rows.length)} here of ${many(recording.total, "message")}`;
  const shown = scale.timeOf(Math.min(view.until, scale.last)) - scale.timeOf(Math.max(view.from, scale.first));
  byId("counts").textContent = `${all}; ${count(chart.found)} in view of ${span(Number(shown.toPrecision(3)))}`;
  const note = byId("note");
  note.hidden = chart.few && rows.length > 0;
  if (recording.oneOf > 1) {
    note.hidden = false;
    note.textContent = `one of ${count(recording.oneOf)} messages is shown: zoom in for all`;
    return;
  }
  note.textContent = rows.length === 0 ? "no message passes the filters" : `${count(chart.found)} in view, drawn as bundles: zoom in for single arrows`;
}

const KEYS = [
  ["wheel, pinch, + −", "zoom where the pointer is"],
  ["drag, ← →, Shift + wheel", "pan in time; ↑ ↓ and dragging upwards: in lanes"],
  ["double click", "zoom in on it"],
  ["drag in the strip above", "choose a span of time"],
  ["click", "choose a message; its causes and consequences light up"],
  [", .", "the message before, after; with Shift: of the same job"],
  ["c", "to the cause of the chosen message"],
  ["e", "to its consequence; again: to the next of several"],
  ["b", "back to where you came from"],
  ["j", "only the job of the chosen message; again: everything"],
  ["l", "light up all of its job"],
  ["click on ▸ ▾ and a name", "unfold or fold a class of actors"],
  ["1 2 3", "axis: linear, by event, compressed"],
  ["0", "fit everything that is shown"],
  ["[ ]", "lower and higher lanes"],
  ["/", "to the words to look for"],
  ["d", "dark or light"],
  ["Escape", "let go"],
];

function showHelp() {
  const dialog = byId("keys");
  dialog.replaceChildren(
    element("dl", {}, ...KEYS.flatMap(([keys, what]) => [element("dt", {}, element("kbd", {}, keys)), element("dd", {}, what)])),
    element("p", {}, "The address of the page holds all that is on screen: copy it to show somebody the same."),
    element("form", { method: "dialog" }, element("button", {}, "close")));
  dialog.showModal();
}
