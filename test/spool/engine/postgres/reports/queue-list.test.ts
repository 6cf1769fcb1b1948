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
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";

const NOW_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;

const flushStatistics = statement("SELECT pg_stat_force_next_flush()");

describe("the queue", { skip: missingPostgresOrTime() }, () => {
  it("lists an account's recipients at the final dot, those that wait, the next due first, then unknown ones", async (t) => {
    const database = new Database({ connectionString: (await freshDatabase(t)).url });
    t.after(() => database.close());
    const mail = new StoredMail(database);
    const smtp = { code: 451, enhanced_code: null, message: "é".repeat(600), mx: "mx", ip: null, tls: null };
    const cause = { reason: "temporarily_refused", category: "greylisted" } as const;
    const old = await mail.add({
      createdAtMs: NOW_MS - 3 * DAY_MS,
      recipients: [
        { state: "unknown", ...cause, domain: "b.example" },
        { state: "pending", ...cause, smtp, dueMs: NOW_MS + 2, attempts: 3 },
        { state: "delivered" },
        { state: "failed" },
      ],
    });
    const newer = await mail.add({
      createdAtMs: NOW_MS,
      deadlineMs: NOW_MS + 3,
      recipients: [
        { state: "new", dueMs: NOW_MS + 1, domain: "b.example" },
        { state: "pending", dueMs: NOW_MS + 3 },
        { state: "marked", dueMs: NOW_MS + 9 },
        { state: "leased", dueMs: NOW_MS },
      ],
    });
    await mail.add({ accountId: "acc_other", createdAtMs: NOW_MS, recipients: [{ state: "new" }] });
    const list = async (filter: { domain?: string; limit: number }) => {
      const entries = await listQueue(database, { accountId: "acc_default", ...filter });
      return entries.map((e) => [
        e.messageId === old.id ? "old" : "newer",
        e.email.slice(4, 5),
        e.result,
        e.nextAttemptAtMs,
      ]);
    };
    const all = [
      ["newer", "2", "pending", null],
      ["newer", "3", "pending", NOW_MS],
      ["newer", "0", "pending", NOW_MS + 1],
      ["old", "1", "pending", NOW_MS + 2],
      ["newer", "1", "pending", null],
      ["old", "0", "unknown", null],
    ];
    assert.deepEqual(await list({ limit: 10 }), all);
    assert.deepEqual(await list({ limit: 5 }), all.slice(0, 5));
    assert.deepEqual(await list({ limit: 10, domain: "b.example" }), [all[2], all[5]]);
    assert.deepEqual(await list({ limit: 10, domain: "c.example" }), []);
    const entries = await listQueue(database, { accountId: "acc_default", limit: 10 });
    assert.deepEqual(entries[3], {
      ...{ messageId: old.id, email: "user1@a.example", domain: "a.example", result: "pending", ...cause, attempts: 3 },
      ...{ nextAttemptAtMs: NOW_MS + 2, createdAtMs: NOW_MS - 3 * DAY_MS, test: false },
      smtp: { ...smtp, message: `${"é".repeat(499)}…` },
    });
    assert.deepEqual([entries[4]?.failsAtMs, entries[2]?.reason, entries[5]?.reason], [NOW_MS + 3, null, cause.reason]);
    assert.ok(entries.every(({ messageId }) => messageId === old.id || messageId === newer.id));
  });

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
