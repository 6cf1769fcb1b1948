/**
 * Deletes messages and contents row by row, where a whole day cannot be dropped: what was kept of a dropped day, and days of
 * which too much must be kept. A step looks at a bounded number of messages.
 */
import { type Session, statement } from "../connection/statement.ts";
import { type TaggedMessage, tagColumns } from "../reports/tag-columns.ts";

export interface RowStep {
  /** Looks at messages from this number on. */
  from: number;
  /** And before this one. */
  to: number;
  /** Most messages to look at. */
  limit: number;
  /** Messages with an event from this moment on are kept. */
  limitMs: number;
}

export interface RowResult {
  deleted: number;
  /** Where the next step continues; null at the end. */
  next: number | null;
}

const findContents = statement<{ seq: number }>(
  "SELECT seq FROM contents WHERE seq >= $1 AND seq < $2 AND part = 0 ORDER BY seq LIMIT $3",
);
const findMessages = statement<{ seq: number }>(
  "SELECT seq FROM messages WHERE seq >= $1 AND seq < $2 ORDER BY seq LIMIT $3",
);

/** Rows of these messages; the range lets PostgreSQL pass over the other partitions. */
const OF_MESSAGES = "seq BETWEEN $2 AND $3 AND seq = ANY ($1::bigint[])";

// A retry holds this lock while it makes recipients pending, so none is made pending from here on. One that does so now is left
// out.
const lockMessages = statement<TaggedMessage>(
  `SELECT seq, account_id AS "accountId", tags FROM messages WHERE ${OF_MESSAGES} ORDER BY seq FOR UPDATE SKIP LOCKED`,
);

const findPast = statement<{ seq: number }>(
  `SELECT seq FROM unnest($1::bigint[]) AS m (seq)
     WHERE (SELECT 1 FROM work w WHERE w.seq = m.seq LIMIT 1) IS NULL
       AND (SELECT 1 FROM unknown_recipients u WHERE u.seq = m.seq LIMIT 1) IS NULL
       AND (SELECT 1 FROM events e WHERE e.seq = m.seq AND e.at_ms >= $2 LIMIT 1) IS NULL
     ORDER BY seq`,
);

const deleteContents = statement(`DELETE FROM contents WHERE ${OF_MESSAGES}`);
const deleteRecipients = statement(`DELETE FROM recipients WHERE ${OF_MESSAGES}`);
const deleteMessages = statement(`DELETE FROM messages WHERE ${OF_MESSAGES}`);
const deleteFeedback = statement(`DELETE FROM feedback WHERE ${OF_MESSAGES}`);
const deleteQuarantined = statement(`DELETE FROM quarantined WHERE ${OF_MESSAGES}`);
const deleteTags = statement(
  `DELETE FROM message_tags t USING unnest($1::bigint[], $2::text[], $3::text[]) AS d (seq, account_id, tag)
     WHERE t.account_id = d.account_id AND t.tag = d.tag AND t.seq = d.seq`,
);

const pruning = (condition: string) =>
  statement(
    `WITH gone AS (DELETE FROM events WHERE ${condition} RETURNING account_id, number, type)
     INSERT INTO events_pruned AS pruned (account_id, number)
       SELECT account_id, max(number) FROM gone WHERE type IS NOT NULL GROUP BY account_id ORDER BY account_id
       ON CONFLICT (account_id) DO UPDATE SET number = greatest(pruned.number, excluded.number)`,
  );
const deleteEvents = pruning(OF_MESSAGES);
const deleteDomainEvents = pruning("seq >= $1 AND seq < $2 AND domain IS NOT NULL AND at_ms < $3");

/** Deletes contents in a transaction of the caller's. */
export async function deleteContentRows(session: Session, step: RowStep): Promise<RowResult> {
  const found = (await session.run(findContents, [step.from, step.to, step.limit])).rows.map(({ seq }) => seq);
  const past = (await lockPast(session, found, step.limitMs)).map(({ seq }) => seq);
  if (past.length > 0) await session.run(deleteContents, boundedBy(past));
  return { deleted: past.length, next: nextOf(found, step) };
}

/** Deletes messages, and events of domains, in a transaction of the caller's. */
export async function deleteMessageRows(session: Session, step: RowStep): Promise<RowResult> {
  const found = (await session.run(findMessages, [step.from, step.to, step.limit])).rows.map(({ seq }) => seq);
  const next = nextOf(found, step);
  const past = await lockPast(session, found, step.limitMs);
  if (past.length > 0) await deleteWhole(session, past);
  await session.run(deleteDomainEvents, [step.from, next ?? step.to, step.limitMs]);
  return { deleted: past.length, next };
}

async function deleteWhole(session: Session, messages: readonly TaggedMessage[]): Promise<void> {
  const rows = boundedBy(messages.map(({ seq }) => seq));
  await session.run(deleteContents, rows);
  await session.run(deleteRecipients, rows);
  await session.run(deleteTags, tagColumns(messages));
  await session.run(deleteEvents, rows);
  await session.run(deleteMessages, rows);
  await session.run(deleteFeedback, rows);
  await session.run(deleteQuarantined, rows);
}

/** Locks the messages whose recipients are all final, and whose retention period is over. */
async function lockPast(session: Session, seqs: readonly number[], limitMs: number): Promise<TaggedMessage[]> {
  if (seqs.length === 0) return [];
  const { rows } = await session.run(lockMessages, boundedBy(seqs));
  const past = await session.run(findPast, [rows.map(({ seq }) => seq), limitMs]);
  const ofPast = new Set(past.rows.map(({ seq }) => seq));
  return rows.filter(({ seq }) => ofPast.has(seq));
}

/** The parameters of OF_MESSAGES, of numbers in their order. */
const boundedBy = (seqs: readonly number[]): unknown[] => [seqs, seqs.at(0), seqs.at(-1)];

const nextOf = (found: readonly number[], { limit }: RowStep): number | null =>
  found.length === limit ? (found.at(-1) ?? 0) + 1 : null;
