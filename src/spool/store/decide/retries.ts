/**
 * Retries by an operator: recipients become due now. Of one message, those that are pending or unknown; the failed ones that a filter
 * selects; and those of a recipient domain that wait for a later time. Failed ones are retried in steps, in the order of acceptance, so
 * that the oldest are due first: after a delisting there may be a hundred thousand, and other writes wait for each step's transaction.
 */

import { SCHEDULED } from "../../../message/result/reasons.ts";
import { bind, type OperationSet, type Runner } from "../../engine/operations.ts";
import { first, type NewState, type RecipientKey, type Session, type TakenRecipient } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { MessageDamaged } from "../../port/errors.ts";
import type {
  Operations,
  RetryDomainRequest,
  RetryFailedResult,
  RetryFailedStep,
  RetryFilter,
} from "../../port/operations.ts";
import { selectRetried } from "../../records/failed-filter.ts";
import { retriedEntry } from "../../records/retried-entry.ts";
import { runForRows, statementOfRows, valueParameters } from "../rows/many-rows.ts";
import { liftDeadline } from "./deadlines.ts";

const findMessage = statement<{ seq: number; deadlineMs: number | null }>(
  `SELECT seq, deadline_ms AS "deadlineMs" FROM messages WHERE id = $1 AND account_id = $2`,
);

const findPositions = statement<{ position: number }>(
  "SELECT position FROM recipients WHERE seq = $1 AND (CAST($2 AS text) IS NULL OR email = $2) ORDER BY position",
);

/**
 * Also those that were retried since. On SQLite only from the index, because the rows may be damaged. The condition of `seq` lets
 * PostgreSQL pass over the partitions before it.
 */
export const findFailed = statement<RecipientKey>(
  `SELECT DISTINCT seq, position FROM events
     WHERE account_id = $1 AND result = 'failed' AND seq >= $2 AND (seq, position) > ($2, $3) AND seq <= $4
     ORDER BY seq, position LIMIT $5`,
);

const renew = statementOfRows(
  (count) => `UPDATE messages SET expires_at_ms = $1 WHERE expires_at_ms < $1 AND seq IN (${valueParameters(count)})`,
);

interface Retry {
  accountId: string;
  nowMs: number;
  by?: string | undefined;
}

async function retryMessage(session: Session, filter: RetryFilter): Promise<number> {
  const { accountId, messageId, email = null, result } = filter;
  const message = await first(session, findMessage, [messageId, accountId]);
  if (message === null || !(await session.lock("messages", messageId))) return 0;
  const { seq } = message;
  const problem = await session.problemOfQuarantined(seq);
  if (problem !== null) throw new MessageDamaged(problem);
  await session.releaseQuarantined(seq);
  const { rows } = await session.run(findPositions, [seq, email]);
  const positions = rows.map(({ position }) => position).filter((each) => filter.positions?.includes(each) ?? true);
  const keys = positions.map((position) => ({ seq, position }));
  const named = { accountId, recipients: [{ messageId, positions }] };
  const taken = [
    ...(result === "unknown" ? [] : [await session.keepPending({ accountId, keys })]),
    ...(result === "pending" ? [] : [await session.takeRecipients(named, "unknown")]),
  ];
  if (taken.some(({ unreadable }) => unreadable > 0)) throw new MessageDamaged(`the message ${messageId} is damaged`);
  const recipients = taken.flatMap((each) => each.recipients).sort((a, b) => a.position - b.position);
  if (recipients.length > 0) await liftDeadline(session, message, filter.nowMs);
  if (recipients.length > 0 && filter.expiresAtMs !== undefined && message.deadlineMs === null)
    await runForRows(session, renew, { shared: filter.expiresAtMs, rows: [[seq]] });
  const states = recipients.map((recipient) => dueState(recipient, filter));
  await session.setStates(states, { accountId, nowMs: filter.nowMs, areUrgent: true });
  return states.length;
}

async function retryFailedStep(session: Session, step: RetryFailedStep): Promise<RetryFailedResult> {
  const { accountId, messageId, dryRun, limit, nowMs, expiresAtMs } = step;
  const message = messageId === undefined ? null : await first(session, findMessage, [messageId, accountId]);
  const keys = messageId !== undefined && message === null ? [] : await pageOf(session, step, message?.seq ?? null);
  // Only a message that is retried by name is read again, and leaves the quarantine.
  const released = message !== null && (await session.problemOfQuarantined(message.seq)) === null ? message.seq : null;
  const { recipients, unreadable } = await session.takeFailed(keys, released);
  const { due, result } = selectRetried(step, recipients);
  const last = step.recipients !== undefined || keys.length < limit ? undefined : keys.at(-1);
  const next = last === undefined ? null : `${last.seq} ${last.position}`;
  if (dryRun || due.length === 0) return { ...result, unreadable, next };
  if (released !== null) await session.releaseQuarantined(released);
  const messages = new Map(due.map((recipient) => [recipient.seq, recipient]));
  for (const each of messages.values()) await liftDeadline(session, each, nowMs);
  await runForRows(session, renew, { shared: expiresAtMs, rows: [...messages.keys()].map((seq) => [seq]) });
  const fresh = { reason: null, category: null, smtp: null };
  const states = due.map((recipient) => ({ ...dueState(recipient, step), ...fresh }));
  await session.setStates(states, { accountId, nowMs });
  return { ...result, unreadable, next };
}

/** The failed recipients of a step; `only` is the message that it is about, or null. */
async function pageOf(
  session: Session,
  { accountId, recipients, after, limit }: RetryFailedStep,
  only: number | null,
): Promise<RecipientKey[]> {
  const named: RecipientKey[] = [];
  for (const { messageId, positions } of recipients ?? []) {
    const { seq = 0 } = (await first(session, findMessage, [messageId, accountId])) ?? {};
    const { rows } = await session.run(findFailed, [accountId, seq, -1, seq, Number.MAX_SAFE_INTEGER]);
    named.push(...rows.filter(({ position }) => positions.includes(position)));
  }
  if (recipients !== undefined) return named;
  const [seq = 0, position = -1] = after === null ? [only ?? 0] : after.split(" ").map(Number);
  const lastSeq = only ?? Number.MAX_SAFE_INTEGER;
  return (await session.run(findFailed, [accountId, seq, position, lastSeq, limit])).rows;
}

/** The histories have an entry, but there is no event: nothing of the recipients' state has changed. */
async function retryWaiting(session: Session, request: RetryDomainRequest): Promise<number> {
  const { accountId, domain, nowMs, limit } = request;
  const { recipients } = await session.keepPending({ accountId, domain, laterThanMs: nowMs, limit });
  const states = recipients.map((recipient) => ({ ...dueState(recipient, request), type: null }));
  await session.setStates(states, { accountId, nowMs });
  return states.length;
}

function dueState(recipient: TakenRecipient, { nowMs, by }: Retry): NewState {
  const { category, smtp, attempts } = recipient;
  // It is due now, and no longer scheduled.
  const reason = recipient.reason === SCHEDULED ? null : recipient.reason;
  const history = retriedEntry(attempts, { nowMs, by });
  return { recipient, result: "pending", reason, category, smtp, dueMs: nowMs, history };
}

export const retryOperations = {
  reads: {},
  writes: { retryMessage, retryFailedStep, retryWaiting },
} as const satisfies OperationSet;

/** `onDue` is called when recipients have become due at a moment. */
export function retriesOf(
  runner: Runner,
  onDue: (dueMs: number) => void,
): Pick<Operations, "retry" | "retryFailed" | "retryDomain"> {
  const operations = bind(retryOperations, runner);
  return {
    async retry(filter) {
      const count = await operations.retryMessage(filter);
      // A message may have left the quarantine, although none of its recipients was selected.
      onDue(filter.nowMs);
      return count;
    },
    async retryFailed(step) {
      const retried = await operations.retryFailedStep(step);
      if (!step.dryRun && retried.recipients.length > 0) onDue(step.nowMs);
      return retried;
    },
    async retryDomain(request) {
      const count = await operations.retryWaiting(request);
      if (count > 0) onDue(request.nowMs);
      return count;
    },
  };
}
