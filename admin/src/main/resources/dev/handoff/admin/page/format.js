// Numbers and times as people read them. Units follow a no-break space; what is not known is a dash.

export const NONE = "–";

const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const THREE_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const LARGE = [
  [1e9, "G"],
  [1e6, "M"],
];
const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"];
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** @param {number | null | undefined} value */
export function count(value) {
  if (value === null || value === undefined) return NONE;
  for (const [unit, name] of /** @type {[number, string][]} */ (LARGE)) {
    if (value >= unit) return `${fixed(value / unit)}\u00a0${name}`;
  }
  return GROUPED.format(value);
}

/** Something per second: a decimal only where it tells something. @param {number | null | undefined} value */
export function rate(value) {
  if (value === null || value === undefined) return NONE;
  return value > 0 && value < 10 ? value.toFixed(1) : count(Math.round(value));
}

/** @param {number | null | undefined} millis */
export function duration(millis) {
  if (millis === null || millis === undefined) return NONE;
  if (millis === 0) return "0\u00a0ms";
  if (millis < 0.9995) return `${Math.round(millis * 1000)}\u00a0µs`;
  if (millis < 999.5) return `${fixed(millis)}\u00a0ms`;
  if (millis < 59_950) return `${(millis / 1000).toFixed(1)}\u00a0s`;
  return span(millis / 1000);
}

/** A length of time in its two largest units. @param {number | null | undefined} seconds */
export function span(seconds) {
  if (seconds === null || seconds === undefined) return NONE;
  const whole = Math.floor(seconds);
  if (whole >= DAY) return pair(whole, DAY, "d", HOUR, "h");
  if (whole >= HOUR) return pair(whole, HOUR, "h", MINUTE, "min");
  if (whole >= MINUTE) return pair(whole, MINUTE, "min", 1, "s");
  return `${whole}\u00a0s`;
}

/** @param {number | null | undefined} value */
export function bytes(value) {
  if (value === null || value === undefined) return NONE;
  let power = 0;
  let rest = value;
  while (rest >= 999.5 && power < SIZES.length - 1) {
    rest /= 1024;
    power++;
  }
  return `${power === 0 ? rest : fixed(rest)}\u00a0${SIZES[power]}`;
}

/** @param {number | null | undefined} share of one */
export function percent(share) {
  if (share === null || share === undefined) return NONE;
  if (share > 0 && share < 0.0005) return "<0.1\u00a0%";
  if (share < 1 && share > 0.9995) return ">99.9\u00a0%";
  if (share < 1 && share >= 0.9945) return `${(share * 100).toFixed(1)}\u00a0%`;
  if (share > 0 && share < 0.0995) return `${(share * 100).toFixed(1)}\u00a0%`;
  return `${Math.round(share * 100)}\u00a0%`;
}

/** A moment in the reader's own time zone. @param {string | number | Date} moment */
export function clock(moment) {
  return new Date(moment).toLocaleTimeString("en-GB");
}

/** `queue_full` as the server counts it, and as people say it. @param {string} reason */
export function words(reason) {
  return reason.replaceAll(/[_-]/g, " ");
}

/** `1 worker`, `2 workers`. @param {number} number @param {string} noun */
export function several(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Three digits that stay three, so that a figure does not change its width. @param {number} value */
function fixed(value) {
  if (value < 9.995) return value.toFixed(2);
  if (value < 99.95) return value.toFixed(1);
  return value < 999.5 ? String(Math.round(value)) : THREE_DIGITS.format(value);
}

/** @param {number} value @param {number} large @param {string} name @param {number} small @param {string} then */
function pair(value, large, name, small, then) {
  return `${Math.floor(value / large)}\u00a0${name} ${Math.floor((value % large) / small)}\u00a0${then}`;
}
