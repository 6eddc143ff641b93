// Which messages are shown?

/** What is asked for; empty words ask for everything. */
const noFilter = () => ({ hidden: new Set(), actor: "", job: "", text: "", timers: true });

/** The rows that pass, ascending; `wrong` names the fields that could not be understood. */
function passing(recording, links, filter) {
  const wrong = [];
  const { n, kind, from, to } = recording;
  const kinds = Uint8Array.from(recording.kinds, (name) => filter.hidden.has(name) ? 0 : 1);
  const actors = filter.actor.trim() ? chosenActors(recording, filter.actor, wrong) : null;
  const job = filter.job.trim() ? chosenJob(recording, links, filter.job, wrong) : null;
  const words = chosenWords(recording, filter.text);
  const rows = new Int32Array(job ? job.length : n);
  let found = 0;
  for (let k = 0; k < rows.length; k++) {
    const i = job ? job[k] : k;
    if (!kinds[kind[i]] || (!filter.timers && from[i] === to[i])) continue;
    if (actors && !actors[from[i]] && !actors[to[i]]) continue;
    if (!words.every((has) => has(i))) continue;
    rows[found++] = i;
  }
  return { rows: rows.slice(0, found), wrong };
}

/** Actors by name, as "scheduler, host[3], host[0..20]": one flag per actor. The end is not included. */
function chosenActors(recording, text, wrong) {
  const chosen = new Uint8Array(recording.actors.length);
  for (const part of text.split(",").map((part) => part.trim()).filter(Boolean)) {
    const range = /^(.+)\[(\d+)\.\.(=?)(\d+)\]$/.exec(part);
    let any = false;
    recording.actors.forEach((name, actor) => {
      let fits = name === part || recording.classes[recording.classOf[actor]] === part || name.startsWith(part + "[");
      if (range) {
        const member = /^(.+)\[(\d+)\]$/.exec(name);
        const last = Number(range[4]) + (range[3] ? 1 : 0);
        fits = member !== null && member[1] === range[1] && Number(member[2]) >= Number(range[2]) && Number(member[2]) < last;
      }
      if (fits) { chosen[actor] = 1; any = true; }
    });
    if (!any) wrong.push("actor");
  }
  return chosen;
}

/** The rows of a job, as "17", or of an instance, as "17_2". */
function chosenJob(recording, links, text, wrong) {
  const parts = /^\s*(\d+)(?:_(\d+))?\s*$/.exec(text);
  const rows = parts ? links.ofJob(Number(parts[1]), parts[2] == null ? null : Number(parts[2])) : [];
  if (rows.length === 0) wrong.push("job");
  return rows;
}

/** For each word a test whether a row has it: in its kind, its actors, its fate, its numbers or its text. */
function chosenWords(recording, text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const flags = (names) => Uint8Array.from(names, (name) => name.toLowerCase().includes(word) ? 1 : 0);
    const kinds = flags(recording.kinds), actors = flags(recording.actors), fates = flags(recording.fates);
    const said = rowsSaying(recording, word);
    return (i) => kinds[recording.kind[i]] || actors[recording.from[i]] || actors[recording.to[i]]
      || fates[recording.fate[i]] || said[i] || nameOf(recording, i) === word;
  });
}

/** One flag per row: whether its words contain `word`. All texts are searched as one. */
function rowsSaying(recording, word) {
  const flags = new Uint8Array(recording.n);
  // Lower case may be longer than the original in some scripts; then the places would not fit.
  const lower = recording.texts.toLowerCase();
  const all = lower.length === recording.texts.length ? lower : recording.texts;
  const { letters } = recording;
  for (let at = all.indexOf(word); at >= 0;) {
    // The last row that begins at or before `at`.
    const row = lowerBound(letters, at + 1) - 1;
    if (at + word.length <= letters[row + 1]) {
      flags[row] = 1;
      at = all.indexOf(word, letters[row + 1]);
    } else {
      at = all.indexOf(word, at + 1);
    }
  }
  return flags;
}
