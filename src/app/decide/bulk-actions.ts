/**
 * Actions on all recipients of a search: what each does, which recipients it is about, how many there are, and its execution in
 * steps. A step is bounded by time, and each of its transactions by DECIDED_MAX recipients. What has changed since the count is
 * not changed, and counted.
 */
import type { Result } from "../../message/result/outcome.ts";
import { DECIDED_REASONS, HELD } from "../../message/result/reasons.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { RecipientsRef } from "../../spool/port/mail.ts";
import type { RecipientsDecision } from "../../spool/port/operations.ts";
import {
  type ActedCount,
  type ActedFilter,
  type ActedMessage,
  COUNT_MAX,
  type MessageFilter,
  type Reports,
} from "../../spool/port/reports.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { pacedSteps } from "./decide-recipients.ts";

/** What each action is about. */
export const ACTED_RESULTS = {
  "mark-delivered": "unknown",
  "mark-failed": "unknown",
  "send-unknown-again": "unknown",
  "send-failed-again": "failed",
  "try-now": "pending",
  cancel: "pending",
} as const satisfies Record<string, Result>;

export type BulkAction = keyof typeof ACTED_RESULTS;

export const isBulkAction = (name: string): name is BulkAction => Object.hasOwn(ACTED_RESULTS, name);

/** Recipients of one confirmation. The newest come first; the same action again covers the next ones. */
export const BULK_MAX = 25_000;

/** Searches that find little are ended after this time. */
const COUNT_MAX_MS = 10_000;

/** How long one step begins transactions. */
const STEP_MS = 800;

/** Messages read at a time in a step. */
const STEP_MESSAGES = 2000;

/** Retries that run side by side. */
const RETRIES_AT_ONCE = 10;

/** What a search selects. An action is never about live and test messages together: without `test`, about live ones. */
export type BulkFilter = Omit<MessageFilter, "cursor" | "after" | "limit">;

/** The recipients of an action as they were counted. */
export interface BulkScope {
  recipients: number;
  /** When they were counted. */
  atMs: number;
  /** Messages accepted before this moment do not belong to it; null if it has all. */
  sinceMs: number | null;
}

/** An action's recipients as its confirmation shows them. */
export interface BulkCount extends BulkScope {
  messages: number;
  /** When the oldest and the newest of the messages were accepted; null without any. */
  accepted: { oldestMs: number; newestMs: number } | null;
  /** The recipient domains with most recipients, at most DOMAINS_MAX; empty unless asked for. */
  domains: { domain: string; recipients: number }[];
  /** How many domains are not among them. */
  otherDomains: number;
}

/** Recipient domains that a count names. */
const DOMAINS_MAX = 10;

export interface BulkRequest {
  action: BulkAction;
  filter: BulkFilter;
}

/** What a count may take. */
export interface CountLimits {
  recipientsMax: number;
  forMs: number;
}

const OF_ONE_CONFIRMATION: CountLimits = { recipientsMax: BULK_MAX, forMs: COUNT_MAX_MS };

/** For a caller that holds up nobody. */
export const UNLIMITED: CountLimits = { recipientsMax: Number.POSITIVE_INFINITY, forMs: Number.POSITIVE_INFINITY };

export interface CountTimes {
  nowMs: number;
  monotonicMs: () => number;
  /** Those of a confirmation in the dashboard if absent. */
  limits?: CountLimits;
  /** Whether the recipients are counted by domain too. */
  withDomains?: boolean;
}

type CountedMessage = Pick<ActedMessage, "createdAtMs" | "domains"> & { recipients: number };

/** Counts the recipients of an action, the newest messages first. */
export async function countBulk(
  reports: Pick<Reports, "findActed" | "countActed">,
  request: BulkRequest,
  { nowMs, monotonicMs, limits = OF_ONE_CONFIRMATION, withDomains = false }: CountTimes,
): Promise<BulkCount> {
  const filter = { ...actedFilter(request, { atMs: nowMs, sinceMs: null }), ...(withDomains ? { withDomains } : {}) };
  const all = withDomains ? await reports.countActed(filter) : null;
  if (all !== null && all.recipients <= limits.recipientsMax) return withNamed(all, { atMs: nowMs, sinceMs: null });
  const endMs = monotonicMs() + limits.forMs;
  const counted: CountedMessage[] = [];
  let recipients = 0;
  for (let cursor = ""; ; ) {
    const page = await reports.findActed({ ...filter, ...positionAt(cursor), limit: COUNT_MAX });
    for (const { createdAtMs, positions, domains } of page.messages) {
      recipients += positions.length;
      if (recipients > limits.recipientsMax && counted.length > 0) return countAfter(counted, createdAtMs + 1, nowMs);
      counted.push({ createdAtMs, recipients: positions.length, ...(domains === undefined ? {} : { domains }) });
    }
    if (page.cursor === null) return countOf(counted, { atMs: nowMs, sinceMs: null });
    const searchedToMs = page.searchedBackToMs ?? counted.at(-1)?.createdAtMs ?? nowMs;
    if (monotonicMs() >= endMs) return countAfter(counted, searchedToMs, nowMs);
    cursor = page.cursor;
  }
}

const countAfter = (counted: readonly CountedMessage[], sinceMs: number, atMs: number): BulkCount =>
  countOf(
    counted.filter(({ createdAtMs }) => createdAtMs >= sinceMs),
    { atMs, sinceMs },
  );

function countOf(counted: readonly CountedMessage[], times: Pick<BulkScope, "atMs" | "sinceMs">): BulkCount {
  const byDomain = new Map<string, number>();
  const accepted = { oldestMs: Number.POSITIVE_INFINITY, newestMs: 0 };
  let [messages, recipients] = [0, 0];
  for (const { createdAtMs, recipients: own, domains = [] } of counted) {
    if (own === 0) continue;
    messages += 1;
    recipients += own;
    accepted.oldestMs = Math.min(accepted.oldestMs, createdAtMs);
    accepted.newestMs = Math.max(accepted.newestMs, createdAtMs);
    for (const domain of domains) byDomain.set(domain, (byDomain.get(domain) ?? 0) + 1);
  }
  const all = { recipients, messages, accepted: messages === 0 ? null : accepted, domains: byDomain };
  return withNamed(all, times);
}

/** Names the domains with most recipients. */
function withNamed({ domains, ...all }: ActedCount, times: Pick<BulkScope, "atMs" | "sinceMs">): BulkCount {
  const sorted = [...domains].sort(([a, most], [b, least]) => least - most || (a < b ? -1 : 1));
  return {
    ...times,
    ...all,
    domains: sorted.slice(0, DOMAINS_MAX).map(([domain, count]) => ({ domain, recipients: count })),
    otherDomains: Math.max(0, sorted.length - DOMAINS_MAX),
  };
}

/** What has become of recipients. */
export interface BulkTotals {
  /** Those with the action's result. */
  done: number;
  /** Cancelled ones that are unknown again. */
  unknown: number;
  /** Pending ones whose final dot may have left. */
  atDot: number;
  contentDeleted: number;
  pastDeadline: number;
  unreadable: number;
  /** All that were looked at. */
  seen: number;
}

export const NO_TOTALS: BulkTotals = {
  done: 0,
  unknown: 0,
  atDot: 0,
  contentDeleted: 0,
  pastDeadline: 0,
  unreadable: 0,
  seen: 0,
};

/** What is decided about recipients that are known. */
export interface BulkDecision {
  action: BulkAction;
  accountId: string;
  by: string;
  nowMs: number;
  /** How long recipients that are sent to again are attempted. */
  maxAgeMs: number;
  /** Whether that is so too of those that are tried now: they have waited for a person. */
  renews?: true;
}

export interface BulkStep extends BulkRequest, Omit<BulkDecision, "accountId"> {
  scope: Pick<BulkScope, "atMs" | "sinceMs">;
  /** `next` of the previous step; "" for the first. */
  after: string;
}

export interface BulkParts {
  spool: Pick<Spool, "resolve" | "cancel" | "retry" | "retryFailed">;
  reports: Pick<Reports, "findActed">;
  monotonicMs: () => number;
}

/** Runs one step. `next` is null at the end. Each transaction is durable. */
export async function runBulkStep(
  { spool, reports, monotonicMs }: BulkParts,
  step: BulkStep,
): Promise<{ totals: BulkTotals; next: string | null }> {
  const { scope, after } = step;
  const endMs = monotonicMs() + STEP_MS;
  const page = await reports.findActed({ ...actedFilter(step, scope), ...positionAt(after), limit: STEP_MESSAGES });
  const acted = page.messages.filter(({ positions }) => positions.length > 0);
  const lasts = new Map(acted.map(({ id, positions }) => [id, positions.at(-1)]));
  const totals = { ...NO_TOTALS };
  for await (const recipients of pacedSteps(acted.map(({ id, positions }) => ({ messageId: id, positions })))) {
    add(totals, await actOn(spool, { ...step, accountId: step.filter.accountId }, recipients));
    const { messageId = "", positions = [] } = recipients.at(-1) ?? {};
    const isEnd = messageId === acted.at(-1)?.id;
    // The next step goes on after a whole message.
    if (!isEnd && monotonicMs() >= endMs && positions.at(-1) === lasts.get(messageId))
      return { totals, next: messageId };
  }
  return { totals, next: page.cursor };
}

/** Runs all steps of an action, one after the other. After an error, the same action covers the rest. */
export async function runBulk(
  parts: BulkParts,
  action: Omit<BulkStep, "after" | "nowMs">,
  now: () => number,
): Promise<BulkTotals> {
  const total = { ...NO_TOTALS };
  for (let after: string | null = ""; after !== null; ) {
    const { totals, next }: { totals: BulkTotals; next: string | null } = await runBulkStep(parts, {
      ...action,
      after,
      nowMs: now(),
    });
    add(total, totals);
    after = next;
  }
  return total;
}

const positionAt = (cursor: string): { cursor?: string } => (cursor === "" ? {} : { cursor });

/** What a person has decided is sent again only if the search names that reason, as with `queue retry --failed`. */
const exceptReasons = ({ reason }: BulkFilter): string[] => [
  "suppressed",
  ...(reason === undefined ? DECIDED_REASONS : []),
];

/** Those that have changed since the count are left out, except for pending ones, which may just have had another attempt. */
function actedFilter(
  { action, filter }: BulkRequest,
  { atMs, sinceMs }: Pick<BulkScope, "atMs" | "sinceMs">,
): Omit<ActedFilter, "limit"> {
  const result = ACTED_RESULTS[action];
  return {
    ...filter,
    result,
    test: filter.test ?? false,
    untilMs: Math.min(filter.untilMs ?? Number.POSITIVE_INFINITY, atMs + 1),
    ...(sinceMs === null ? {} : { sinceMs: Math.max(filter.sinceMs ?? 0, sinceMs) }),
    ...(result === "pending" ? {} : { unchangedSinceMs: atMs }),
    ...(action === "send-failed-again" ? { exceptReasons: exceptReasons(filter) } : {}),
    // The mail of a held key would be held again: it is tried when the key is released.
    ...(action === "try-now" && filter.reason === undefined ? { exceptReasons: [HELD] } : {}),
  };
}

/** Carries out the action on some recipients. */
export async function actOn(
  spool: BulkParts["spool"],
  { action, accountId, by, nowMs, maxAgeMs, renews }: BulkDecision,
  recipients: RecipientsRef[],
): Promise<BulkTotals> {
  const seen = recipients.reduce((sum, { positions }) => sum + positions.length, 0);
  const decision = { accountId, recipients, by, nowMs };
  switch (action) {
    case "mark-delivered":
    case "mark-failed": {
      const as = action === "mark-delivered" ? "delivered" : "failed";
      const { resolved, unreadable } = await spool.resolve({ ...decision, as });
      return { ...NO_TOTALS, seen, done: resolved, unreadable };
    }
    case "cancel": {
      const { cancelled, ...others } = await spool.cancel(decision);
      return { ...NO_TOTALS, seen, done: cancelled, ...others };
    }
    case "send-failed-again": {
      const expiresAtMs = nowMs + maxAgeMs;
      const bounds = { expiresAtMs, limit: seen, after: null, dryRun: false };
      const { contentDeleted, pastDeadline, unreadable, ...retried } = await spool.retryFailed({
        ...decision,
        ...bounds,
      });
      return { ...NO_TOTALS, seen, done: retried.recipients.length, contentDeleted, pastDeadline, unreadable };
    }
    case "send-unknown-again":
    case "try-now": {
      const renewed = renews === true ? { expiresAtMs: nowMs + maxAgeMs } : {};
      return { ...NO_TOTALS, seen, ...(await retryEach(spool, { ...decision, ...renewed }, ACTED_RESULTS[action])) };
    }
  }
}

/** A message whose stored data is damaged does not keep the others from being retried. */
async function retryEach(
  spool: Pick<Spool, "retry">,
  { recipients, ...decision }: RecipientsDecision & { expiresAtMs?: number },
  result: "pending" | "unknown",
): Promise<Pick<BulkTotals, "done" | "unreadable">> {
  const total = { done: 0, unreadable: 0 };
  const waiting = recipients.values();
  const work = async (): Promise<void> => {
    for (const { messageId, positions } of waiting) {
      try {
        const retried = await spool.retry({ ...decision, messageId, positions, result });
        total.done += retried;
      } catch (error) {
        if (!(error instanceof MessageDamaged)) throw error;
        total.unreadable += positions.length;
      }
    }
  };
  await Promise.all(Array.from({ length: RETRIES_AT_ONCE }, work));
  return total;
}

/** Adds the totals of a step to those of the former ones. */
export function add(total: BulkTotals, step: BulkTotals): void {
  for (const name of Object.keys(NO_TOTALS) as (keyof BulkTotals)[]) total[name] += step[name];
}
