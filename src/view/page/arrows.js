// Arrows, arcs and what stands beside them.

class Arrows {
  constructor(chart) {
    this.chart = chart;
    this.app = chart.app;
    /** What was drawn one by one, for the pointer. */
    this.drawn = [];
  }

  get width() { return this.chart.width; }
  get gutter() { return this.chart.gutter; }

  /** Where message `k` of the shown rows goes on the screen; null if a lane of it is not shown. */
  arrow(k) {
    const { chart, app: { rows, lanes, scale } } = this;
    const a = lanes.sender[k], b = lanes.listener[k];
    if (a < 0 || b < 0) return null;
    return { i: rows[k], x1: chart.x(scale.sentAt[k]), y1: chart.y(a), x2: chart.x(scale.receivedAt[k]), y2: chart.y(b), self: a === b };
  }

  /** The arrow of message `i`, if it is on the screen. */
  of(i) {
    const k = this.app.placeInRows(i);
    const arrow = k < 0 ? null : this.arrow(k);
    return arrow && arrow.x2 >= this.gutter - 20 && arrow.x1 <= this.width + 20 ? arrow : null;
  }

  /** Draws everything that is in view. */
  draw(context) {
    const { chart, app: { recording, ink, glow } } = this;
    const byKind = recording.kinds.map(() => []);
    for (let h = 0; h < chart.found; h++) {
      const arrow = this.arrow(chart.hits[h]);
      if (!arrow) continue;
      if (Math.max(arrow.y1, arrow.y2) < AXIS - 40 || Math.min(arrow.y1, arrow.y2) > chart.height + 40) continue;
      this.drawn.push(arrow);
      byKind[recording.kind[arrow.i]].push(arrow);
    }
    const crowd = this.drawn.length;
    const style = { width: crowd > 800 ? 0.8 : crowd > 200 ? 1 : 1.4, head: crowd > 800 ? 4 : crowd > 200 ? 5.5 : 7 };
    byKind.forEach((arrows, kind) => {
      const bright = glow ? arrows.filter(({ i }) => glow.has(i)) : arrows;
      const dim = glow ? arrows.filter(({ i }) => !glow.has(i)) : [];
      context.globalAlpha = 0.13;
      this.drawSome(context, dim, ink.kinds[kind], style);
      context.globalAlpha = crowd > 800 ? 0.75 : 0.95;
      this.drawSome(context, bright, ink.kinds[kind], glow ? { width: 1.8, head: 7 } : style);
    });
    context.globalAlpha = 1;
    this.drawLabels(context);
  }

  /** Arrows and arcs of one colour; what did not arrive is dashed and ends in a cross. */
  drawSome(context, arrows, colour, { width, head }) {
    if (arrows.length === 0) return;
    const { recording } = this.app;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = width;
    for (const arrived of [true, false]) {
      const some = arrows.filter(({ i }) => (recording.fate[i] === 0) === arrived);
      if (some.length === 0) continue;
      context.setLineDash(arrived ? [] : [5, 4]);
      context.beginPath();
      for (const arrow of some) this.trace(context, arrow);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      for (const arrow of some) if (arrived) this.head(context, arrow, head); else this.cross(context, arrow, head * 0.6);
      if (arrived) context.fill(); else { context.lineWidth = width + 0.6; context.stroke(); context.lineWidth = width; }
    }
  }

  /** The way of a message, cut where it leaves the screen: canvases lose precision far outside. */
  trace(context, { x1, y1, x2, y2, self }) {
    const left = -300, right = this.width + 300;
    if (self) {
      const begin = Math.max(left, x1), end = Math.min(right, x2), h = this.arcHeight(x2 - x1);
      context.moveTo(begin, y1);
      if (end - begin < 1.5) context.lineTo(end, y1 - 5);
      else context.bezierCurveTo(begin + Math.min(8, (end - begin) / 4), y1 - h * 1.33, end - Math.min(8, (end - begin) / 4), y1 - h * 1.33, end, y1);
      return;
    }
    const slope = (y2 - y1) / (x2 - x1 || 1e-9);
    const cut = (x, y) => x < left ? [left, y1 + (left - x1) * slope] : x > right ? [right, y1 + (right - x1) * slope] : [x, y];
    context.moveTo(...cut(x1, y1));
    context.lineTo(...cut(x2, y2));
  }

  /** A broad line under an arrow. */
  underline(context, arrow, colour) {
    context.strokeStyle = colour;
    context.lineWidth = 6;
    context.lineCap = "round";
    context.beginPath();
    this.trace(context, arrow);
    context.stroke();
    context.lineCap = "butt";
  }

  arcHeight(length) {
    return Math.min(this.chart.pitch * 0.55, 5 + Math.sqrt(Math.max(0, length)) * 0.9);
  }

  /** The direction in which a message arrives. */
  arrival({ x1, y1, x2, y2, self }) {
    if (self) return Math.PI / 2 - (x2 - x1 < 3 ? 0 : 0.25);
    return Math.atan2(y2 - y1, x2 - x1);
  }

  head(context, arrow, size) {
    const { x2, y2 } = arrow;
    if (x2 < -10 || x2 > this.width + 10) return;
    const angle = this.arrival(arrow), half = 0.36, length = arrow.self ? size * 0.75 : size;
    context.moveTo(x2, y2);
    context.lineTo(x2 - length * Math.cos(angle - half), y2 - length * Math.sin(angle - half));
    context.lineTo(x2 - length * Math.cos(angle + half), y2 - length * Math.sin(angle + half));
    context.closePath();
  }

  cross(context, { x2, y2 }, size) {
    context.moveTo(x2 - size, y2 - size);
    context.lineTo(x2 + size, y2 + size);
    context.moveTo(x2 - size, y2 + size);
    context.lineTo(x2 + size, y2 - size);
  }

  /** What arrows say, along them, where there is room. */
  drawLabels(context) {
    const { recording, ink, glow } = this.app;
    const wanted = glow ? this.drawn.filter(({ i }) => glow.has(i)) : this.drawn;
    if (wanted.length > 120) return;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const taken = [];
    for (const { i, x1, y1, x2, y2, self } of wanted) {
      const kind = recording.kind[i];
      const text = recording.kinds[kind].replaceAll("_", " ");
      const width = context.measureText(text).width + 8;
      const left = Math.max(this.gutter, Math.min(x1, x2)), right = Math.min(this.width, Math.max(x1, x2));
      const room = self ? right - left : Math.hypot(right - left, (y2 - y1) * (right - left) / (Math.abs(x2 - x1) || 1));
      const steep = !self && Math.abs(x2 - x1) < 1;
      if ((steep ? Math.abs(y2 - y1) : room) < width + 14) continue;
      const middle = steep ? 0.5 : ((left + right) / 2 - x1) / (x2 - x1);
      const x = x1 + middle * (x2 - x1), y = self ? y1 - this.arcHeight(x2 - x1) - 3 : y1 + middle * (y2 - y1);
      let angle = self ? 0 : Math.atan2(y2 - y1, x2 - x1);
      if (angle > Math.PI / 2 || angle < -Math.PI / 2) angle += Math.PI;
      const spread = [Math.abs(Math.cos(angle)) * width / 2 + 6, Math.abs(Math.sin(angle)) * width / 2 + 7];
      const box = [x - spread[0], y - spread[1], x + spread[0], y + spread[1]];
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      context.save();
      context.translate(x, y);
      context.rotate(angle);
      context.lineWidth = 3.5;
      context.lineJoin = "round";
      context.strokeStyle = ink.paper;
      context.strokeText(text, 0, self ? 0 : -4);
      context.fillStyle = ink.kinds[kind];
      context.fillText(text, 0, self ? 0 : -4);
      context.restore();
    }
  }

  /** The message whose arrow is nearest to the point, within some pixels; -1 if there is none. */
  nearest(x, y) {
    let best = -1, least = 7;
    for (const { i, x1, y1, x2, y2, self } of this.drawn) {
      const distance = self ? this.distanceToArc(x, y, x1, y1, x2) : distanceToLine(x, y, x1, y1, x2, y2);
      if (distance < least) { least = distance; best = i; }
    }
    return best;
  }

  distanceToArc(x, y, x1, y1, x2) {
    if (x < x1 - 5 || x > x2 + 5 || y > y1 + 5) return Infinity;
    const h = this.arcHeight(x2 - x1), begin = Math.max(-300, x1), end = Math.min(this.width + 300, x2);
    const part = Math.min(1, Math.max(0, (x - begin) / (end - begin || 1)));
    // The curve is flat in the middle and steep at its ends.
    const height = h * Math.sqrt(Math.max(0, 1 - (2 * part - 1) ** 4));
    return Math.min(Math.abs(y1 - height - y), Math.hypot(x - x1, y - y1), Math.hypot(x - x2, y - y1));
  }
}

function distanceToLine(x, y, x1, y1, x2, y2) {
  const dx = x2 - x1, dy = y2 - y1, square = dx * dx + dy * dy;
  const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / square));
  return Math.hypot(x - x1 - part * dx, y - y1 - part * dy);
}
