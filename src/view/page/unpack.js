// From bytes to a recording: the form is described in src/view/pack.rs.

/** What stands in the page, unpacked. */
async function embedded(base64) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack data (DecompressionStream, in browsers since 2023)");
  const text = atob(base64.trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return unpack(await new Response(stream).arrayBuffer());
}

function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const columns = new Map(header.columns.map((column) => [column.name, column]));
  const bytesOf = (name) => {
    const { begin, bytes } = columns.get(name);
    return new Uint8Array(buffer, 4 + length + begin, bytes);
  };
  const read = (name, List) => {
    const { form, count } = columns.get(name);
    return integers(bytesOf(name), form === "differences", new List(count));
  };
  const n = header.messages;
  const recording = {
    title: header.title,
    lead: header.lead,
    begin: Number(header.from),
    end: Number(header.until),
    actors: header.actors,
    numbers: header.numbers,
    classes: header.classes,
    classOf: read("class", Int32Array),
    kinds: header.kinds,
    fates: header.fates,
    states: header.states,
    n,
    /** One of so many messages is here; in all there are `total`, which arrive as `overview` says. */
    oneOf: header.one_of,
    total: header.total ?? n,
    overview: header.overview,
    count: read("count", Float64Array),
    sent: read("sent", Float64Array),
    received: read("took", Float64Array),
    from: read("from", Int32Array),
    to: read("to", Int32Array),
    kind: read("kind", Uint16Array),
    fate: read("fate", Uint8Array),
    file: read("file", Float64Array),
    bytes: read("bytes", Float64Array),
    job: read("job", Float64Array),
    instance: read("instance", Int32Array),
    unrecordedSender: read("unrecorded_sender", Float64Array),
    unrecordedCount: read("unrecorded_count", Float64Array),
    who: read("who", Int32Array),
    state: read("state", Uint8Array),
    stateBegin: read("begin", Float64Array),
    stateEnd: read("span", Float64Array),
    texts: new TextDecoder().decode(bytesOf("text")),
  };
  for (let i = 0; i < n; i++) recording.received[i] += recording.sent[i];
  for (let i = 0; i < recording.who.length; i++) recording.stateEnd[i] += recording.stateBegin[i];
  recording.subjects = sums(read("subjects", Int32Array));
  recording.letters = sums(read("letters", Int32Array));
  // -1: nothing caused it; -2: something that is not in the recording.
  recording.cause = new Int32Array(n);
  const code = read("cause", Int32Array);
  for (let i = 0; i < n; i++) {
    const back = code[i] - 2;
    recording.cause[i] = back < 0 ? -1 - code[i] : i - (back & 1 ? -(back + 1) / 2 : back / 2);
  }
  return recording;
}

/** Reads integers of seven bits a byte into `list`. Beyond 2^53 they are rounded. */
function integers(bytes, differences, list) {
  let value = 0, weight = 1, at = 0, last = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    value += (byte & 127) * weight;
    if (byte > 127) { weight *= 128; continue; }
    if (differences) {
      last += value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      value = last;
    }
    list[at++] = value;
    value = 0;
    weight = 1;
  }
  return list;
}

/** Where the share of each begins, from how large each is; one more at the end. */
function sums(sizes) {
  const begins = new Int32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) begins[i + 1] = begins[i] + sizes[i];
  return begins;
}

/** The name of message `i`: its sender's number, and how many it had sent before. */
const nameOf = (recording, i) => `${recording.numbers[recording.from[i]]}:${recording.count[i]}`;

/** The words of message `i`, if it has any. */
const textOf = (recording, i) => recording.texts.slice(recording.letters[i], recording.letters[i + 1]);

/** The instances that message `i` concerns, as "17_2", or "17" for a whole job. */
function subjectsOf(recording, i) {
  const names = [];
  for (let s = recording.subjects[i]; s < recording.subjects[i + 1]; s++)
    names.push(recording.job[s] + (recording.instance[s] > 0 ? `_${recording.instance[s] - 1}` : ""));
  return names;
}
