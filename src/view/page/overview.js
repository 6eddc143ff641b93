// The strip above: all that is shown, over all time, and where the view is in it.

class Overview {
  constructor(canvas, app) {
    this.canvas = canvas;
    this.app = app;
    this.picture = null;
  }

  get margin() { return this.app.chart.gutter; }
  x(place) {
    const { first, last } = this.app.scale;
    return this.margin + (place - first) / (last - first) * this.plot;
  }
  placeAt(x) {
    const { first, last } = this.app.scale;
    return first + (x - this.margin) / this.plot * (last - first);
  }
  get plot() { return Math.max(1, this.width - this.margin - 4); }

  /** Forgets the picture: what is shown, the axis or the colours have changed. */
  outdated() { this.picture = null; }

  draw() {
    const ratio = this.app.chart.ratio;
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth !== this.width || clientHeight !== this.height || !this.picture) {
      Object.assign(this, { width: clientWidth, height: clientHeight });
      this.canvas.width = Math.round(clientWidth * ratio);
      this.canvas.height = Math.round(clientHeight * ratio);
      this.paint(ratio);
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { view, ink } = this.app;
    const left = Math.max(this.margin, this.x(view.from)), right = Math.min(this.width - 4, this.x(view.until));
    context.fillStyle = ink.paper;
    context.globalAlpha = 0.62;
    context.fillRect(this.margin, 0, Math.max(0, left - this.margin), this.height);
    context.fillRect(right, 0, Math.max(0, this.width - right), this.height);
    context.globalAlpha = 1;
    context.strokeStyle = ink.accent;
    context.lineWidth = 1.5;
    context.strokeRect(left, 1, Math.max(2, right - left), this.height - 2);
  }

  /** How many messages are sent when: the shown ones before all others. */
  paint(ratio) {
    const { ink, scale, recording, rows } = this.app;
    this.picture = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const context = this.picture.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = ink.panel;
    context.fillRect(0, 0, this.width, this.height);
    const bins = Math.max(1, Math.floor(this.plot / 2));
    const binOf = (place) => Math.floor((place - scale.first) / (scale.last - scale.first) * bins);
    const histogram = (places) => {
      const numbers = new Uint32Array(bins);
      for (const place of places) {
        const bin = Math.min(bins - 1, binOf(place));
        if (bin >= 0) numbers[bin]++;
      }
      return numbers;
    };
    const shown = histogram(scale.sentAt);
    const linear = scale.kind === "linear";
    let all = linear && rows.length < recording.n ? histogram(recording.sent) : shown;
    if (linear && recording.overview.length > 0)
      all = Float64Array.from({ length: bins }, (_, bin) => recording.overview[Math.floor(bin * recording.overview.length / bins)] * recording.overview.length / bins);
    const most = Math.max(1, all.reduce((a, b) => Math.max(a, b), 0));
    // The root shows a lonely message beside a thousand.
    const bar = (number) => number === 0 ? 0 : Math.max(1.5, (this.height - 8) * Math.sqrt(number / most));
    for (const [numbers, colour] of all === shown ? [[shown, ink.accent]] : [[all, ink.lane], [shown, ink.accent]]) {
      context.fillStyle = colour;
      numbers.forEach((number, bin) => context.fillRect(this.margin + bin * 2, this.height - bar(number), 2, bar(number)));
    }
    context.fillStyle = ink.muted;
    context.font = "11.5px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillText(shortened(context, "messages over time", this.margin - 12), 8, this.height / 2);
  }
}
