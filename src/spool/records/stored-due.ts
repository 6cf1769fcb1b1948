/**
 * Interprets the stored due time of a recipient. Before the deadline it is the next attempt; at the deadline or later, the
 * recipient fails then without another attempt.
 */
import type { RecipientReport } from "../port/results.ts";

export function dueOf(
  dueMs: number | null,
  deadlineMs: number | null,
): Pick<RecipientReport, "nextAttemptAtMs" | "failsAtMs"> {
  if (dueMs === null || deadlineMs === null || dueMs < deadlineMs) return { nextAttemptAtMs: dueMs };
  return { nextAttemptAtMs: null, failsAtMs: dueMs };
}
