/**
 * What the time at which a recipient falls due means to a reader: the next attempt, or, at its deadline and later, that it is
 * failed then without one.
 */
import type { RecipientReport } from "../port/results.ts";

export function dueOf(
  dueMs: number | null,
  deadlineMs: number | null,
): Pick<RecipientReport, "nextAttemptAtMs" | "failsAtMs"> {
  if (dueMs === null || deadlineMs === null || dueMs < deadlineMs) return { nextAttemptAtMs: dueMs };
  return { nextAttemptAtMs: null, failsAtMs: dueMs };
}
