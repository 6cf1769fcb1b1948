/** The time at which delivery of a message begins, where the sender has chosen one. Times are milliseconds since the epoch. */

/** How far ahead a message can be scheduled. */
export const SEND_AHEAD_DAYS_MAX = 30;
const SEND_AHEAD_MAX_MS = SEND_AHEAD_DAYS_MAX * 86_400_000;

/** Characters of a time: more than any valid one has. */
export const SEND_AT_LENGTH_MAX = 40;

const TIMESTAMP =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

export type SendTime = { type: "valid"; atMs: number } | { type: "invalid"; detail: string };

/** Reads a time of RFC 3339. A time in the past is valid. */
export function parseSendTime(text: string, nowMs: number): SendTime {
  const atMs = TIMESTAMP.test(text) && isDay(text) ? Date.parse(text.toUpperCase().replace(" ", "T")) : Number.NaN;
  if (Number.isNaN(atMs)) {
    const detail =
      "This must be a time with its offset (RFC 3339), such as 2030-01-31T09:00:00Z or 2030-01-31T10:00:00+01:00.";
    return { type: "invalid", detail };
  }
  if (atMs - nowMs > SEND_AHEAD_MAX_MS) {
    return { type: "invalid", detail: `This is more than ${SEND_AHEAD_DAYS_MAX} days ahead.` };
  }
  return { type: "valid", atMs };
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** When delivery of a message begins: at once unless it is scheduled. */
export const deliveryBeginsMs = ({
  createdAtMs,
  sendAtMs,
}: {
  createdAtMs: number;
  sendAtMs?: number | null | undefined;
}): number => sendAtMs ?? createdAtMs;
