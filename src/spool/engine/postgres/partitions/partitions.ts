/**
 * The partitions of the tables of messages: one for each UTC day of acceptance, made some days in advance, or else when the first
 * message of the day arrives. Retention drops them (day-drop.ts); what it must keep moves to the default partition.
 *
 * A partition is attached under an exclusive lock on the default partition, which is also taken by most reads. A long read, such
 * as that of pg_dump, makes others wait in turn, so nothing waits long for this lock.
 */
import type { Database } from "../connection/database.ts";
import { type Session, type Statement, statement, unprepared } from "../connection/statement.ts";
import { dayOfNumber, firstNumberAt, firstNumberOfDay } from "../mail/message-number.ts";

/**
 * Every table that is partitioned by messages.seq, in the order in which acceptance locks them. What locks several of them takes
 * this order.
 */
export const PARTITIONED_TABLES = ["messages", "contents", "recipients", "message_tags", "events"] as const;

export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

/** The name of a table's partition for a day since the epoch, which may be negative. */
export const partitionName = (table: PartitionedTable, day: number): string =>
  `${table}_${day < 0 ? `before_${-day}` : day}`;

/** Options of each table's partitions. A content of up to 8 kB stays in its row: a TOAST table costs three more writes. */
const OPTIONS: Record<PartitionedTable, string> = {
  messages: "",
  contents: "WITH (toast_tuple_target = 8160)",
  recipients: "",
  message_tags: "",
  events: "",
};

/** How many days after the present one have partitions. */
const DAYS_AHEAD = 2;

/** How long a message waits for the partitions of its day, and how long partitions made in advance do. */
const LOCK_MAX_MS = 2000;
const LOCK_AHEAD_MAX_MS = 100;

/** The advisory lock under which partitions are made and dropped. */
const PARTITION_LOCK = 0x7061_7274;

const lock = statement("SELECT pg_advisory_xact_lock($1)");
const isKnown = statement("SELECT 1 FROM partitions WHERE day = $1");
const add = statement("INSERT INTO partitions (day) VALUES ($1)");

/**
 * Takes the lock under which partitions are made and dropped, until the end of the transaction. It waits at most `lockMaxMs` for
 * this and for each lock that follows; then it rejects with an error of which isLockTimeout is true.
 */
export async function lockPartitions(session: Session, lockMaxMs: number): Promise<void> {
  await session.run(unprepared(`SET LOCAL lock_timeout = ${lockMaxMs}`));
  await session.run(lock, [PARTITION_LOCK]);
}

/** Knows the days for which partitions exist, and makes those that are missing. */
export class Partitions {
  readonly #database: Database;
  readonly #known = new Set<number>();
  readonly #underWay = new Map<number, Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Makes the partitions of a day unless they exist. A day whose partitions were dropped gets none: its rows go to the default
   * partition. Rejects with SpoolUnavailable if a long read keeps them from being made.
   */
  make(day: number, lockMaxMs = LOCK_MAX_MS): Promise<void> {
    if (this.#known.has(day)) return Promise.resolve();
    const known = this.#underWay.get(day);
    if (known !== undefined) return known;
    const made = this.#make(day, lockMaxMs).finally(() => this.#underWay.delete(day));
    this.#underWay.set(day, made);
    return made;
  }

  /** To be called every minute: makes the partitions of the present day and of those that follow. Rejects as `make` does. */
  async makeAhead(nowMs: number): Promise<void> {
    const today = dayOfNumber(firstNumberAt(nowMs));
    for (let day = today; day <= today + DAYS_AHEAD; day += 1) await this.make(day, LOCK_AHEAD_MAX_MS);
  }

  async #make(day: number, lockMaxMs: number): Promise<void> {
    await this.#database.transaction(async (session) => {
      await lockPartitions(session, lockMaxMs);
      const { count } = await session.run(isKnown, [day]);
      if (count > 0) return;
      for (const table of PARTITIONED_TABLES) await makePartition(session, table, day);
      await session.run(add, [day]);
    });
    this.#known.add(day);
  }
}

/** ATTACH takes a weaker lock than CREATE TABLE … PARTITION OF: messages are accepted meanwhile. */
async function makePartition(session: Session, table: PartitionedTable, day: number): Promise<void> {
  const name = partitionName(table, day);
  await session.run(unprepared(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL) ${OPTIONS[table]}`));
  await session.run(attach(table, day));
}

function attach(table: PartitionedTable, day: number): Statement {
  const [from, to] = [firstNumberOfDay(day), firstNumberOfDay(day + 1)];
  const bounds = `FOR VALUES FROM (${from}) TO (${to})`;
  return unprepared(`ALTER TABLE ${table} ATTACH PARTITION ${partitionName(table, day)} ${bounds}`);
}

/** Makes the tables of a day's partitions to be filled before `attachFilled`: without indexes, and no partitions yet. */
export async function makeUnattached(session: Session, day: number): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    const like = `LIKE ${table} INCLUDING ALL EXCLUDING INDEXES`;
    await session.run(unprepared(`CREATE TABLE ${partitionName(table, day)} (${like}) ${OPTIONS[table]}`));
  }
}

/** Makes partitions of a day's filled tables. The server builds their indexes, which is faster than adding row by row. */
export async function attachFilled(session: Session, day: number): Promise<void> {
  for (const table of PARTITIONED_TABLES) await session.run(attach(table, day));
  await session.run(add, [day]);
}
