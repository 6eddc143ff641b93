// From time to place and back. Everything is drawn by place; one unit of it means whatever the axis says.

/** Silences on a compressed axis: this long is one unit, and each doubling beyond adds about one. */
const SHORT_SILENCE = MILLISECOND;

/**
 * An axis over the rows that are shown. `sentAt` and `receivedAt` hold the places of all shown rows,
 * in the order of `rows`.
 */
class TimeScale {
  constructor(kind, recording, rows) {
    this.kind = kind;
    const { sent, received } = recording;
    if (kind === "linear") {
      this.times = null;
    } else {
      this.times = instants(recording, rows);
      this.places = new Float64Array(this.times.length);
      for (let k = 1; k < this.times.length; k++) {
        const silence = this.times[k] - this.times[k - 1];
        this.places[k] = this.places[k - 1] + (kind === "events" ? 1 : Math.log2(1 + silence / SHORT_SILENCE));
      }
    }
    this.sentAt = new Float64Array(rows.length);
    this.receivedAt = new Float64Array(rows.length);
    for (let k = 0; k < rows.length; k++) {
      this.sentAt[k] = this.placeOf(sent[rows[k]]);
      this.receivedAt[k] = this.placeOf(received[rows[k]]);
    }
    this.first = this.placeOf(recording.begin);
    this.last = Math.max(this.placeOf(recording.end), this.first + 1e-9);
    if (this.times && this.times.length > 1) {
      this.first = this.places[0];
      this.last = this.places[this.places.length - 1];
    }
    // How closely one may look: a microsecond on a linear axis, a fifth of an event on others.
    this.closest = kind === "linear" ? 1e3 : 0.2;
    this.blocks = latestOf(this.receivedAt);
  }

  placeOf(time) {
    const { times, places } = this;
    if (!times) return time;
    const last = times.length - 1;
    if (last < 0) return 0;
    if (time <= times[0]) return this.beyond(times[0] - time, -1);
    if (time >= times[last]) return places[last] + this.beyond(time - times[last], 1);
    const k = lowerBound(times, time);
    if (times[k] === time) return places[k];
    const part = (time - times[k - 1]) / (times[k] - times[k - 1]);
    return places[k - 1] + part * (places[k] - places[k - 1]);
  }

  /** Before the first event and after the last, a day is one unit. */
  beyond(distance, sign) {
    return sign * distance / DAY;
  }

  timeOf(place) {
    const { times, places } = this;
    if (!times) return place;
    const last = times.length - 1;
    if (last < 0) return 0;
    if (place <= places[0]) return times[0] + (place - places[0]) * DAY;
    if (place >= places[last]) return times[last] + (place - places[last]) * DAY;
    const k = lowerBound(places, place);
    if (places[k] === place) return times[k];
    const part = (place - places[k - 1]) / (places[k] - places[k - 1]);
    return times[k - 1] + part * (times[k] - times[k - 1]);
  }

  /** The places in `rows` of messages sent from `from` until `until`: the first, and one past the last. */
  begun(from, until) {
    return [lowerBound(this.sentAt, from), lowerBound(this.sentAt, until)];
  }

  /**
   * Calls `visit` with the places before `begin` of messages that are still on their way at `from`.
   * Blocks in which everything has arrived are skipped.
   */
  underway(from, begin, visit) {
    const { receivedAt, blocks } = this;
    for (let block = 0; block * BLOCK < begin; block++) {
      if (blocks[block] < from) continue;
      const stop = Math.min((block + 1) * BLOCK, begin);
      for (let k = block * BLOCK; k < stop; k++) if (receivedAt[k] >= from) visit(k);
    }
  }
}

/** All instants at which a shown message is sent or received, ascending, each once. */
function instants(recording, rows) {
  const all = new Float64Array(rows.length * 2);
  for (let k = 0; k < rows.length; k++) {
    all[2 * k] = recording.sent[rows[k]];
    all[2 * k + 1] = Math.min(recording.received[rows[k]], Math.max(recording.end, recording.sent[rows[k]]));
  }
  all.sort();
  let kept = 0;
  for (let k = 0; k < all.length; k++) if (k === 0 || all[k] !== all[kept - 1]) all[kept++] = all[k];
  return all.slice(0, kept);
}

const BLOCK = 256;

/** The latest value in each block of a list. */
function latestOf(list) {
  const latest = new Float64Array(Math.ceil(list.length / BLOCK)).fill(-Infinity);
  for (let k = 0; k < list.length; k++) {
    const block = k >> 8;
    if (list[k] > latest[block]) latest[block] = list[k];
  }
  return latest;
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const CLOCK_STEPS = [
  ...STEPS, ...STEPS.map((step) => step * 1e3), ...STEPS.map((step) => step * 1e6),
  ...[1, 2, 5, 10, 15, 30].map((s) => s * SECOND), ...[1, 2, 5, 10, 15, 30].map((m) => m * MINUTE),
  ...[1, 2, 3, 6, 12].map((h) => h * HOUR), ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((d) => d * DAY),
];

/**
 * Marks for the places from `from` to `until` on `width` pixels: where, what, and a common beginning
 * that need not stand at every mark.
 */
function marks(scale, from, until, width) {
  const perPixel = (until - from) / width;
  if (scale.kind !== "linear") {
    const gap = 130, list = [];
    const first = Math.ceil(from / (gap * perPixel)) * gap * perPixel;
    for (let place = first; place < until; place += gap * perPixel) {
      const around = Math.abs(scale.timeOf(place + gap * perPixel / 2) - scale.timeOf(place - gap * perPixel / 2));
      list.push({ place, label: instant(scale.timeOf(place), Math.max(1, around / 20)) });
    }
    return { list, common: "" };
  }
  const step = CLOCK_STEPS.find((size) => size / perPixel >= 105) ?? CLOCK_STEPS.at(-1);
  const common = step < SECOND ? Math.floor(from / SECOND) * SECOND : null;
  const list = [];
  for (let k = Math.ceil(from / step); k * step < until; k++) {
    const time = k * step;
    list.push({ place: time, label: common == null ? instant(time, step) : "+" + span12(time - common, step) });
  }
  return { list, common: common == null ? "" : instant(common, SECOND) };
}

/** A span less than some seconds, with as many digits as marks `step` apart need. */
function span12(ns, step) {
  const [unit, worth] = step >= MILLISECOND ? ["ms", MILLISECOND] : step >= MICROSECOND ? ["µs", MICROSECOND] : ["ns", 1];
  return `${count(Math.round(ns / worth))} ${unit}`;
}
