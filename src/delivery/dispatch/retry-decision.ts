/**
 * What an outcome means for the recipient's place in the spool: final, or back in the queue with a time. What a reply
 * or a timeout means as an outcome is verdict.ts's.
 */
import type { Category } from "../../message/category.ts";
import type { Outcome, Result } from "../../message/outcome.ts";
import { isUnknownReason } from "../../message/reasons.ts";
import { type Deadline, isExpired, nextAttemptAtMs } from "../../message/retry.ts";
import type { DeliveryJob, JobRecipient, Settlement } from "../../spool/port/mail.ts";

/** When to try again, and what to do when in doubt. */
export interface RetryPolicy {
  /** Gaps between attempts, milliseconds. */
  retrySchedule: number[];
  unknownPolicy: "hold" | "retry";
}

export interface SettlementContext {
  job: DeliveryJob;
  recipient: JobRecipient;
  atMs: number;
  /** In [0, 1): where in the jitter's range the next attempt falls. */
  jitter: number;
  policy: RetryPolicy;
}

/** The settlement of one recipient after an attempt. */
export function settlementOf(outcome: Outcome, settling: SettlementContext): Settlement {
  const { recipient, job, atMs, jitter, policy } = settling;
  const { smtp, tries, type } = outcome;
  const { position } = recipient;
  const category: Category | null = outcome.type === "delivered" ? null : outcome.category;
  // Member by member, for the same reason as attempt-record.ts's tries.
  const settled = (result: Result, reason: string | null, nextAttemptAtMs: number | null = null): Settlement => {
    return { position, result, reason, category, nextAttemptAtMs, smtp, outcome: type, tries };
  };
  const nextMs = nextAttemptAtMs({
    attempt: recipient.attempts + 1,
    nowMs: atMs,
    schedule: policy.retrySchedule,
    expiresAtMs: job.expiresAtMs,
    ...deadlineOf(job),
    random: () => jitter,
  });
  switch (type) {
    case "delivered":
      return settled("delivered", null);
    case "failed":
      return settled("failed", outcome.reason);
    case "unknown":
      // A recipient in doubt must not be failed for the time alone.
      if (policy.unknownPolicy === "retry" && !isExpired(atMs, job.expiresAtMs) && nextMs !== null)
        return settled("pending", outcome.reason, nextMs);
      return settled("unknown", outcome.reason);
    case "deferred":
      // An attempt that our own stop broke off must not be the one that fails the recipient.
      if (outcome.atOnce) return settled("pending", outcome.reason, atMs);
      if (isExpired(atMs, job.expiresAtMs)) {
        return { ...settled("failed", "expired"), smtp: smtp ?? recipient.smtp };
      }
      // Where no attempt fits before the deadline, it falls due at the deadline, to be failed.
      return settled("pending", outcome.reason, nextMs ?? job.deadlineMs ?? job.expiresAtMs);
  }
}

const deadlineOf = ({ createdAtMs, deadlineMs }: DeliveryJob): { deadline?: Deadline } =>
  deadlineMs === undefined ? {} : { deadline: { createdAtMs, deadlineMs } };

/** Whether the sender's own limit is over: nobody wants the message any more. */
export function isPastDeadline({ deadlineMs }: DeliveryJob, nowMs: number): boolean {
  return deadlineMs !== undefined && isExpired(nowMs, deadlineMs);
}

/**
 * The settlement of a recipient whose deadline was over before an attempt began; it keeps its last obstacle's category. One
 * that may have the message from an earlier attempt is unknown, not failed.
 */
export function settlementPastDeadline({ position, reason, category, smtp }: JobRecipient): Settlement {
  const settled = { position, category, smtp, tries: [], untried: true as const, nextAttemptAtMs: null };
  if (isUnknownReason(reason)) return { ...settled, outcome: "unknown", result: "unknown", reason };
  return { ...settled, outcome: "deferred", result: "failed", reason: "expired" };
}
