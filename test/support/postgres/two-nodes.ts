/** Two nodes on one database, whose calls meet at a lock: the order in which they would otherwise run is chance. */
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import { Database } from "../../../src/spool/engine/postgres/connection/database.ts";
import { freshDatabase } from "./fresh-database.ts";

const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 5;

export interface TwoNodes {
  nodes: [Database, Database];
  /** A session beside the nodes. */
  client: Client;
  /**
   * Begins the calls while another session holds the lock that `lockSql` takes, and lets that go once all of them wait for a
   * lock. Resolves with their values.
   */
  meet<T>(lockSql: string, calls: readonly (() => Promise<T>)[]): Promise<T[]>;
}

export interface TwoNodesOptions {
  /** Joins as those of large tables: by an index, in the order of the values. */
  withNestedLoops?: boolean;
}

/** The nodes end with the test. */
export async function twoNodes(t: TestContext, { withNestedLoops = false }: TwoNodesOptions = {}): Promise<TwoNodes> {
  const { url, connect } = await freshDatabase(t);
  const newNode = (): Database => {
    const database = new Database({ connectionString: url });
    t.after(() => database.close());
    return database;
  };
  const client = await connect();
  if (withNestedLoops) await client.query(NESTED_LOOPS);
  return {
    nodes: [newNode(), newNode()],
    client,
    async meet(lockSql, calls) {
      const blocker = await connect();
      await blocker.query("BEGIN");
      await blocker.query(lockSql);
      const values = Promise.all(calls.map((call) => call()));
      await Promise.race([values, untilBlocked(client, calls.length)]);
      await blocker.query("COMMIT");
      return values;
    },
  };
}

const NESTED_LOOPS = ["enable_hashjoin", "enable_mergejoin", "enable_seqscan"]
  .map((method) => `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${method} = off', current_database()); END $$`)
  .join(";");

const BLOCKED =
  "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

async function untilBlocked(client: Client, count: number): Promise<void> {
  const giveUpMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ count: number }>(BLOCKED);
    if (rows[0]?.count === count) return;
    if (Date.now() > giveUpMs) throw new Error(`${rows[0]?.count} of ${count} calls wait for a lock`);
    await delay(LOOK_EVERY_MS);
  }
}
