/**
 * What an outcome means for the recipient's place in the spool: final, or back in the queue with a time. What a reply
 * or a timeout means as an outcome is verdict.ts's.
 */
import type { Category } from "../message/category.ts";
import type { Outcome, Result } from "../message/outcome.ts";
import { isExpired, nextAttemptAtMs } from "../message/retry.ts";
import type { Settlement, Work, WorkRecipient } from "../spool/spool.ts";

/** When to try again, and what to do when in doubt. */
export interface RetryPolicy {
  /** Gaps between attempts, milliseconds. */
  retrySchedule: number[];
  unknownPolicy: "hold" | "retry";
}

export interface Settling {
  work: Work;
  recipient: WorkRecipient;
  atMs: number;
  /** In [0, 1): where in the jitter's range the next attempt falls. */
  lot: number;
  policy: RetryPolicy;
}

/** The settlement of one recipient after an attempt. */
export function settlementOf(outcome: Outcome, settling: Settling): Settlement {
  const { recipient, work, atMs, lot, policy } = settling;
  const { smtp, tries, type } = outcome;
  const { position } = recipient;
  const category: Category | null = outcome.type === "delivered" ? null : outcome.category;
  // Member by member, for the same reason as attempt-record.ts's tries.
  const settled = (result: Result, reason: string | null, nextAttemptAtMs: number | null = null): Settlement => {
    return { position, result, reason, category, nextAttemptAtMs, smtp, outcome: type, tries };
  };
  const again = (reason: string): Settlement => {
    const attempt = recipient.attempts + 1;
    const { retrySchedule: schedule } = policy;
    const nextMs = nextAttemptAtMs({
      attempt,
      nowMs: atMs,
      schedule,
      expiresAtMs: work.expiresAtMs,
      random: () => lot,
    });
    return settled("pending", reason, nextMs);
  };
  switch (type) {
    case "delivered":
      return settled("delivered", null);
    case "failed":
      return settled("failed", outcome.reason);
    case "unknown":
      if (policy.unknownPolicy === "retry" && !isExpired(atMs, work.expiresAtMs)) {
        const next = again(outcome.reason);
        // A recipient in doubt must not be failed for the time alone.
        const isInTime = work.deadlineMs === undefined || (next.nextAttemptAtMs ?? 0) < work.deadlineMs;
        if (isInTime) return next;
      }
      return settled("unknown", outcome.reason);
    case "deferred":
      // An attempt that our own stop broke off must not be the one that fails the recipient.
      if (outcome.atOnce) return settled("pending", outcome.reason, atMs);
      if (isExpired(atMs, work.expiresAtMs)) {
        return { ...settled("failed", "expired"), smtp: smtp ?? recipient.smtp };
      }
      return again(outcome.reason);
  }
}

/** The settlement of a recipient whose deadline was over before an attempt began; it keeps its last obstacle's category. */
export function settlementWhenLate({ position, category, smtp }: WorkRecipient): Settlement {
  const told = { position, category, smtp, outcome: "deferred" as const, tries: [], untried: true as const };
  return { ...told, result: "failed", reason: "expired", nextAttemptAtMs: null };
}
