/**
 * Finds in a database that has failed over what it has lost of this node's work, and keeps it from being sent again: a recipient
 * that waits there, but was delivered or had its final dot sent, gets the mark that shows it. The recovery then decides about it as
 * about any other mark. Nothing changes where nothing is lost.
 */
import { LOST_RESULT } from "../../../records/attempt-entry.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";
import type { LeasedRow } from "../mail/work-writes.ts";
import type { Finished, RecentMessage } from "./recent-work.ts";

const STEP = 1000;

/** The owner of what no node is at work on. No node has this number, so the recovery finds it as the work of a forgotten one. */
const NO_OWNER = 0;

/** The evidence of a mark, or of a result, that the database has lost. */
const lostMark = (atMs: number): string => JSON.stringify({ at_ms: atMs, mx: LOST_RESULT, ip: null });

// A person may have sent it again since: then it has as many attempts as its result.
const markFinished = statement(
  `UPDATE work w SET owner = ${NO_OWNER}, epoch = 0, mark = $4
     FROM unnest($1::bigint[], $2::int[], $3::int[]) AS i (seq, position, attempts)
    WHERE w.seq = i.seq AND w.position = i.position AND w.attempts < i.attempts`,
);

// The attempt goes on: its result is settled under the lease that it has.
const markAttempted = statement(
  `UPDATE work w SET owner = i.owner, epoch = i.epoch, mark = $5
     FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[]) AS i (seq, position, owner, epoch)
    WHERE w.seq = i.seq AND w.position = i.position AND w.mark IS NULL`,
);

// The attempt has ended, and its settlement is lost: no node would settle the row, and the result is not known.
const disownEnded = statement(
  `UPDATE work w SET owner = ${NO_OWNER}, epoch = 0
    WHERE w.owner = ANY ($1::bigint[]) AND w.mark IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM unnest($2::bigint[], $3::int[]) AS i (seq, position)
                       WHERE i.seq = w.seq AND i.position = w.position)`,
);

const markLeases = statement("UPDATE work SET mark = $2 WHERE owner = ANY ($1::bigint[]) AND mark IS NULL");

const findLost = statement<{ id: string }>(
  `SELECT i.id FROM unnest($1::bigint[], $2::text[]) AS i (seq, id)
    WHERE (SELECT m.id FROM messages m WHERE m.seq = i.seq) IS DISTINCT FROM i.id`,
);

export interface OwnWork {
  finished: readonly Finished[];
  /** Recipients whose final dot may have left, in an attempt that goes on. */
  attempted: readonly LeasedRow[];
  /** The numbers under which this process leases work, and what it leases. What else is marked under them is of attempts that have ended. */
  owners: readonly number[];
  leased: readonly LeasedRow[];
  accepted: readonly RecentMessage[];
}

export interface LostWork {
  /** Recipients whose mark or result is lost. */
  recipients: number;
  /** Messages that were answered with 202. */
  messageIds: string[];
}

/** Marks what is lost, and returns it. */
export async function markLostWork(database: Database, work: OwnWork, nowMs: number): Promise<LostWork> {
  const mark = lostMark(nowMs);
  let recipients = 0;
  for (const rows of steps(work.finished)) {
    const attempts = rows.map((row) => row.attempts);
    recipients += (await database.run(markFinished, [...keys(rows), attempts, mark])).count;
  }
  for (const rows of steps(work.attempted)) {
    const leases = [rows.map(({ owner }) => owner), rows.map(({ epoch }) => epoch)];
    recipients += (await database.run(markAttempted, [...keys(rows), ...leases, mark])).count;
  }
  recipients += (await database.run(disownEnded, [work.owners, ...keys(work.leased)])).count;
  const messageIds: string[] = [];
  for (const rows of steps(work.accepted)) {
    const { rows: lost } = await database.run(findLost, [rows.map(({ seq }) => seq), rows.map(({ id }) => id)]);
    messageIds.push(...lost.map(({ id }) => id));
  }
  return { recipients, messageIds };
}

/** Marks all that these nodes lease: the marks that they had may be lost, and they are not there to say so. */
export async function markLeasesOf(session: Session, nodes: readonly number[], nowMs: number): Promise<number> {
  return (await session.run(markLeases, [nodes, lostMark(nowMs)])).count;
}

const keys = (rows: readonly { seq: number; position: number }[]): unknown[] => [
  rows.map(({ seq }) => seq),
  rows.map(({ position }) => position),
];

function* steps<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += STEP) yield rows.slice(from, from + STEP);
}
