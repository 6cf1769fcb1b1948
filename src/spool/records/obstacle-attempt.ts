/** Finds the attempt after which a recipient may have the message, in the newest entries of the recipient's history. */
import type { ObstacleAttempt } from "../port/reports.ts";
import { isObject, soundJson } from "./stored-json.ts";

/** Newest entries of a history that are read for a list: a decision or a report may follow the attempt. */
export const ENTRIES_MAX = 5;

/** Larger entries are not read for a list. */
export const ENTRY_BYTES_MAX = 16 * 1024;

/** Returns the attempt with this reason. `entries`: in JSON, the newest first. */
export function obstacleAttempt(entries: readonly string[], reason: string): { attempt?: ObstacleAttempt } {
  for (const text of entries) {
    const entry = soundJson(text, isObject);
    if (entry === null || entry.reason !== reason || !Number.isInteger(entry.at_ms)) continue;
    if (entry.type !== "unknown" && entry.type !== "recovered") continue;
    const last: unknown = Array.isArray(entry.tries) ? entry.tries.at(-1) : undefined;
    const mx = isObject(last) && typeof last.mx === "string" ? last.mx : null;
    return { attempt: { atMs: entry.at_ms as number, mx } };
  }
  return {};
}
