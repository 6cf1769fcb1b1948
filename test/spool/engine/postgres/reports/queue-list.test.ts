/** The order of the queue, and what it leaves out. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { withIndexPlans } from "../../../../../src/spool/engine/postgres/connection/index-plans.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { listQueue } from "../../../../../src/spool/engine/postgres/reports/queue-list.ts";
import { addDueRows } from "../../../../support/postgres/due-rows.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const NOW_MS = 1_700_000_000_000;

const flushStatistics = statement("SELECT pg_stat_force_next_flush()");

describe("the queue", { skip: missingPostgresOrTime() }, () => {
  it("reads the recipients in an attempt by their index, however many wait", async (t) => {
    const { url, connect } = await freshDatabase(t);
    const client = await connect();
    const [waiting, leased, limit] = [20_000, 30, 100];
    await addDueRows(client, { domains: ["a.example"], messages: waiting, dueMs: NOW_MS });
    await addDueRows(client, { domains: ["b.example"], messages: leased, dueMs: NOW_MS - 1, owner: 1 });
    await client.query("ANALYZE work");
    const database = new Database(withIndexPlans({ connectionString: url }));
    t.after(() => database.close());
    const read = async () => {
      await client.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await client.query(
        "SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables WHERE relname = 'work'",
      );
      return Number(rows[0]?.rows);
    };
    const before = await read();
    const entries = await listQueue(database, { accountId: "acc_default", limit });
    assert.deepEqual(
      [entries.length, entries[leased - 1]?.domain, entries[leased]?.domain],
      [limit, "b.example", "a.example"],
    );
    await database.run(flushStatistics);
    const rows = (await read()) - before;
    assert.ok(rows >= limit && rows < 4 * limit, `${rows} rows read`);
  });
});
