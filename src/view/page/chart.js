// The chart itself: lanes, strips, arrows and arcs, or bundles where there are too many.

/** The band of marks above the lanes, in pixels. */
const AXIS = 24;
/** More arrows than this at once are drawn as bundles. */
const MOST_ARROWS = 3000;
/** The height of a strip of states. */
const STRIP = 7;

class Chart {
  constructor(canvas, app) {
    this.canvas = canvas;
    this.app = app;
    /** How many shown messages are on their way within the view; `hits` are the places in `rows` of the first. */
    this.found = 0;
    this.hits = new Int32Array(MOST_ARROWS);
    this.arrows = new Arrows(this);
    this.density = new Density(this);
  }

  /** Takes the size of its box; true if it has changed. */
  fit() {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { clientWidth, clientHeight } = this.canvas;
    const same = clientWidth === this.width && clientHeight === this.height && ratio === this.ratio;
    if (same) return false;
    Object.assign(this, { width: clientWidth, height: clientHeight, ratio });
    this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
    this.gutter = Math.round(Math.min(190, Math.max(84, clientWidth * 0.16)));
    return true;
  }

  get plot() { return Math.max(1, this.width - this.gutter); }
  /** Pixels for one unit of place. */
  get zoom() { return this.plot / (this.app.view.until - this.app.view.from); }
  x(place) { return this.gutter + (place - this.app.view.from) * this.zoom; }
  placeAt(x) { return this.app.view.from + (x - this.gutter) / this.zoom; }
  get pitch() {
    const lanes = this.app.lanes.list.length;
    const even = (this.height - AXIS - 8) / Math.max(1, lanes);
    return Math.max(24, Math.min(110, even)) * this.app.view.stretch;
  }
  y(lane) { return AXIS + 4 + (lane + 0.62) * this.pitch - this.app.view.scroll; }
  laneAt(y) { return Math.floor((y - AXIS - 4 + this.app.view.scroll) / this.pitch); }
  get mostScroll() { return Math.max(0, this.app.lanes.list.length * this.pitch + AXIS + 12 - this.height); }

  draw() {
    const context = this.canvas.getContext("2d", { alpha: false });
    const { ink } = this.app;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = ink.paper;
    context.fillRect(0, 0, this.width, this.height);
    this.arrows.drawn = [];
    this.find();
    const ticks = marks(this.app.scale, this.app.view.from, this.app.view.until, this.plot);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, this.width, this.height - AXIS);
    context.clip();
    this.drawLanes(context, ticks);
    context.beginPath();
    context.rect(this.gutter, AXIS, this.plot, this.height - AXIS);
    context.clip();
    this.drawStrips(context);
    if (this.few) this.arrows.draw(context); else this.density.draw(context, this.arrows);
    this.drawLit(context);
    context.restore();
    this.drawNames(context);
    this.drawAxis(context, ticks);
  }

  /** Finds what is in view, and whether that is few enough for single arrows. */
  find() {
    const { scale, view, rows, recording } = this.app;
    const { hits } = this;
    const { from, to } = recording;
    const [begin, end] = scale.begun(view.from, view.until);
    let found = 0;
    // Beyond the end of `hits`, writing does nothing: then only the number counts.
    scale.underway(view.from, begin, (k) => {
      // A timer that spans all of the screen would be a line along its lane that says nothing.
      if (scale.receivedAt[k] > view.until && from[rows[k]] === to[rows[k]]) return;
      hits[found++] = k;
    });
    this.found = found + end - begin;
    this.few = this.found <= MOST_ARROWS;
    if (this.few) for (let k = begin; k < end; k++) hits[found++] = k;
  }

  /** The first and the last lane that can be seen. */
  lanesInView() {
    return [Math.max(0, this.laneAt(AXIS)), Math.min(this.app.lanes.list.length - 1, this.laneAt(this.height))];
  }

  drawLanes(context, ticks) {
    const { ink, lanes } = this.app;
    const [first, last] = this.lanesInView();
    for (let lane = first; lane <= last; lane++) {
      if (lane % 2 === 1) continue;
      context.fillStyle = ink.band;
      context.fillRect(0, this.y(lane) - 0.62 * this.pitch, this.width, this.pitch);
    }
    context.strokeStyle = ink.line;
    context.lineWidth = 1;
    context.beginPath();
    for (const { place } of ticks.list) {
      const x = Math.round(this.x(place)) + 0.5;
      if (x < this.gutter) continue;
      context.moveTo(x, AXIS);
      context.lineTo(x, this.height);
    }
    context.stroke();
    context.strokeStyle = ink.lane;
    context.beginPath();
    for (let lane = first; lane <= last; lane++) {
      const y = Math.round(this.y(lane)) + 0.5;
      context.moveTo(this.gutter, y);
      context.lineTo(this.width, y);
    }
    context.stroke();
  }

  drawStrips(context) {
    const { lanes, recording } = this.app;
    if (recording.who.length === 0) return;
    const [first, last] = this.lanesInView();
    for (let at = first; at <= last; at++) {
      const lane = lanes.list[at];
      if (lane.actors.length === 1) this.drawStrip(context, lane.actors[0], this.y(at));
      else this.drawTotals(context, lane, this.y(at));
    }
  }

  /** The states of one actor along its lane. */
  drawStrip(context, actor, y) {
    const { strips, scale, view, recording, ink } = this.app;
    const times = [scale.timeOf(view.from), scale.timeOf(view.until)];
    const [first, last] = strips.of(actor, ...times);
    const top = Math.round(y - STRIP / 2);
    if (last - first > this.plot / 2) {
      for (let x = this.gutter; x < this.width; x += 2) {
        const state = strips.at(actor, scale.timeOf(this.placeAt(x + 1)));
        if (state < 0) continue;
        context.fillStyle = ink.states[state];
        context.fillRect(x, top, 2, STRIP);
      }
      return;
    }
    for (let k = first; k < last; k++) {
      const begin = Math.max(this.gutter, this.x(scale.placeOf(recording.stateBegin[k])));
      const end = Math.min(this.width, this.x(scale.placeOf(recording.stateEnd[k])));
      context.fillStyle = ink.states[recording.state[k]];
      context.fillRect(begin, top, Math.max(0.6, end - begin), STRIP);
    }
  }

  /** How many actors of a folded lane are in which state, stacked. */
  drawTotals(context, lane, y) {
    const { strips, scale, ink } = this.app;
    if (strips.totalsOf(lane).every(({ begins }) => begins.length === 0)) return;
    const height = Math.min(26, this.pitch * 0.5), bottom = Math.round(y + height / 2);
    for (let x = this.gutter; x < this.width; x += 2) {
      const counts = strips.countsAt(lane, scale.timeOf(this.placeAt(x + 1)));
      let below = bottom;
      counts.forEach((number, state) => {
        const share = height * number / lane.actors.length;
        if (share <= 0) return;
        context.fillStyle = ink.states[state];
        context.fillRect(x, below - share, 2, share);
        below -= share;
      });
    }
  }

  /** The chosen message, its neighbourhood or job, and what the pointer is on: above all others. */
  drawLit(context) {
    const { glow, ink, recording, chosen, hovered } = this.app;
    const { arrows } = this;
    if (glow && !this.few) {
      for (const i of glow) {
        const arrow = arrows.of(i);
        if (arrow) arrows.drawSome(context, [arrow], ink.kinds[recording.kind[i]], { width: 1.8, head: 7 });
      }
    }
    for (const [i, colour] of [[hovered, null], [chosen, ink.glow]]) {
      const arrow = i >= 0 ? arrows.of(i) : null;
      if (!arrow) continue;
      if (colour) arrows.underline(context, arrow, colour);
      arrows.drawSome(context, [arrow], ink.kinds[recording.kind[i]], { width: 2.4, head: 9 });
    }
  }

  /** The names of the lanes, at the left, over everything. */
  drawNames(context) {
    const { lanes, ink, chosen, recording } = this.app;
    const involved = chosen < 0 ? [] : [lanes.laneOf[recording.from[chosen]], lanes.laneOf[recording.to[chosen]]];
    context.save();
    context.beginPath();
    context.rect(0, AXIS, this.gutter, this.height - AXIS);
    context.clip();
    const [first, last] = this.lanesInView();
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (let at = first; at <= last; at++) {
      const lane = lanes.list[at], y = this.y(at);
      context.fillStyle = at % 2 === 0 ? ink.band : ink.paper;
      context.fillRect(0, y - 0.62 * this.pitch, this.gutter, this.pitch);
      const fold = lane.folded ? "▸ " : lane.heading ? "▾ " : "";
      const several = lane.actors.length > 1 ? ` ×${count(lane.actors.length)}` : "";
      context.font = `${involved.includes(at) ? "700 " : ""}12.5px system-ui, sans-serif`;
      context.fillStyle = ink.ink;
      context.fillText(shortened(context, fold + lane.label + several, this.gutter - 14), 8, y);
    }
    context.strokeStyle = ink.faint;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(this.gutter - 0.5, AXIS);
    context.lineTo(this.gutter - 0.5, this.height);
    context.stroke();
    context.restore();
  }

  drawAxis(context, { list, common }) {
    const { ink } = this.app;
    context.fillStyle = ink.paper;
    context.fillRect(0, 0, this.width, AXIS);
    context.strokeStyle = ink.faint;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, AXIS - 0.5);
    context.lineTo(this.width, AXIS - 0.5);
    for (const { place } of list) {
      const x = Math.round(this.x(place)) + 0.5;
      if (x < this.gutter) continue;
      context.moveTo(x, AXIS - 5);
      context.lineTo(x, AXIS);
    }
    context.stroke();
    context.font = "11.5px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillStyle = ink.muted;
    let free = this.gutter;
    for (const { place, label } of list) {
      const x = this.x(place) + 4, end = x + context.measureText(label).width;
      if (x < free || end > this.width) continue;
      context.fillText(label, x, AXIS / 2 - 1);
      free = end + 10;
    }
    context.fillStyle = ink.ink;
    context.font = "600 11.5px system-ui, sans-serif";
    if (common) context.fillText(shortened(context, common, this.gutter - 10), 8, AXIS / 2 - 1);
  }
}

function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  while (text.length > 1 && context.measureText(text + "…").width > width) text = text.slice(0, -1);
  return text + "…";
}

