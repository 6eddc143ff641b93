// Who has a lane, and in which order?

/** A class with more talking members than this is one lane until somebody unfolds it. */
const FOLD_ABOVE = 12;

/**
 * The lanes for the rows that are shown. `open` says for classes by name whether they are unfolded;
 * `order` is "short" or "name"; `quiet` keeps those who say nothing. Lanes of `before`, if there are
 * some, keep their order, and their classes stay folded.
 */
class Lanes {
  constructor(recording, rows, { open, order, quiet }, before = null) {
    const { actors, classes, classOf, from, to } = recording;
    this.recording = recording;
    const talks = new Int32Array(actors.length);
    for (const i of rows) {
      talks[from[i]]++;
      if (to[i] !== from[i]) talks[to[i]]++;
    }
    const members = classes.map(() => []);
    for (let actor = 0; actor < actors.length; actor++)
      if (quiet || talks[actor] > 0) members[classOf[actor]].push(actor);
    const lanes = [];
    this.headings = [];
    classes.forEach((name, cls) => {
      const group = members[cls];
      const foldable = group.length > FOLD_ABOVE;
      const was = before?.list.some((lane) => lane.folded && lane.label === name);
      const unfolded = open.get(name) ?? !(foldable || was);
      if (group.length > (was ? 0 : 1) && !unfolded) {
        lanes.push({ label: name, cls, actors: group, folded: true });
      } else {
        if (foldable) this.headings.push({ label: name, cls, actors: group, heading: true });
        for (const actor of group) lanes.push({ label: actors[actor], cls, actors: [actor] });
      }
    });
    this.laneOf = new Int32Array(actors.length).fill(-1);
    const place = () => lanes.forEach((lane, at) => lane.actors.forEach((actor) => { this.laneOf[actor] = at; }));
    place();
    for (const lane of lanes) lane.messages = lane.actors.reduce((sum, actor) => sum + talks[actor], 0);
    if (order === "short" && lanes.length > 2) {
      const places = before && new Map(before.list.map((lane, at) => [lane.label, at]));
      if (places && lanes.every(({ label }) => places.has(label))) {
        lanes.sort((a, b) => places.get(a.label) - places.get(b.label));
      } else {
        const arranged = arrange(lanes.length, this.conversations(rows));
        lanes.splice(0, lanes.length, ...arranged.map((at) => lanes[at]));
      }
    }
    this.list = [...this.headings, ...lanes];
    this.list.forEach((lane, at) => { if (!lane.heading) lane.actors.forEach((actor) => { this.laneOf[actor] = at; }); });
    // By place in `rows`, for loops over all that is in view.
    this.sender = Int32Array.from(rows, (i) => this.laneOf[from[i]]);
    this.listener = Int32Array.from(rows, (i) => this.laneOf[to[i]]);
  }

  /** How many messages pass between each pair of lanes: [lane, lane, messages], each pair once. */
  conversations(rows) {
    const { from, to } = this.recording;
    const weights = new Map();
    const { laneOf } = this;
    const width = this.laneOf.length + 1;
    for (const i of rows) {
      const a = laneOf[from[i]], b = laneOf[to[i]];
      if (a === b) continue;
      const pair = a < b ? a * width + b : b * width + a;
      weights.set(pair, (weights.get(pair) ?? 0) + 1);
    }
    return [...weights].map(([pair, weight]) => [Math.floor(pair / width), pair % width, weight]);
  }
}

/** With so few lanes, each is also tried in every other place. */
const FEW_LANES = 40;

/**
 * An order of `count` lanes in which arrows are short: each goes to the mean place of those it talks
 * with (the barycentre heuristic of Sugiyama, Tagawa and Toda, 1981), again and again; the best order
 * seen is kept, and with few lanes improved by moving one at a time.
 */
function arrange(count, pairs) {
  const talksWith = Array.from({ length: count }, () => []);
  for (const [a, b, weight] of pairs) {
    talksWith[a].push([b, weight]);
    talksWith[b].push([a, weight]);
  }
  let order = Array.from({ length: count }, (_, lane) => lane);
  const placeOf = new Int32Array(count);
  const cost = (order) => {
    order.forEach((lane, place) => { placeOf[lane] = place; });
    return pairs.reduce((sum, [a, b, weight]) => sum + weight * Math.abs(placeOf[a] - placeOf[b]), 0);
  };
  let best = order.slice(), least = cost(order);
  for (let round = 0; round < 24; round++) {
    order.forEach((lane, place) => { placeOf[lane] = place; });
    const wish = talksWith.map((others, lane) => {
      let sum = 0, weights = 0;
      for (const [other, weight] of others) { sum += weight * placeOf[other]; weights += weight; }
      // Half of it stays where it is: otherwise two lanes may change places for ever.
      return weights ? 0.5 * placeOf[lane] + 0.5 * sum / weights : placeOf[lane];
    });
    order = order.slice().sort((a, b) => wish[a] - wish[b] || a - b);
    const now = cost(order);
    if (now < least) { least = now; best = order.slice(); }
  }
  if (count <= FEW_LANES) ({ best, least } = improve(best, least, cost));
  // Of an order and its reverse, the one with the first actors on top.
  const middle = best.indexOf(0);
  return middle * 2 > count - 1 ? best.reverse() : best;
}

function improve(best, least, cost) {
  for (let better = true, round = 0; better && round < 10; round++) {
    better = false;
    for (const lane of best.slice()) {
      const others = best.filter((other) => other !== lane);
      for (let place = 0; place <= others.length; place++) {
        const tried = [...others.slice(0, place), lane, ...others.slice(place)];
        const now = cost(tried);
        if (now < least) { least = now; best = tried; better = true; }
      }
    }
  }
  return { best, least };
}
