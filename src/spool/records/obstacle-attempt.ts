/** Finds the attempt after which a recipient may have the message, in the entries of the recipient's history with its reason. */
import type { ObstacleAttempt } from "../port/reports.ts";
import { RESTORED } from "./restored-entry.ts";
import { isObject, soundJson } from "./stored-json.ts";

/** Entries with the reason that are read for a list, the newest first: decisions and the end of a deadline repeat it. */
export const ENTRIES_MAX = 5;

/** Larger entries are not read for a list. */
export const ENTRY_BYTES_MAX = 16 * 1024;

/** The reason is within the first characters of an entry. Returns the SQL text that they contain. */
export const reasonSql = (reason: string): string => `'"reason":"' || ${reason} || '"'`;
export const ENTRY_HEAD_LENGTH = 200;

/** Returns the attempt at whose final dot the reason arose. `entries`: in JSON, the newest first. */
export function obstacleAttempt(entries: readonly string[], reason: string): { attempt?: ObstacleAttempt } {
  for (const text of entries) {
    const entry = soundJson(text, isObject);
    if (entry === null || entry.reason !== reason || !Number.isInteger(entry.at_ms)) continue;
    if (entry.type !== "unknown" && entry.type !== "recovered") continue;
    const atMs = entry.at_ms as number;
    const last: unknown = Array.isArray(entry.tries) ? entry.tries.at(-1) : undefined;
    if (reason === RESTORED) return { attempt: { atMs, mx: null } };
    if (isObject(last) && last.stage === "final_dot" && typeof last.mx === "string") {
      return { attempt: { atMs, mx: last.mx } };
    }
  }
  return {};
}
