// Numbers, instants and spans in words; and making elements.

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const count = (n) => WHOLE.format(n);
const many = (n, one, more = one + "s") => `${count(n)} ${n === 1 ? one : more}`;

const MICROSECOND = 1e3, MILLISECOND = 1e6, SECOND = 1e9, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** A span in nanoseconds, with three digits and the unit that suits it. */
function span(ns) {
  const sign = ns < 0 ? "−" : "";
  ns = Math.abs(ns);
  const short = (value) => String(Number(value.toPrecision(3)));
  if (ns === 0) return "0 s";
  if (ns < MICROSECOND) return `${sign}${short(ns)} ns`;
  if (ns < MILLISECOND) return `${sign}${short(ns / MICROSECOND)} µs`;
  if (ns < SECOND) return `${sign}${short(ns / MILLISECOND)} ms`;
  if (ns < MINUTE) return `${sign}${short(ns / SECOND)} s`;
  if (ns < HOUR) return `${sign}${short(ns / MINUTE)} min`;
  if (ns < DAY) return `${sign}${short(ns / HOUR)} h`;
  return `${sign}${short(ns / DAY)} d`;
}

/** An instant of simulated time as days and a clock, as fine as `step` needs it: "3 d 04:05:06.789". */
function instant(ns, step = 1) {
  const sign = ns < 0 ? "−" : "";
  let digits = 0;
  if (step < SECOND) digits = Math.min(9, Math.max(1, Math.ceil(9 - Math.log10(step) - 1e-9)));
  const grain = 10 ** (9 - digits);
  // Rounded first, so that 59.9996 s does not become 60.000 s.
  ns = Math.round(Math.abs(ns) / grain) * grain;
  const two = (n) => String(n).padStart(2, "0");
  const day = Math.floor(ns / DAY), rest = ns - day * DAY;
  let text = `${sign}${day} d`;
  if (step >= DAY && rest === 0) return text;
  const hour = Math.floor(rest / HOUR), minute = Math.floor(rest % HOUR / MINUTE);
  text += ` ${two(hour)}:${two(minute)}`;
  if (step >= MINUTE && rest % MINUTE === 0) return text;
  const second = Math.floor(rest % MINUTE / SECOND);
  text += `:${two(second)}`;
  if (digits > 0) text += "." + String(Math.round(rest % SECOND / grain)).padStart(digits, "0");
  return text;
}

/** An instant as finely as a recording has it. */
const exactly = (ns) => instant(ns, ns < 2 ** 53 ? 1 : 100);

function size(bytes) {
  for (const [unit, worth] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
    if (bytes >= worth) return `${Number((bytes / worth).toPrecision(3))} ${unit}`;
  return `${bytes} B`;
}

const byId = (id) => document.getElementById(id);

/** An element with attributes and children. Children that are strings become text, never markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (key === "colour") made.style.setProperty("--c", value);
    else if (value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** The first place in ascending `list` whose value is not below `value`. */
function lowerBound(list, value, from = 0, until = list.length) {
  while (from < until) {
    const middle = (from + until) >>> 1;
    if (list[middle] < value) from = middle + 1; else until = middle;
  }
  return from;
}
