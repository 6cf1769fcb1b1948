/**
 * Times as text. Relative times are as labels.ts has them on the server: a test compares them.
 */
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** `3 min ago`, `in 2 h 5 min`, `now`. */
export function relativeText(atMs, nowMs) {
  const spanMs = Math.floor(Math.abs(nowMs - atMs) / 1000) * 1000;
  const first = UNITS.findIndex(([, unitMs]) => spanMs >= unitMs);
  if (first === -1) return "now";
  const [unit, unitMs] = UNITS[first];
  const [next, nextMs] = UNITS[first + 1] ?? ["", unitMs];
  const whole = `${Math.floor(spanMs / unitMs)} ${unit}`;
  const rest = Math.floor((spanMs % unitMs) / nextMs);
  const text = unit === "min" || rest === 0 ? whole : `${whole} ${rest} ${next}`;
  return atMs < nowMs ? `${text} ago` : `in ${text}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const twoDigits = (number) => String(number).padStart(2, "0");

/** `14 Mar 2026, 10:05:07` in the reader's time zone. */
export function localText(atMs) {
  const date = new Date(atMs);
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
  return `${day}, ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":")}`;
}

/** `14 Mar 2026, 09:05:07 UTC`. */
export function utcText(atMs) {
  const date = new Date(atMs);
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return `${day}, ${date.toISOString().slice(11, 19)} UTC`;
}

/** Whether the reader's time zone is other than UTC at this moment. */
export const isLocal = (atMs) => new Date(atMs).getTimezoneOffset() !== 0;

/** Converts the value of a datetime-local field from UTC to local time; unchanged if it is no time. */
export function localField(value) {
  const atMs = Date.parse(`${value}Z`);
  if (Number.isNaN(atMs)) return value;
  return new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString().slice(0, value.length);
}

/** Converts it back. */
export function utcField(value) {
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? value : new Date(atMs).toISOString().slice(0, value.length);
}
