/** The condition of each write of an attempt: the database compares owner and epoch itself, whatever the node has in memory. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import type { WriteKind } from "../../../../../src/spool/engine/postgres/connection/group-commit.ts";
import {
  MARK,
  type MarkWrite,
  RELEASE,
  RENEW,
  type ReleaseWrite,
  type RowLease,
  SETTLE,
  type SettleWrite,
} from "../../../../../src/spool/engine/postgres/mail/work-writes.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { NOW_MS } from "../../../port/conformance/store-suite.ts";

const LEASE: RowLease = { owner: 7, epoch: 3 };
const OTHERS: RowLease[] = [
  { owner: 7, epoch: 2 },
  { owner: 7, epoch: 4 },
  { owner: 8, epoch: 3 },
];
const SEQ = 1;

const settled = (result: "delivered" | "pending") => ({
  position: 0,
  email: "ann@a.example",
  domain: "a.example",
  result,
  reason: null,
  category: null,
  attempts: 1,
  dueMs: result === "pending" ? NOW_MS : null,
  smtp: null,
  eventId: "evt_1",
  history: "{}",
  type: result === "pending" ? ("recipient.deferred" as const) : ("recipient.delivered" as const),
});

const marked = (lease: RowLease): MarkWrite => ({ seq: SEQ, positions: [0], lease, mark: "{}" });
const released = (lease: RowLease): ReleaseWrite => ({ seq: SEQ, positions: [0], lease });
const ended = (lease: RowLease, result: "delivered" | "pending"): SettleWrite => {
  return { seq: SEQ, accountId: "acc_default", atMs: NOW_MS, lease, recipients: [settled(result)] };
};
const counts = (replies: readonly ReadonlySet<number>[]): number[] => replies.map(({ size }) => size);

/** Writes of each kind under these leases, in one transaction; resolves with the number of rows that each has changed. */
const WRITES: Record<string, (database: Database, leases: readonly RowLease[]) => Promise<number[]>> = {
  mark: (database, leases) => submit(database, MARK, leases.map(marked)),
  renewal: (database, leases) =>
    submit(
      database,
      RENEW,
      leases.map((lease) => ({ ...released(lease), nextEpoch: 9 })),
    ),
  release: (database, leases) => submit(database, RELEASE, leases.map(released)),
  settlement: async (database, leases) =>
    counts(
      await submit(
        database,
        SETTLE,
        leases.map((lease) => ended(lease, "delivered")),
      ),
    ),
  deferral: async (database, leases) =>
    counts(
      await submit(
        database,
        SETTLE,
        leases.map((lease) => ended(lease, "pending")),
      ),
    ),
};

/** Runs writes as one batch of a group commit. */
function submit<Request, Reply>(
  database: Database,
  kind: WriteKind<Request, Reply>,
  writes: readonly Request[],
): Promise<Reply[]> {
  return database.transaction(async (session) => {
    const results = [];
    const commands = [...(kind.commands?.(writes) ?? []), ...(kind.eventCommands?.(writes) ?? [])];
    for (const { query, values } of commands) results.push(await session.run(query, values));
    return kind.replies(writes, results);
  });
}

/** One leased recipient. */
async function leased(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  const client = await connect();
  const row = "SELECT * FROM work";
  await client.query(
    `INSERT INTO work (seq, position, account_id, domain, due_ms, attempts, owner, epoch)
       VALUES ($1, 0, 'acc_default', 'a.example', $2, 0, $3, $4)`,
    [SEQ, NOW_MS, LEASE.owner, LEASE.epoch],
  );
  return { database, rows: async () => (await client.query(row)).rows };
}

describe("writes of attempts", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  for (const [name, write] of Object.entries(WRITES)) {
    it(`${name}: needs the owner and the epoch of the row`, async (t) => {
      const { database, rows } = await leased(t);
      const before = await rows();
      assert.deepEqual(await write(database, OTHERS), [0, 0, 0]);
      assert.deepEqual(await rows(), before);
      assert.deepEqual(await write(database, [LEASE]), [1]);
      assert.notDeepEqual(await rows(), before);
    });

    it(`${name}: has no effect for an attempt whose lease was lost, beside one that has it now`, async (t) => {
      const { database } = await leased(t);
      assert.deepEqual(await write(database, [...OTHERS, LEASE]), [0, 0, 0, 1]);
    });
  }
});
