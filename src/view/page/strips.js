// What was everybody doing?

/** The colours of states by what they are called; others take the colours of kinds. */
const STATE_COLOURS = new Set(["off", "idle", "downloading", "computing", "waiting", "uploading"]);
const stateVariable = (name, place) => STATE_COLOURS.has(name) ? `--${name}` : `--k${(place + 4) % 12}`;

/** The intervals of states, by actor and for whole classes. */
class Strips {
  constructor(recording) {
    this.recording = recording;
    const { who, actors } = recording;
    this.begins = new Int32Array(actors.length + 1);
    for (let actor = 0, k = 0; actor <= actors.length; actor++) {
      while (k < who.length && who[k] < actor) k++;
      this.begins[actor] = k;
    }
    this.totals = new Map();
  }

  /** The intervals of an actor that overlap the times from `from` to `until`: first and last + 1. */
  of(actor, from, until) {
    const { stateBegin, stateEnd } = this.recording;
    const first = lowerBound(stateEnd, from, this.begins[actor], this.begins[actor + 1]);
    return [first, lowerBound(stateBegin, until, first, this.begins[actor + 1])];
  }

  /** The state of an actor at `time`, or -1. */
  at(actor, time) {
    const { stateBegin, stateEnd, state } = this.recording;
    const next = lowerBound(stateBegin, time + 0.5, this.begins[actor], this.begins[actor + 1]);
    const k = next - 1;
    return k >= this.begins[actor] && stateEnd[k] > time ? state[k] : -1;
  }

  /** How many of a lane's actors are in each state at `time`. */
  countsAt(lane, time) {
    const totals = this.totalsOf(lane);
    return totals.map(({ begins, ends }) => lowerBound(begins, time + 0.5) - lowerBound(ends, time + 0.5));
  }

  /** For each state, when actors of the lane begin and end to be in it. */
  totalsOf(lane) {
    const key = `${lane.cls}:${lane.actors.length}`;
    if (this.totals.has(key)) return this.totals.get(key);
    const { states, state, stateBegin, stateEnd } = this.recording;
    const lists = states.map(() => ({ begins: [], ends: [] }));
    for (const actor of lane.actors)
      for (let k = this.begins[actor]; k < this.begins[actor + 1]; k++) {
        lists[state[k]].begins.push(stateBegin[k]);
        lists[state[k]].ends.push(stateEnd[k]);
      }
    const totals = lists.map(({ begins, ends }) => ({
      begins: Float64Array.from(begins).sort(),
      ends: Float64Array.from(ends).sort(),
    }));
    this.totals.set(key, totals);
    return totals;
  }
}
