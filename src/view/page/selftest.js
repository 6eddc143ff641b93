// The page tests itself when its address ends in #selftest, and measures itself at #benchmark: what
// it finds stands in the document as JSON, for a program that drives a browser without a screen.

function report(name, value) {
  document.body.append(element("pre", { id: name, hidden: "" }, JSON.stringify(value)));
}

function selfTest(app) {
  const { recording, links } = app;
  const found = { messages: recording.n, actors: recording.actors.length, failures: [] };
  const check = (what, holds) => { if (!holds) found.failures.push(what); };
  try {
    const kinds = {};
    recording.kinds.forEach((name, kind) => {
      app.setFilter({ ...noFilter(), hidden: new Set(recording.kinds.filter((other) => other !== name)) });
      kinds[name] = app.rows.length;
      check(`only ${name} passes`, app.rows.every((i) => recording.kind[i] === kind));
    });
    found.kinds = kinds;
    app.clearFilter();
    check("without filters everything passes", app.rows.length === recording.n);
    for (const axis of ["linear", "events", "compressed"]) {
      app.setAxis(axis);
      checkAxis(app, axis, check);
      app.fit();
      app.drawNow();
      check(`something is drawn on the ${axis} axis`, coloursOn(byId("lanes")) > 4);
    }
    app.setAxis("linear");
    checkJumps(app, check);
    found.jobs = checkJobs(app, check);
    checkAddress(app, check);
    checkLanes(app, check);
    found.unrecorded = links.unrecorded.size;
  } catch (error) {
    found.failures.push(`${error.message} at ${error.stack}`);
  }
  report("selftest", found);
}

function checkAxis(app, axis, check) {
  const { scale } = app;
  for (let step = 0; step <= 50; step++) {
    const place = scale.first + (scale.last - scale.first) * step / 50;
    const back = scale.placeOf(scale.timeOf(place));
    check(`the ${axis} axis goes there and back`, Math.abs(back - place) <= 1e-6 * Math.max(1, scale.last - scale.first));
  }
  check(`the ${axis} axis does not fall`, scale.sentAt.every((place, k) => k === 0 || place >= scale.sentAt[k - 1]));
  check(`nothing arrives before it is sent on the ${axis} axis`, scale.sentAt.every((place, k) => scale.receivedAt[k] >= place));
  // What the blocks skip must be what a look at every message skips.
  const from = scale.first + (scale.last - scale.first) * 0.4, until = scale.first + (scale.last - scale.first) * 0.42;
  const visited = new Set();
  const [begin, end] = scale.begun(from, until);
  for (let k = begin; k < end; k++) visited.add(k);
  scale.underway(from, begin, (k) => visited.add(k));
  const plain = app.rows.reduce((sum, _, k) => sum + (scale.receivedAt[k] >= from && scale.sentAt[k] < until ? 1 : 0), 0);
  check(`the ${axis} axis finds what is in view: ${visited.size} of ${plain}`, visited.size === plain);
}

function checkJumps(app, check) {
  const { recording, links } = app;
  const i = recording.cause.findIndex((cause) => cause >= 0);
  if (i < 0) return;
  app.choose(i, true);
  app.drawNow();
  const arrow = app.chart.arrows.of(i);
  check("a chosen message is on screen", arrow !== null && arrow.x1 <= app.chart.width && arrow.x2 >= app.chart.gutter);
  app.toCause();
  check("c goes to the cause", app.chosen === recording.cause[i]);
  check("its consequences hold where it came from", links.consequences(app.chosen).includes(i));
  app.toConsequence();
  check("e goes to a consequence", recording.cause[app.chosen] === recording.cause[i]);
  app.back();
  check("b goes back", app.chosen === recording.cause[i]);
  check("the panel tells of it", !byId("panel").hidden && byId("panel").textContent.includes(nameOf(recording, app.chosen)));
  app.choose(-1);
  check("nothing is chosen", byId("panel").hidden && app.glow === null);
}

/** How many messages some jobs have, counted by the filter; and checked by counting plainly. */
function checkJobs(app, check) {
  const { recording } = app;
  const counted = {};
  for (const job of [...new Set(recording.job)].sort((a, b) => a - b).slice(0, 5)) {
    app.setJob(job);
    counted[job] = app.rows.length;
    let plain = 0;
    for (let i = 0; i < recording.n; i++)
      if (recording.job.subarray(recording.subjects[i], recording.subjects[i + 1]).includes(job)) plain++;
    check(`job ${job} has ${plain} messages`, plain === app.rows.length);
    app.drawNow();
    check(`job ${job} is drawn`, app.chart.arrows.drawn.length > 0 || app.chart.found > MOST_ARROWS);
  }
  app.setFilter({ ...noFilter(), actor: recording.actors[0] });
  check("filtering by actor", app.rows.length > 0 && app.rows.every((i) => recording.from[i] === 0 || recording.to[i] === 0));
  app.setFilter({ ...noFilter(), text: recording.kinds[recording.kind[0]] });
  check("filtering by words", app.rows.length > 0);
  app.setFilter({ ...noFilter(), actor: "nobody of this name" });
  check("who is not there is pointed out", app.rows.length === 0 && byId("actor").classList.contains("wrong"));
  app.clearFilter();
  return counted;
}

function checkAddress(app, check) {
  const hidden = app.recording.kinds[0];
  app.setAxis("compressed");
  app.setFilter({ ...noFilter(), hidden: new Set([hidden]) });
  const middle = (app.scale.first + app.scale.last) / 2;
  app.show(middle, middle + (app.scale.last - app.scale.first) / 10);
  const address = addressOf(app), rows = app.rows.length, { from, until } = app.view;
  app.clearFilter();
  app.setAxis("linear");
  history.replaceState(null, "", "#" + address);
  app.load(app.recording);
  check("the address brings back the filters", app.rows.length === rows && app.filter.hidden.has(hidden));
  check("the address brings back the view", app.axis === "compressed" && Math.abs(app.view.from - from) < 1 && Math.abs(app.view.until - until) < 1);
  history.replaceState(null, "", "#selftest");
  app.clearFilter();
  app.setAxis("linear");
}

function checkLanes(app, check) {
  const { recording } = app;
  const cost = (lanes) => lanes.conversations(app.rows).reduce((sum, [a, b, weight]) => sum + weight * Math.abs(a - b), 0);
  const [named, short] = ["name", "short"].map((order) => new Lanes(recording, app.rows, { open: new Map(), order, quiet: false }));
  check("ordered lanes have no longer arrows than unordered ones", cost(short) <= cost(named));
  const all = new Set(short.list.flatMap((lane) => lane.heading ? [] : lane.actors));
  check("everybody who talks has one lane", app.rows.every((i) => all.has(recording.from[i]) && all.has(recording.to[i])));
}

/** How many colours a canvas has, in a coarse look at it. */
function coloursOn(canvas) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const colours = new Set();
  for (let at = 0; at < data.length; at += 4 * 7) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
  return colours.size;
}

/**
 * Pans for as many frames as the address says, as #benchmark=600: at four zooms, or with part=0.3 at
 * the one that shows this part of all. How long that takes is measured from outside: in a browser
 * without a screen, the page's own clock may stand still.
 */
function benchmark(app) {
  const words = new URLSearchParams(location.hash.slice(1));
  const frames = Number(words.get("benchmark")), parts = words.has("part") ? [Number(words.get("part"))] : [1, 0.3, 0.05, 0.005];
  const { first, last } = app.scale;
  let inView = 0;
  for (let frame = 0; frame < frames; frame++) {
    const width = (last - first) * parts[Math.floor(frame * parts.length / frames)];
    const from = first + (last - first - width) * (0.5 + 0.3 * Math.sin(frame / 10)) + width * 0.01 * Math.sin(frame);
    app.show(from, from + width);
    app.drawNow();
    // Reading a pixel back waits until everything is really drawn.
    byId("lanes").getContext("2d").getImageData(0, 0, 1, 1);
    inView += app.chart.found;
  }
  report("benchmark", { messages: app.recording.n, frames, mean_in_view: Math.round(inView / Math.max(1, frames)) });
}
