// Pointer, fingers and keys.

function takeHands(app) {
  const canvas = byId("lanes");
  const fingers = new Map();
  let drag = null, moved = false, pinch = 0;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    fingers.set(event.pointerId, at(event));
    drag = at(event);
    moved = fingers.size > 1;
    pinch = spread(fingers);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (fingers.size === 0) return app.point(x, y);
    fingers.set(event.pointerId, [x, y]);
    if (fingers.size === 2) {
      const wide = spread(fingers);
      const middle = [...fingers.values()].reduce((sum, [fx]) => sum + fx / 2, 0);
      if (pinch > 0 && wide > 0) app.zoomAt(middle, pinch / wide);
      pinch = wide;
      return;
    }
    if (!moved && Math.hypot(x - drag[0], y - drag[1]) < 4) return;
    moved = true;
    canvas.classList.add("dragging");
    app.pan(drag[0] - x, drag[1] - y);
    drag = [x, y];
  });
  const lift = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    canvas.classList.remove("dragging");
    if (fingers.size > 0) { drag = [...fingers.values()][0]; return; }
    if (!moved && event.type === "pointerup") app.click(...at(event));
    app.point(...at(event));
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => { if (fingers.size === 0) app.point(null); });
  canvas.addEventListener("dblclick", (event) => app.zoomAt(at(event)[0], 1 / 4));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    const [dx, dy] = [event.deltaX * lines, event.deltaY * lines];
    if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) app.pan(dx || dy, 0);
    else if (at(event)[0] < app.chart.gutter || event.altKey) app.pan(0, dy);
    else app.zoomAt(at(event)[0], 1.0015 ** Math.max(-400, Math.min(400, dy)));
  }, { passive: false });

  takeOverview(app);
  takeFields(app);
  document.addEventListener("keydown", (event) => key(app, event));
}

function spread(fingers) {
  const [a, b] = [...fingers.values()];
  return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
}

/** In the strip above: dragging inside the frame moves it, dragging elsewhere draws a new one. */
function takeOverview(app) {
  const canvas = byId("overview");
  let begin = null, grip = null;
  const placeAt = (event) => app.overview.placeAt(event.clientX - canvas.getBoundingClientRect().left);
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const place = placeAt(event);
    const { from, until } = app.view;
    const whole = until - from > 0.9 * (app.scale.last - app.scale.first);
    begin = place;
    grip = !whole && place > from && place < until ? place - from : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (begin == null) return;
    const place = placeAt(event);
    if (grip != null) app.show(place - grip, place - grip + app.view.until - app.view.from);
    else if (Math.abs(place - begin) > (app.scale.last - app.scale.first) / 400) app.show(Math.min(begin, place), Math.max(begin, place));
  });
  const lift = (event) => {
    if (begin == null) return;
    const place = placeAt(event), half = (app.view.until - app.view.from) / 2;
    const still = Math.abs(place - begin) <= (app.scale.last - app.scale.first) / 400;
    if (still && grip == null) app.show(place - half, place + half);
    begin = grip = null;
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", () => { begin = grip = null; });
}

function takeFields(app) {
  const on = (id, event, act) => byId(id).addEventListener(event, act);
  on("axis", "change", () => app.setAxis(byId("axis").value));
  on("order", "change", () => app.setOrder(byId("order").value));
  let waiting = 0;
  for (const id of ["actor", "job", "text"])
    on(id, "input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => app.setFilter({ [id]: byId(id).value }), 150);
    });
  on("timers", "change", () => app.setFilter({ timers: byId("timers").checked }));
  on("quiet", "change", () => app.setQuiet(byId("quiet").checked));
  on("whole", "click", () => app.fit());
  on("clear", "click", () => app.clearFilter());
  on("theme", "click", () => app.toggleTheme());
  on("help", "click", showHelp);
  on("more", "click", () => {
    const open = byId("tools").classList.toggle("open");
    byId("more").setAttribute("aria-expanded", String(open));
  });
  byId("tools").addEventListener("submit", (event) => event.preventDefault());
}

function key(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input, select, dialog");
  if (event.key === "Escape") {
    if (field) byId("lanes").focus(); else app.choose(-1);
    return;
  }
  if (field) return;
  const step = app.chart.plot / 8;
  const deeds = {
    "ArrowLeft": () => app.pan(-step, 0), "ArrowRight": () => app.pan(step, 0),
    "ArrowUp": () => app.pan(0, -app.chart.pitch), "ArrowDown": () => app.pan(0, app.chart.pitch),
    "PageUp": () => app.pan(-app.chart.plot * 0.9, 0), "PageDown": () => app.pan(app.chart.plot * 0.9, 0),
    "Home": () => app.pan(-Infinity, 0), "End": () => app.pan(Infinity, 0),
    "+": () => app.zoomAt(app.middle(), 0.5), "=": () => app.zoomAt(app.middle(), 0.5), "-": () => app.zoomAt(app.middle(), 2),
    "0": () => app.fit(), "1": () => app.setAxis("linear"), "2": () => app.setAxis("events"), "3": () => app.setAxis("compressed"),
    ".": () => app.step(1, false), ",": () => app.step(-1, false), ">": () => app.step(1, true), "<": () => app.step(-1, true),
    "c": () => app.toCause(), "e": () => app.toConsequence(), "b": () => app.back(), "j": () => app.toggleJob(), "l": () => app.lightJob(),
    "[": () => app.setStretch(1 / 1.25), "]": () => app.setStretch(1.25),
    "/": () => { byId("tools").classList.add("open"); byId("text").focus(); }, "d": () => app.toggleTheme(), "?": showHelp,
  };
  const deed = deeds[event.key];
  if (!deed || (event.target.closest("button") && event.key.length > 1)) return;
  event.preventDefault();
  deed();
}
