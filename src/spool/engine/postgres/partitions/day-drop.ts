/**
 * Deletes what a day of acceptance has stored, except for the messages that a scan has found to be kept (day-scan.ts): first its
 * contents, and later everything else.
 *
 * Contents are deleted by TRUNCATE of the day's partition, to which the kept ones are added again; no other partition is locked.
 * A whole day is deleted by DETACH and DROP, which need exclusive locks on all tables, so acceptance waits meanwhile. What takes
 * time is therefore done before these locks: until then, only writes to messages of the day wait.
 */
import { MIB } from "../../../../lib/units.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement, unprepared } from "../connection/statement.ts";
import { type TaggedMessage, tagColumns } from "../reports/tag-columns.ts";
import { IN_DAY, noteDeleted, numbersOfDay } from "./day-numbers.ts";
import type { DayScan, KeptNow } from "./day-scan.ts";
import { lockPartitions, PARTITIONED_TABLES, partitionName } from "./partitions.ts";

/** The most content of kept messages. Beyond that, the day waits until less must be kept. */
const TRUNCATE_KEEPS_BYTES_MAX = 64 * MIB;
const DROP_KEEPS_BYTES_MAX = 16 * MIB;

const findState = statement<{ contentsDropped: boolean; dropped: boolean }>(
  `SELECT contents_dropped AS "contentsDropped", dropped FROM partitions WHERE day = $1`,
);
const setContentsDropped = statement("UPDATE partitions SET contents_dropped = true WHERE day = $1");
const setDropped = statement("UPDATE partitions SET contents_dropped = true, dropped = true WHERE day = $1");

interface KeptMessage extends TaggedMessage {
  sizeBytes: number;
}

const findKept = statement<KeptMessage>(
  `SELECT seq, account_id AS "accountId", size_bytes AS "sizeBytes", tags FROM messages
     WHERE ${IN_DAY} AND seq = ANY ($3::bigint[])`,
);
const addTags = statement(
  `INSERT INTO message_tags (seq, account_id, tag)
     SELECT seq, account_id, tag FROM unnest($1::bigint[], $2::text[], $3::text[]) AS t (seq, account_id, tag)`,
);
const forgetFeedback = statement(`DELETE FROM feedback WHERE ${IN_DAY} AND seq <> ALL ($3::bigint[])`);
const forgetQuarantined = statement(`DELETE FROM quarantined WHERE ${IN_DAY} AND seq <> ALL ($3::bigint[])`);

/** `done`: another node has done it. `too_many`: too much must be kept. */
export type DayResult = { type: "deleted"; messages: number } | { type: "done" } | { type: "too_many" };

/** Waits at most `lockMaxMs` for each lock; rejects with an error of which isLockTimeout is true. */
export function dropContents(database: Database, scan: DayScan, lockMaxMs: number): Promise<DayResult> {
  return database.transaction(async (session) => {
    await lockPartitions(session, lockMaxMs);
    const [state] = (await session.run(findState, [scan.day])).rows;
    if (state === undefined || state.contentsDropped || state.dropped) return { type: "done" };
    const kept = await freeze(session, scan, TRUNCATE_KEEPS_BYTES_MAX);
    if (kept === null) return { type: "too_many" };
    await truncateContents(session, scan.day, kept.seqs);
    await session.run(setContentsDropped, [scan.day]);
    return { type: "deleted", messages: Math.max(0, scan.messages - kept.messages.length) };
  });
}

/** As dropContents, for all that the day has stored. */
export function dropDay(database: Database, scan: DayScan, lockMaxMs: number): Promise<DayResult> {
  return database.transaction(async (session) => {
    await lockPartitions(session, lockMaxMs);
    const [state] = (await session.run(findState, [scan.day])).rows;
    if (state === undefined || state.dropped) return { type: "done" };
    const kept = await freeze(session, scan, DROP_KEEPS_BYTES_MAX);
    if (kept === null) return { type: "too_many" };
    await noteDeleted(session, scan.day, { now: kept.numbers, kept: kept.seqs });
    await session.run(forgetFeedback, [...numbersOfDay(scan.day), kept.seqs]);
    await session.run(forgetQuarantined, [...numbersOfDay(scan.day), kept.seqs]);
    await dropPartitions(session, scan.day, kept);
    await session.run(setDropped, [scan.day]);
    return { type: "deleted", messages: Math.max(0, scan.messages - kept.messages.length) };
  });
}

interface Kept extends KeptNow {
  /** The messages among `seqs`; the others are events of domains. */
  messages: KeptMessage[];
}

/**
 * Locks the day's messages and events against changes, not against reads. Returns what must be kept, or null for too much. No
 * final recipient becomes pending while its message is locked, and no result is stored without its event.
 */
async function freeze(session: Session, scan: DayScan, bytesMax: number): Promise<Kept | null> {
  const [messages, events] = [partitionName("messages", scan.day), partitionName("events", scan.day)];
  await session.run(unprepared(`LOCK TABLE ${messages}, ${events} IN EXCLUSIVE MODE`));
  const kept = await scan.keptNow(session);
  if (kept === "too_many") return null;
  const { rows } = await session.run(findKept, [...numbersOfDay(scan.day), kept.seqs]);
  const bytes = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return bytes > bytesMax ? null : { ...kept, messages: rows };
}

async function truncateContents(session: Session, day: number, kept: readonly number[]): Promise<void> {
  const name = partitionName("contents", day);
  const copy = `${name}_kept`;
  await session.run(unprepared(`CREATE UNLOGGED TABLE ${copy} (LIKE ${name} INCLUDING STORAGE)`));
  await session.run(unprepared(`INSERT INTO ${copy} SELECT * FROM ${name} WHERE seq = ANY ($1::bigint[])`), [kept]);
  await session.run(unprepared(`TRUNCATE ${name}`));
  await session.run(unprepared(`INSERT INTO ${name} SELECT * FROM ${copy}`));
  await session.run(unprepared(`DROP TABLE ${copy}`));
}

async function dropPartitions(session: Session, day: number, { seqs, messages }: Kept): Promise<void> {
  const parents = PARTITIONED_TABLES.map((table) => `ONLY ${table}`).join(", ");
  await session.run(unprepared(`LOCK TABLE ${parents} IN ACCESS EXCLUSIVE MODE`));
  for (const table of PARTITIONED_TABLES) {
    const name = partitionName(table, day);
    await session.run(unprepared(`ALTER TABLE ${table} DETACH PARTITION ${name}`));
    if (table !== "message_tags" && seqs.length > 0) {
      const move = unprepared(`INSERT INTO ${table} SELECT * FROM ${name} WHERE seq = ANY ($1::bigint[])`);
      await session.run(move, [seqs]);
    }
    await session.run(unprepared(`DROP TABLE ${name}`));
  }
  await session.run(addTags, tagColumns(messages));
}
