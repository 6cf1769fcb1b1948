/**
 * Sending to failed recipients again, however many: in steps with pauses between them, so the service's own writes are not held
 * up. Which recipients match a filter is decided in the spool.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FailedFilter } from "../../spool/port/operations.ts";
import type { Spool } from "../../spool/port/spool.ts";

/** Failed recipients examined in one transaction, and the pause after it. */
const STEP_RECIPIENTS = 250;
const PAUSE_MS = 20;

/** Message ids that are reported. */
const IDS_MAX = 1000;

export interface RetryFailedRequest {
  filter: FailedFilter;
  /** As RecipientsDecision's. */
  by: string;
  nowMs: number;
  /** How long the retried recipients are attempted from now on. */
  maxAgeMs: number;
  /** Counts without changing anything. */
  dryRun: boolean;
}

export interface RetriedRecipients {
  count: number;
  /** By category; `none` for results from before categories were stored. */
  categories: Map<string, number>;
  /** The first messages concerned. */
  ids: Set<string>;
  /** Matching recipients that stay failed, by reason. */
  contentDeleted: number;
  pastDeadline: number;
  unreadable: number;
}

/** Each step is durable: after an error, the same call continues where this one stopped. */
export async function retryFailed(
  spool: Pick<Spool, "retryFailed">,
  { filter, by, nowMs, maxAgeMs, dryRun }: RetryFailedRequest,
): Promise<RetriedRecipients> {
  const unchanged = { contentDeleted: 0, pastDeadline: 0, unreadable: 0 };
  const retried: RetriedRecipients = { count: 0, categories: new Map(), ids: new Set(), ...unchanged };
  const request = { ...filter, by, nowMs, expiresAtMs: nowMs + maxAgeMs, dryRun, limit: STEP_RECIPIENTS };
  let after: string | null = null;
  do {
    if (after !== null) await sleep(PAUSE_MS);
    const step = await spool.retryFailed({ ...request, after });
    addStep(retried, step);
    after = step.next;
  } while (after !== null);
  return retried;
}

function addStep(total: RetriedRecipients, step: Awaited<ReturnType<Spool["retryFailed"]>>): void {
  for (const { messageId, category } of step.recipients) {
    const name = category ?? "none";
    total.categories.set(name, (total.categories.get(name) ?? 0) + 1);
    if (total.ids.size < IDS_MAX) total.ids.add(messageId);
  }
  total.count += step.recipients.length;
  total.contentDeleted += step.contentDeleted;
  total.pastDeadline += step.pastDeadline;
  total.unreadable += step.unreadable;
}
