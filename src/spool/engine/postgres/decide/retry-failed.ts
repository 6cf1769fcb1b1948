/**
 * Makes failed recipients pending again, in steps: after a delisting there may be a hundred thousand. A step goes over the failed
 * results of an account in the order of acceptance, so the oldest are due first, and leaves out those that were retried since.
 * retry-message.ts retries the pending and unknown recipients of one message.
 */
import { isTestRoute } from "../../../../message/test-route.ts";
import type { RetryFailedResult, RetryFailedStep } from "../../../port/operations.ts";
import { selectRetried } from "../../../records/failed-filter.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import { retriedEntry } from "../../../records/retried-entry.ts";
import type { RecipientKey } from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { liftDeadline } from "../mail/deadlines.ts";
import { type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { lockMessages, namedRecipients } from "../mail/named-recipients.ts";
import { releaseQuarantined } from "../quarantine/quarantine.ts";
import {
  keyColumns,
  type NewestState,
  newestStates,
  pendingState,
  recipientName,
} from "../reports/recipient-states.ts";

interface Details extends RecipientKey {
  email: string;
  domain: string;
  messageId: string;
  deadlineMs: number | null;
  hasContent: boolean;
  isQuarantined: boolean;
}

interface FailedRow extends Details, Pick<NewestState, "reason" | "category" | "attempts"> {
  failedAtMs: number;
}

/** Also results that are not the newest any more; the first condition lets PostgreSQL pass over the partitions before it. */
const findFailed = statement<RecipientKey>(
  `SELECT DISTINCT seq, position FROM events
     WHERE account_id = $1 AND result = 'failed' AND seq >= $2 AND (seq, position) > ($2, $3) AND seq <= $4
     ORDER BY seq, position LIMIT $5`,
);

const findSeq = statement<{ seq: number }>("SELECT seq FROM messages WHERE id = $1");

// A subquery for each row is a probe of one partition; the planner prefers to read all partitions for a join.
const findDetails = statement<Details>(
  `SELECT k.seq, k.position, r.email, r.domain, m.id AS "messageId", m.deadline_ms AS "deadlineMs",
          (SELECT 1 FROM contents c WHERE c.seq = k.seq AND c.part = 0) IS NOT NULL AS "hasContent",
          (SELECT 1 FROM quarantined q WHERE q.seq = k.seq) IS NOT NULL AS "isQuarantined"
     FROM unnest($1::bigint[], $2::int[]) AS k (seq, position),
       LATERAL (SELECT id, deadline_ms FROM messages WHERE seq = k.seq LIMIT 1) m,
       LATERAL (SELECT email, domain FROM recipients WHERE seq = k.seq AND position = k.position LIMIT 1) r
     ORDER BY k.seq, k.position`,
);

const addWork = statement(
  `INSERT INTO work (seq, position, account_id, domain, due_ms, attempts)
     SELECT seq, position, $4, domain, $5, attempts
       FROM unnest($1::bigint[], $2::int[], $3::text[], $6::int[]) AS w (seq, position, domain, attempts)`,
);

// The range lets PostgreSQL pass over the other partitions.
const renew = statement(
  `UPDATE messages SET expires_at_ms = $4 WHERE seq BETWEEN $2 AND $3 AND seq = ANY ($1::bigint[]) AND expires_at_ms < $4`,
);

export interface RetriedStep {
  result: RetryFailedResult;
  /** The events of the retried recipients, which were written. */
  events: NewEvent[];
  /** When the retried recipients had failed, if that was counted. */
  failedAtMs: number[];
}

/**
 * Runs one step in a transaction of the caller's. A quarantined message is left out as unreadable, unless the step is about that
 * message alone and `isReadable` says that it was read again: then it is released.
 */
export async function retryFailed(session: Session, step: RetryFailedStep, isReadable: boolean): Promise<RetriedStep> {
  const failed = await pageOf(session, step);
  if (!step.dryRun) await session.run(lockMessages, [failed.map(({ seq }) => seq)]);
  const rows = await readFailed(session, failed);
  const readable = rows.filter(({ isQuarantined }) => !isQuarantined || (step.messageId !== undefined && isReadable));
  const { due, result: retried } = selectRetried(step, readable);
  const isEnd = step.recipients !== undefined || failed.length < step.limit;
  const last = isEnd ? undefined : failed.at(-1);
  const result: RetryFailedResult = {
    ...retried,
    unreadable: rows.length - readable.length,
    next: last === undefined ? null : recipientName(last),
  };
  if (step.dryRun || due.length === 0) return { result, events: [], failedAtMs: [] };
  const counted = due.filter(({ domain }) => !isTestRoute(domain));
  return { result, events: await makeDue(session, due, step), failedAtMs: counted.map(({ failedAtMs }) => failedAtMs) };
}

async function pageOf(session: Session, step: RetryFailedStep): Promise<RecipientKey[]> {
  const { accountId, messageId, recipients, after, limit } = step;
  if (recipients !== undefined) return namedRecipients(session, { accountId, recipients });
  const [only] = messageId === undefined ? [] : (await session.run(findSeq, [storedText(messageId)])).rows;
  if (messageId !== undefined && only === undefined) return [];
  const [seq = 0, position = -1] = after === null ? [only?.seq] : after.split(" ").map(Number);
  const lastSeq = only?.seq ?? Number.MAX_SAFE_INTEGER;
  return (await session.run(findFailed, [accountId, seq, position, lastSeq, limit])).rows;
}

/** Reads those that are failed still. */
async function readFailed(session: Session, keys: readonly RecipientKey[]): Promise<FailedRow[]> {
  const states = await newestStates(session, keys);
  const isFailed = (key: RecipientKey): boolean => states.get(recipientName(key))?.result === "failed";
  const { rows } = await session.run(findDetails, keyColumns(keys.filter(isFailed)));
  return rows.flatMap((row) => {
    const state = states.get(recipientName(row));
    if (state === undefined) return [];
    const { reason, category, attempts, atMs: failedAtMs } = state;
    return [{ ...row, reason, category, attempts, failedAtMs }];
  });
}

async function makeDue(
  session: Session,
  rows: readonly FailedRow[],
  { accountId, nowMs, expiresAtMs, by }: RetryFailedStep,
): Promise<NewEvent[]> {
  const seqs = [...new Set(rows.map(({ seq }) => seq))];
  const [domains, attempts] = [rows.map(({ domain }) => domain), rows.map((row) => row.attempts)];
  await session.run(addWork, [...keyColumns(rows), domains, accountId, nowMs, attempts]);
  await session.run(renew, [seqs, seqs.at(0), seqs.at(-1), expiresAtMs]);
  const deadlines = new Map(rows.map(({ seq, deadlineMs }) => [seq, deadlineMs]));
  for (const [seq, deadlineMs] of deadlines) {
    if (deadlineMs !== null && deadlineMs <= nowMs) await liftDeadline(session, seq, deadlineMs);
  }
  await releaseQuarantined(session, seqs);
  const events = rows.map((row) => ({
    seq: row.seq,
    accountId,
    atMs: nowMs,
    type: typeOfResult("pending"),
    recipient: pendingState(row, undefined),
    history: retriedEntry(row.attempts, { nowMs, by }),
  }));
  await writeEvents(session, events);
  return events;
}
