/** The Retry-After header field of a response (RFC 9110 §10.2.3). */
import { DAY_MS } from "../lib/units.ts";

const RETRY_AFTER_MAX_MS = DAY_MS;
/** Date.parse reads a date without a zone as local time, and many texts that are not HTTP dates. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/** The delay in milliseconds from `nowMs`, 0 to 24 h; null without the field or for an invalid value. */
export function retryAfterMs(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value)
    ? Number(value) * 1000
    : HTTP_DATE.test(value)
      ? Date.parse(value) - nowMs
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
