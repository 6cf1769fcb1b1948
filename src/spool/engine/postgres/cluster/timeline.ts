/**
 * What the server says of its history: which server, which timeline, and where the timeline begins. Every function that is used
 * here may be called by any role.
 */
import { type Session, statement } from "../connection/statement.ts";

export interface Timeline {
  /** Of the database cluster: a standby has that of its primary, a restored dump has another one. */
  system: string;
  /** Eight hexadecimal digits. Each promotion begins another one. */
  timeline: string;
  /** Of the table key_values, which has another one after a restore of the tables. */
  table: number;
  /** The end of the write-ahead log, in bytes. */
  insertLsn: number;
  /** What the server had replayed when it was promoted; null if it has been restarted since. */
  forkLsn: number | null;
  /** When the last transaction was committed that it had replayed; null if that is not known. */
  forkMs: number | null;
}

const BYTES = (lsn: string): string => `pg_wal_lsn_diff(${lsn}, '0/0')::bigint`;

/** A column of the bytes that are on the server's disk. */
export const FLUSHED_LSN = BYTES("pg_current_wal_flush_lsn()");

// The name of the present WAL file begins with the timeline.
const readTimeline = statement<Timeline>(
  `SELECT system_identifier::text AS system, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
          'key_values'::regclass::oid::bigint AS table, ${BYTES("pg_current_wal_insert_lsn()")} AS "insertLsn",
          ${BYTES("pg_last_wal_replay_lsn()")} AS "forkLsn",
          (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000)::bigint AS "forkMs"
     FROM pg_control_system()`,
);

// A number is microseconds since the epoch then, of which more pass than events happen.
const skip = statement(
  `SELECT setval('event_numbers', greatest(last_value, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint))
     FROM event_numbers`,
);

export async function timelineOf(session: Session): Promise<Timeline> {
  const [row] = (await session.run(readTimeline)).rows;
  if (row === undefined) throw new Error("the server has not named its timeline");
  return row;
}

/** As it is stored. */
export const timelineText = ({ system, timeline, table }: Timeline): string => `${system} ${timeline} ${table}`;

/** Whether `next` is the same database after a promotion of one of its standbys. */
export const isPromoted = (before: Timeline, next: Timeline): boolean =>
  next.system === before.system && next.table === before.table && next.timeline > before.timeline;

/** Gives new events greater numbers than any that were lost: readers may have seen those, and continue after them. */
export async function skipEventNumbers(session: Session): Promise<void> {
  await session.run(skip);
}
