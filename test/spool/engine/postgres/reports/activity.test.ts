/** Counts of several nodes, their order, failed writes, and the removal of old rows. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { ActivityCounts } from "../../../../../src/spool/engine/postgres/reports/activity.ts";
import { reportActivity } from "../../../../../src/spool/engine/postgres/reports/activity-report.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { fakeClock } from "../../../../support/fake-clock.ts";
import { newMessage } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const NOW_MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ACCOUNT = "acc_default";

async function setUp(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  const range = { sinceMs: NOW_MS - DAY_MS, untilMs: NOW_MS + DAY_MS, stepMs: MINUTE_MS };
  const total = async (accountId: string | null = ACCOUNT) =>
    (await reportActivity(database, { accountId, ...range })).total;
  return { database, client: await connect(), total };
}

const message = newMessage({ createdAtMs: NOW_MS });

/** A database that fails its transactions as long as `isDown`. */
function failing(database: Database) {
  const state = { isDown: false, transactions: 0 };
  const fake: Pick<Database, "run" | "transaction"> = {
    run: (query, values) => database.run(query, values),
    transaction(work) {
      state.transactions += 1;
      return state.isDown ? Promise.reject(new SpoolUnavailable("down")) : database.transaction(work);
    },
  };
  return { state, fake };
}

describe("counts of activity", { skip: missingPostgresOrTime() }, () => {
  it("of all nodes add up, whatever the order of their writes", async (t) => {
    const { database, total } = await setUp(t);
    const [first, second] = [new ActivityCounts(database), new ActivityCounts(database)];
    for (const counts of [first, second]) {
      for (const accountId of ["acc_b", "acc_a", ACCOUNT]) {
        counts.accepted({ ...message, accountId }, 0);
        counts.settled({ accountId, createdAtMs: NOW_MS }, NOW_MS + 3000, "delivered");
        counts.settled({ accountId, createdAtMs: NOW_MS }, NOW_MS, "pending");
      }
    }
    await Promise.all([first.close(), second.close()]);
    const { messages, recipients, delivered, deferred, p50Ms } = await total();
    assert.deepEqual(
      { messages, recipients, delivered, deferred },
      { messages: 2, recipients: 2, delivered: 2, deferred: 2 },
    );
    assert.ok(Math.abs((p50Ms ?? 0) - 3000) < 300);
    assert.equal((await total(null)).messages, 2, "of the accounts that exist");
  });

  it("are right although a recipient is subtracted before the node that counted it has written its count", async (t) => {
    const { database, total } = await setUp(t);
    const [counting, retrying] = [new ActivityCounts(database), new ActivityCounts(database)];
    counting.recovered(ACCOUNT, { nowMs: NOW_MS, result: "unknown" });
    counting.settled(message, NOW_MS, "failed");
    counting.settled(message, NOW_MS, "failed");
    for (const result of ["unknown", "failed"] as const) {
      retrying.retried({ accountId: ACCOUNT, result, countedAtMs: NOW_MS + 1 });
    }
    await retrying.close();
    const before = await total();
    assert.deepEqual([before.unknown, before.failed], [0, 0]);
    await counting.close();
    const after = await total();
    assert.deepEqual([after.unknown, after.failed], [0, 1]);
  });

  it("are written once a second, and those that could not be written, with the next ones", async (t) => {
    const { database, client, total } = await setUp(t);
    const columns = "(id, account_id, name, hash, last_four, created_at_ms)";
    await client.query(`INSERT INTO api_keys ${columns} VALUES ('key_a', $1, 'k', '\\x01', 'abcd', 1)`, [ACCOUNT]);
    const { state, fake } = failing(database);
    const clock = fakeClock(NOW_MS);
    const counts = new ActivityCounts(fake, clock);
    const count = (): void => {
      for (let i = 0; i < 100; i += 1) counts.accepted(message, 1);
      counts.settled(message, NOW_MS, "delivered");
      counts.retried({ accountId: ACCOUNT, result: "failed", countedAtMs: NOW_MS });
    };
    state.isDown = true;
    count();
    await clock.advance(999);
    assert.equal(state.transactions, 0);
    await clock.advance(1);
    assert.equal(state.transactions, 1);
    await assert.rejects(counts.write(), SpoolUnavailable);
    count();
    state.isDown = false;
    await counts.write();
    await counts.write();
    assert.equal(state.transactions, 3);
    const { messages, delivered, failed } = await total();
    assert.deepEqual({ messages, delivered, failed }, { messages: 200, delivered: 2, failed: 198 });
    assert.deepEqual((await client.query("SELECT messages_sent FROM api_keys")).rows, [{ messages_sent: "200" }]);
    const times = await client.query("SELECT sum(recipients)::int AS recipients FROM delivery_times");
    assert.deepEqual(times.rows, [{ recipients: 2 }]);
  });

  it("of accounts that begin a new minute are removed after 35 days, the oldest first and some at a time", async (t) => {
    const { database, client } = await setUp(t);
    const add = `INSERT INTO activity SELECT $1, $2::bigint + i * 60000, 1, 1, 0, 0, 0, 0 FROM generate_series(0, 99) AS i`;
    const oldMs = NOW_MS - 36 * DAY_MS;
    for (const account of [ACCOUNT, "acc_idle"]) await client.query(add, [account, oldMs]);
    await client.query("INSERT INTO delivery_times VALUES ($1, $2, 1, 1)", [ACCOUNT, oldMs]);
    const counts = new ActivityCounts(database);
    const rowsAfter = async (minute: number): Promise<number[]> => {
      counts.settled(message, NOW_MS + minute * MINUTE_MS, "pending");
      await counts.write();
      const rows = await client.query("SELECT account_id, count(*)::int FROM activity GROUP BY 1 ORDER BY 1");
      return rows.rows.map(({ count }) => count);
    };
    assert.deepEqual(await rowsAfter(0), [37, 100]);
    assert.deepEqual(await rowsAfter(0), [37, 100], "the same minute");
    assert.deepEqual(await rowsAfter(1), [2, 100]);
    assert.equal((await client.query("SELECT FROM delivery_times")).rowCount, 0);
  });
});
