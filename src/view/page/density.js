// Too many messages for arrows: how busy is each lane, and who talks to whom, column by column?
//
// Everything is counted once for a tile of some columns, which moves with the view, so that panning
// costs no more with a million messages than with a thousand.

/** The width in pixels of a cell of activity, of a column of bundles, and of a tile. */
const CELL = 3, COLUMN = 12, TILE = 96;
/** The most upright lines, and the most slanted ones, that are drawn at once. */
const MOST_LINES = 3000, MOST_LONG = 700;

/** A number from 0 to 2^20 that looks random and belongs to `i` for ever. */
const scattered = (i) => Math.imul(i + 1, 0x9e3779b1) >>> 12;

class Density {
  constructor(chart) {
    this.chart = chart;
    this.app = chart.app;
    this.tiles = new Map();
  }

  /** The tiles of the present view; those of another zoom or other lanes are forgotten. */
  inView() {
    const { scale, lanes, view } = this.app;
    const { zoom } = this.chart;
    // Panning changes the zoom by rounding alone; one part in a million is not seen.
    const same = this.scale === scale && this.lanes === lanes && Math.abs(zoom / this.zoom - 1) < 1e-6;
    if (!same || this.tiles.size > 400) {
      this.tiles.clear();
      Object.assign(this, { scale, lanes, zoom });
    }
    const tiles = [];
    for (let number = Math.floor(view.from * this.zoom / TILE); number * TILE < view.until * this.zoom; number++) {
      if (!this.tiles.has(number)) this.tiles.set(number, this.count(number));
      tiles.push(this.tiles.get(number));
    }
    return tiles;
  }

  /** Counts what is sent and received in a tile. */
  count(number) {
    const { scale, lanes, zoom } = this;
    const { rows, recording } = this.app;
    const { sentAt, receivedAt } = scale;
    const { sender, listener } = lanes;
    const from = number * TILE / zoom, until = (number + 1) * TILE / zoom;
    const cells = TILE / CELL;
    const tile = { from, activity: new Uint32Array(lanes.list.length * cells), most: 0, bundles: new Map(), long: [] };
    const { activity, bundles } = tile;
    const add = (lane, place) => {
      const cell = Math.min(cells - 1, Math.floor((place - from) * zoom / CELL));
      const many = ++activity[lane * cells + cell];
      if (many > tile.most) tile.most = many;
    };
    const hear = (k) => {
      const a = sender[k], b = listener[k];
      if (a < 0 || b < 0 || a === b) return;
      add(b, receivedAt[k]);
      if ((receivedAt[k] - sentAt[k]) * zoom > COLUMN) return;
      const column = Math.floor((receivedAt[k] - from) * zoom / COLUMN);
      const kind = recording.kind[rows[k]], lot = scattered(rows[k]);
      const key = ((column * lanes.list.length + a) * lanes.list.length + b) * recording.kinds.length + kind;
      const bundle = bundles.get(key);
      if (!bundle) {
        bundles.set(key, { a, b, kind, number: 1, lot, k });
      } else {
        bundle.number++;
        // One of a bundle stands for it, by lot but always the same: the first would make a regular fence.
        if (lot < bundle.lot) { bundle.lot = lot; bundle.k = k; }
      }
    };
    const [begin, end] = scale.begun(from, until);
    for (let k = begin; k < end; k++) {
      if (sender[k] < 0 || listener[k] < 0) continue;
      add(sender[k], sentAt[k]);
      if (receivedAt[k] < until) hear(k);
      if (sender[k] !== listener[k] && (receivedAt[k] - sentAt[k]) * zoom > COLUMN) tile.long.push(k);
    }
    scale.underway(from, begin, (k) => { if (receivedAt[k] < until) hear(k); });
    tile.bundles = [...bundles.values()];
    return tile;
  }

  draw(context, arrows) {
    const tiles = this.inView();
    const [first, last] = this.chart.lanesInView();
    this.drawActivity(context, tiles, first, last);
    this.drawBundles(context, arrows, tiles, first, last);
    this.drawLong(context, arrows, tiles);
    context.globalAlpha = 1;
  }

  drawActivity(context, tiles, first, last) {
    const { chart, app: { ink } } = this;
    const most = tiles.reduce((most, tile) => Math.max(most, tile.most), 1);
    const height = chart.pitch * 0.42, full = Math.log1p(most), cells = TILE / CELL;
    context.fillStyle = ink.muted;
    context.globalAlpha = 0.5;
    for (const { from, activity } of tiles) {
      const left = chart.x(from);
      for (let lane = first; lane <= last; lane++) {
        const y = chart.y(lane) - STRIP / 2;
        for (let cell = 0; cell < cells; cell++) {
          const number = activity[lane * cells + cell];
          if (number === 0) continue;
          const bar = Math.max(1, height * Math.log1p(number) / full);
          context.fillRect(left + cell * CELL, y - bar, CELL, bar);
        }
      }
    }
  }

  /** Upright lines, each where one message of its bundle arrives; the larger a bundle, the darker. */
  drawBundles(context, arrows, tiles, first, last) {
    const { chart, app: { ink, scale, recording } } = this;
    const seen = ({ a, b }) => Math.max(a, b) >= first && Math.min(a, b) <= last;
    let bundles = tiles.flatMap((tile) => tile.bundles.filter(seen));
    // By lot, so that the same ones stay while the view moves.
    for (let limit = 1 << 19; bundles.length > MOST_LINES; limit >>= 1) bundles = bundles.filter(({ lot }) => lot < limit);
    const full = Math.log1p(bundles.reduce((most, { number }) => Math.max(most, number), 1));
    const levels = 8, groups = new Map();
    for (const bundle of bundles) {
      const level = Math.ceil(levels * Math.log1p(bundle.number) / full);
      const key = bundle.kind * (levels + 1) + level;
      if (!groups.has(key)) groups.set(key, []);
      const x = chart.x(scale.receivedAt[bundle.k]);
      groups.get(key).push({ x1: x, y1: chart.y(bundle.a), x2: x, y2: chart.y(bundle.b), self: false });
    }
    for (let kind = 0; kind < recording.kinds.length; kind++)
      for (let level = 0; level <= levels; level++) {
        const lines = groups.get(kind * (levels + 1) + level);
        if (!lines) continue;
        context.globalAlpha = 0.18 + 0.72 * level / levels;
        context.strokeStyle = context.fillStyle = ink.kinds[kind];
        context.lineWidth = 0.6 + 1.6 * level / levels;
        context.beginPath();
        for (const line of lines) arrows.trace(context, line);
        context.stroke();
        context.beginPath();
        for (const line of lines) arrows.head(context, line, 4.5);
        context.fill();
      }
  }

  /** Of those that are long on their way, some. */
  drawLong(context, arrows, tiles) {
    const { app: { rows, recording, ink, scale, view } } = this;
    let long = tiles.flatMap((tile) => tile.long);
    const [begin] = scale.begun(tiles[0].from, view.until);
    scale.underway(tiles[0].from, begin, (k) => {
      if (this.lanes.sender[k] !== this.lanes.listener[k] && (scale.receivedAt[k] - scale.sentAt[k]) * this.zoom > COLUMN) long.push(k);
    });
    for (let limit = 1 << 19; long.length > MOST_LONG; limit >>= 1) long = long.filter((k) => scattered(rows[k]) < limit);
    const byKind = recording.kinds.map(() => []);
    for (const k of long) {
      const arrow = arrows.arrow(k);
      if (arrow) byKind[recording.kind[arrow.i]].push(arrow);
    }
    context.globalAlpha = 0.45;
    byKind.forEach((some, kind) => {
      arrows.drawSome(context, some, ink.kinds[kind], { width: 0.8, head: 4 });
      arrows.drawn.push(...some);
    });
  }
}
