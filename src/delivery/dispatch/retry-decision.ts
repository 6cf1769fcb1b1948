/**
 * The retry decision: what an outcome means for the recipient in the spool, either final or pending with a time. verdict.ts
 * decides what a reply or a timeout means as an outcome.
 */
import type { Category } from "../../message/result/category.ts";
import { categoryOfReason } from "../../message/result/classifier.ts";
import type { Outcome, Result } from "../../message/result/outcome.ts";
import { HELD, isUnknownReason, SUPPRESSED } from "../../message/result/reasons.ts";
import { categoryOfSuppression, type Suppression } from "../../message/result/suppression.ts";
import { type Deadline, isExpired, nextAttemptAtMs } from "../../message/retry.ts";
import { deliveryBeginsMs } from "../../message/send-time.ts";
import type { DeliveryJob, JobRecipient, Settlement } from "../../spool/port/mail.ts";

/** The retry schedule, and what follows an unknown outcome. */
export interface RetryPolicy {
  /** Gaps between attempts, milliseconds. */
  retrySchedule: number[];
  unknownPolicy: "hold" | "retry";
}

export interface SettlementContext {
  job: DeliveryJob;
  recipient: JobRecipient;
  atMs: number;
  /** In [0, 1): the position of the next attempt in the range of the jitter. */
  jitter: number;
  policy: RetryPolicy;
  /** A deferred recipient without a deadline is not due before; 0 or absent for no such time. */
  notBeforeMs?: number;
}

/** The settlement of one recipient after an attempt. */
export function settlementOf(outcome: Outcome, settling: SettlementContext): Settlement {
  const { recipient, job, atMs, jitter, policy, notBeforeMs = 0 } = settling;
  const { smtp, tries, type } = outcome;
  const { position } = recipient;
  const category: Category | null = outcome.type === "delivered" ? null : outcome.category;
  // Property by property, for the same reason as hostAttemptOf in attempt-record.ts.
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
      // An unknown recipient must not fail only because its time is over.
      if (policy.unknownPolicy === "retry" && !isExpired(atMs, job.expiresAtMs) && nextMs !== null)
        return settled("pending", outcome.reason, nextMs);
      return settled("unknown", outcome.reason);
    case "deferred": {
      // An attempt that our own shutdown ended must not be the one that fails the recipient.
      if (!outcome.atOnce && isExpired(atMs, job.expiresAtMs)) {
        if (isUnknownReason(recipient.reason))
          return { ...settled("unknown", null), ...unknownAgain(recipient.reason) };
        return { ...settled("failed", "expired"), smtp: smtp ?? recipient.smtp };
      }
      // Without an attempt before the deadline, the recipient falls due at the deadline and fails then.
      const leastMs = job.deadlineMs === undefined ? Math.min(notBeforeMs, job.expiresAtMs) : 0;
      const dueMs = outcome.atOnce ? atMs : Math.max(nextMs ?? job.deadlineMs ?? job.expiresAtMs, leastMs);
      const pending = settled("pending", outcome.reason, dueMs);
      // Only the reason shows that the recipient may have the message, should it be cancelled or its time be over.
      return isUnknownReason(recipient.reason)
        ? { ...pending, reason: recipient.reason, attemptReason: outcome.reason }
        : pending;
    }
  }
}

/** What a recipient that may have the message from an earlier attempt becomes without a further one. A later refusal would contradict it. */
const unknownAgain = (reason: string) =>
  ({ result: "unknown", reason, category: categoryOfReason(reason), smtp: null }) as const;

const deadlineOf = ({ deadlineMs, ...job }: DeliveryJob): { deadline?: Deadline } =>
  deadlineMs === undefined ? {} : { deadline: { beginsMs: deliveryBeginsMs(job), deadlineMs } };

/** Whether the sender's own deadline for the message is over. */
export function isPastDeadline({ deadlineMs }: DeliveryJob, nowMs: number): boolean {
  return deadlineMs !== undefined && isExpired(nowMs, deadlineMs);
}

/** How long mail of a held key waits if nobody releases the key: it is looked at again then. */
const HELD_FOR_MS = 86_400_000;

/** The settlement of a recipient whose message's key is held: it waits, however old it is, and fails only at its deadline. */
export function settlementOfHeld(
  { position, smtp }: JobRecipient,
  { deadlineMs }: Pick<DeliveryJob, "deadlineMs">,
  atMs: number,
): Settlement {
  const nextAttemptAtMs = Math.min(atMs + HELD_FOR_MS, deadlineMs ?? Number.POSITIVE_INFINITY);
  const category = categoryOfReason(HELD);
  const settled = { position, category, smtp, tries: [], untried: true as const, nextAttemptAtMs };
  return { ...settled, outcome: "deferred", result: "pending", reason: HELD };
}

/** The settlement of a recipient of a scheduled message whose address is suppressed by now. */
export function settlementOfSuppressed({ position }: JobRecipient, suppression: Suppression): Settlement {
  const state = { result: "failed", reason: SUPPRESSED, category: categoryOfSuppression(suppression) } as const;
  return {
    position,
    ...state,
    nextAttemptAtMs: null,
    smtp: null,
    outcome: "failed",
    tries: [],
    untried: true,
    suppression,
  };
}

/**
 * The settlement of a recipient whose deadline passed before an attempt began; it keeps the category of its last result. One that
 * may have the message from an earlier attempt is unknown, not failed.
 */
export function settlementPastDeadline({ position, reason, category, smtp }: JobRecipient): Settlement {
  const settled = { position, category, smtp, tries: [], untried: true as const, nextAttemptAtMs: null };
  if (isUnknownReason(reason)) return { ...settled, outcome: "unknown", ...unknownAgain(reason) };
  return { ...settled, outcome: "deferred", result: "failed", reason: "expired" };
}
