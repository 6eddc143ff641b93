// A trace that is too large for a page: the server sends what is on screen.

/** Asks for the part of the trace that is on screen, and for its surroundings. */
class Served {
  constructor(app) {
    this.app = app;
    this.from = this.until = null;
    this.filter = "";
    this.asking = 0;
    this.timer = 0;
    /** A message to be chosen as soon as it is here. */
    this.awaited = null;
  }

  /** The filters of the page in the language of the server. */
  wanted() {
    const { filter, recording } = this.app;
    const conditions = [];
    if (recording && filter.hidden.size > 0) conditions.push(`kinds=${recording.kinds.filter((kind) => !filter.hidden.has(kind)).join(",")}`);
    if (filter.actor.trim()) conditions.push(`with=${filter.actor.trim()}`);
    const job = /^\s*(\d+)/.exec(filter.job);
    if (job) conditions.push(`jobs=${job[1]}`);
    return conditions.join("; ");
  }

  /** Called when something was drawn: asks for more if what is on screen is not all here. */
  look() {
    const { app } = this;
    if (!app.scale || app.scale.kind !== "linear") return;
    const from = Math.max(app.view.from, app.recording.begin), until = Math.min(app.view.until, app.recording.end);
    const filter = this.wanted();
    const inside = this.from == null || (from >= this.from && until <= this.until);
    const finer = app.recording.oneOf > 1 && until - from < (Math.min(this.until ?? Infinity, app.recording.end) - Math.max(this.from ?? 0, app.recording.begin)) / 3;
    if (inside && !finer && filter === this.filter) return;
    clearTimeout(this.timer);
    const width = until - from;
    this.timer = setTimeout(() => this.ask(Math.max(0, Math.floor(from - width)), Math.ceil(until + width), filter), 120);
  }

  async ask(from, until, filter) {
    const number = ++this.asking;
    const words = new URLSearchParams(from == null ? {} : { from, until });
    if (filter) words.set("filter", filter);
    const token = new URLSearchParams(location.search).get("token");
    if (token) words.set("token", token);
    byId("counts").textContent = "reading …";
    const answer = await fetch(`part?${words}`);
    // Only the last question matters.
    if (number !== this.asking) return null;
    Object.assign(this, { from, until, filter });
    if (!answer.ok) {
      const note = byId("note");
      note.hidden = false;
      note.textContent = await answer.text();
      return null;
    }
    const recording = unpack(await answer.arrayBuffer());
    if (this.app.recording) this.app.replace(recording);
    if (this.awaited) {
      const row = this.app.links.rowOf(this.awaited);
      this.awaited = null;
      if (row >= 0) this.app.choose(row, true);
    }
    return recording;
  }

  /** Goes to a message that is not here, of which it is known when it is received or sent. */
  await(name, time) {
    this.awaited = name;
    const { view, scale } = this.app;
    const half = (view.until - view.from) / 2, place = scale.placeOf(time);
    this.ask(Math.max(0, Math.floor(time - 3 * half)), Math.ceil(time + 3 * half), this.wanted());
    this.app.show(place - half, place + half);
  }
}
