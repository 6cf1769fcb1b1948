/** The options for a time: --since of commands that look back, --until of those that set an end. */
import { isTimestamp } from "../lib/timestamp.ts";
import { parseDuration } from "../message/retry.ts";
import { UsageError } from "./command.ts";

/** Parses an RFC 3339 timestamp, or a duration before now, as milliseconds since the epoch. Throws UsageError. */
export function parseSince(given: string, nowMs: number): number {
  const beforeMs = parseDuration(given);
  if (beforeMs !== null) return nowMs - beforeMs;
  if (isTimestamp(given)) return Date.parse(given);
  throw new UsageError(`--since '${given}' is neither a time such as 2026-03-01T10:00:00Z nor a duration such as 2h`);
}

/** Parses an RFC 3339 timestamp, or a duration from now, that is in the future. Throws UsageError. */
export function parseUntil(given: string, nowMs: number): number {
  const afterMs = parseDuration(given);
  const untilMs = afterMs === null ? timeIn(given) : nowMs + afterMs;
  if (untilMs > nowMs) return untilMs;
  throw new UsageError(`--until '${given}' is in the past`);
}

function timeIn(given: string): number {
  if (isTimestamp(given)) return Date.parse(given);
  throw new UsageError(`--until '${given}' is neither a time such as 2027-03-01T10:00:00Z nor a duration such as 30d`);
}
