/** Options that name a time to come, such as --expires. */
import { isTimestamp } from "../lib/timestamp.ts";
import { parseDuration } from "../message/retry.ts";
import { UsageError } from "./command.ts";

/** Parses an RFC 3339 timestamp, or a duration from now, as milliseconds since the epoch. Throws UsageError. */
export function parseUntil(option: string, given: string, nowMs: number): number {
  const forMs = parseDuration(given);
  if (forMs !== null) return nowMs + forMs;
  if (isTimestamp(given)) return Date.parse(given);
  throw new UsageError(
    `--${option} '${given}' is neither a time such as 2030-03-01T10:00:00Z nor a duration such as 90d`,
  );
}
