// What follows from what: causes, consequences, and all messages of a job.

/** Indexes over a recording: rows by their cause, and rows by job. */
class Links {
  constructor(recording) {
    this.recording = recording;
    const { n, cause } = recording;
    const sizes = new Int32Array(n);
    for (let i = 0; i < n; i++) if (cause[i] >= 0) sizes[cause[i]]++;
    this.begins = sums(sizes);
    this.effects = new Int32Array(this.begins[n]);
    const next = this.begins.slice(0, n);
    for (let i = 0; i < n; i++) if (cause[i] >= 0) this.effects[next[cause[i]]++] = i;
    this.unrecorded = new Map();
    let at = 0;
    for (let i = 0; i < n; i++) if (cause[i] === -2) {
      this.unrecorded.set(i, `${recording.unrecordedSender[at]}:${recording.unrecordedCount[at]}`);
      at++;
    }
    this.byJob = null;
  }

  /** The rows that the handling of row `i` sent. */
  consequences(i) {
    return this.effects.subarray(this.begins[i], this.begins[i + 1]);
  }

  /** The causes of row `i`, the nearest first, at most `most`. */
  causes(i, most = Infinity) {
    const chain = [];
    for (let at = this.recording.cause[i]; at >= 0 && chain.length < most; at = this.recording.cause[at]) chain.push(at);
    return chain;
  }

  /** Row `i`, its causes and everything that follows from it within `depth` steps and `most` rows. */
  neighbourhood(i, depth = 4, most = 400) {
    const rows = new Set([i, ...this.causes(i, most)]);
    let front = [i];
    for (let step = 0; step < depth && rows.size < most; step++) {
      const next = [];
      for (const row of front)
        for (const effect of this.consequences(row))
          if (!rows.has(effect) && rows.size < most) { rows.add(effect); next.push(effect); }
      front = next;
    }
    return rows;
  }

  /** The rows that concern a job, or one instance of it, as they were sent. */
  ofJob(job, instance = null) {
    this.byJob ??= this.indexJobs();
    const { order, jobs } = this.byJob;
    const { recording } = this;
    const rows = [];
    for (let k = lowerBound(jobs, job); k < jobs.length && jobs[k] === job; k++) {
      const place = order[k];
      const wanted = instance == null || recording.instance[place] === instance + 1 || recording.instance[place] === 0;
      if (wanted) rows.push(this.rowOfSubject[place]);
    }
    return [...new Set(rows)].sort((a, b) => a - b);
  }

  indexJobs() {
    const { n, subjects, job } = this.recording;
    this.rowOfSubject = new Int32Array(job.length);
    for (let i = 0; i < n; i++) this.rowOfSubject.fill(i, subjects[i], subjects[i + 1]);
    const order = new Int32Array(job.length).map((_, k) => k).sort((a, b) => job[a] - job[b] || a - b);
    return { order, jobs: Float64Array.from(order, (k) => job[k]) };
  }

  /** The row of the message with this name, or -1. */
  rowOf(name) {
    const { numbers, from, count: counts } = this.recording;
    const [number, sent] = name.split(":").map(Number);
    const actor = numbers.indexOf(number);
    return from.findIndex((sender, i) => sender === actor && counts[i] === sent);
  }
}
