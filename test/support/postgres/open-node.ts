/** Nodes for tests of the spool's PostgreSQL form: their timers fire early, and a test can let a lease expire. */
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../src/lib/clock.ts";
import { createLog } from "../../../src/lib/log.ts";
import { REPLY_MAX_MS } from "../../../src/spool/engine/postgres/connection/own-connection.ts";
import { openPostgresSpool } from "../../../src/spool/engine/postgres/postgres-spool.ts";
import type { Store } from "../../../src/spool/port/store.ts";
import type { TestDatabase } from "./fresh-database.ts";

/** A test need not wait for heartbeats. Time limits of replies hold as they are: a busy machine may need them. */
const FASTER = 30;
const LOOK_EVERY_MS = 3;
const clock = {
  ...systemClock,
  after: (delayMs: number, run: () => void) =>
    systemClock.after(delayMs === REPLY_MAX_MS ? delayMs : delayMs / FASTER, run),
};

let nodes = 0;

export interface OpenNode {
  name: string;
  store: Store;
}

/** Opens the database as a node, or as the command line does; closes it with the test. */
export async function openNode(t: TestContext, url: string, role: "service" | "client" = "service"): Promise<OpenNode> {
  // Heartbeats keep no process alive, and a test may wait for nothing else.
  const alive = setInterval(() => {}, 60_000);
  t.after(() => clearInterval(alive));
  nodes += 1;
  const name = `node${nodes}`;
  const store = await openPostgresSpool({
    url,
    role,
    clock,
    log: createLog("silent"),
    fingerprints: ["same"],
    duePollMs: 0,
    identity: { name, address: "192.0.2.1", version: "0" },
    onFatal: (error) => {
      throw error;
    },
  });
  t.after(() => store.close());
  return { name, store };
}

/** Ends a node as others do when its lease has expired. Resolves once it has noticed, and has registered anew. */
export async function lapseNode(
  { connect }: Pick<TestDatabase, "connect">,
  { name, store }: Pick<OpenNode, "name" | "store">,
): Promise<void> {
  const client = await connect();
  const end = "UPDATE nodes SET ended_at = clock_timestamp(), slot = NULL WHERE name = $1 AND ended_at IS NULL";
  const { rows } = await client.query(`${end} RETURNING number`, [name]);
  const find = "SELECT number FROM nodes WHERE name = $1 AND ended_at IS NULL AND number <> $2";
  const isAnew = async (): Promise<boolean> => {
    const [registered] = (await client.query<{ number: string }>(find, [name, rows[0]?.number])).rows;
    // The node learns of its registration after the database.
    return registered !== undefined && store.leaseIsCurrent({ owner: registered.number, epoch: 0, expiresAtMs: null });
  };
  while (!(await isAnew())) await delay(LOOK_EVERY_MS);
  await client.end();
}
