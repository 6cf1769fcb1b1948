/**
 * Failed attempts at passwords and codes, counted by all nodes together. Times are those of the database's clock. Counters are
 * rows that end some time after their last failure; a flood of attempts forgets the oldest ones.
 */
import {
  type AttemptCounter,
  type AttemptLimiter,
  COUNTERS_MAX,
  type CounterName,
} from "../../../port/attempt-limiter.ts";
import { attemptWaitMs, type Failures, failuresIn } from "../../../records/attempt-wait.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";

/** So many calls of this process pass from one sweep of the table to the next. */
const SWEEP_EVERY = 100;

const AGE_MS = `(extract(epoch FROM clock_timestamp() - last_at) * 1000)::float8 AS "ageMs"`;

const NAMED = "unnest($1::text[], $2::text[]) AS named (kind, name)";

// A row that is only locked is changed all the same, so that an absent one is locked too. In the order of the primary key: two
// nodes cannot wait for each other in a circle.
const lock = statement<CounterName & Failures>(
  `INSERT INTO attempt_counters AS counter (kind, name, failures, last_at, ends_at)
     SELECT kind, name, 0, clock_timestamp(), clock_timestamp() FROM ${NAMED} ORDER BY kind, name
   ON CONFLICT (kind, name) DO UPDATE SET failures = counter.failures
   RETURNING kind, name, failures AS count, ${AGE_MS}`,
);
const find = statement<CounterName & Failures>(
  `SELECT kind, name, failures AS count, ${AGE_MS} FROM attempt_counters JOIN ${NAMED} USING (kind, name)`,
);
const count = statement(
  `UPDATE attempt_counters SET failures = counted.failures, last_at = clock_timestamp(),
          ends_at = clock_timestamp() + counted.reset_ms * interval '1 ms'
     FROM unnest($1::text[], $2::text[], $3::int[], $4::float8[]) AS counted (kind, name, failures, reset_ms)
    WHERE attempt_counters.kind = counted.kind AND attempt_counters.name = counted.name`,
);
const undo = statement(
  `UPDATE attempt_counters SET failures = failures - 1
     FROM ${NAMED} WHERE attempt_counters.kind = named.kind AND attempt_counters.name = named.name AND failures > 0`,
);
const remove = statement(
  `DELETE FROM attempt_counters USING ${NAMED} WHERE attempt_counters.kind = named.kind AND attempt_counters.name = named.name`,
);
const sweep = statement(
  `DELETE FROM attempt_counters WHERE ends_at < clock_timestamp() OR (kind, name) IN (
     SELECT kind, name FROM (
       SELECT kind, name, row_number() OVER (PARTITION BY kind ORDER BY last_at DESC) AS place FROM attempt_counters) AS placed
      WHERE place > ${COUNTERS_MAX})`,
);

export class AttemptCounters implements AttemptLimiter {
  readonly #database: Database;
  /** Calls until the next sweep. */
  #callsLeft = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async countFailure(counters: readonly AttemptCounter[]): Promise<number> {
    if (this.#callsLeft === 0) await this.#database.run(sweep);
    this.#callsLeft = this.#callsLeft === 0 ? SWEEP_EVERY : this.#callsLeft - 1;
    return this.#database.transaction((session) => countFailure(session, counters));
  }

  async waitMs(counters: readonly AttemptCounter[]): Promise<number> {
    return longestWaitMs(counters, (await this.#database.run(find, namesOf(counters))).rows);
  }

  /** A counter without failures is left to the sweep: two nodes may undo theirs at the same time. */
  async undoFailure(counters: readonly CounterName[]): Promise<void> {
    await this.#database.run(undo, namesOf(counters));
  }

  async forget(counters: readonly CounterName[]): Promise<void> {
    await this.#database.run(remove, namesOf(counters));
  }
}

async function countFailure(session: Session, counters: readonly AttemptCounter[]): Promise<number> {
  const { rows } = await session.run(lock, namesOf(counters));
  const waitMs = longestWaitMs(counters, rows);
  if (waitMs > 0) return waitMs;
  const failures = counters.map(({ policy, ...counter }) => failuresIn(policy, failuresOf(counter, rows)) + 1);
  await session.run(count, [...namesOf(counters), failures, counters.map(({ policy }) => policy.resetMs)]);
  return 0;
}

const namesOf = (counters: readonly CounterName[]): unknown[] => [
  counters.map(({ kind }) => kind),
  counters.map(({ name }) => name),
];

function longestWaitMs(counters: readonly AttemptCounter[], rows: readonly (CounterName & Failures)[]): number {
  return Math.max(0, ...counters.map(({ policy, ...counter }) => attemptWaitMs(policy, failuresOf(counter, rows))));
}

const NONE: Failures = { count: 0, ageMs: 0 };

function failuresOf({ kind, name }: CounterName, rows: readonly (CounterName & Failures)[]): Failures {
  return rows.find((row) => row.kind === kind && row.name === name) ?? NONE;
}
