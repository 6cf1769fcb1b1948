/** The queue by recipient domain: recipients in an attempt, domains beyond the limit, and the reasons shown. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../src/spool/engine/postgres/connection/database.ts";
import { PostgresSession } from "../../../../src/spool/engine/postgres/connection/postgres-session.ts";
import type { WaitingFilter } from "../../../../src/spool/port/reports.ts";
import { waitingReportOperations } from "../../../../src/spool/store/reports/waiting-report.ts";
import { freshDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { StoredMail, type StoredRecipient } from "../../../support/postgres/stored-mail.ts";

const { waiting } = waitingReportOperations.reports;

const NOW_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;

async function setUp(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const database = new Database({ connectionString: url });
  t.after(() => database.close());
  const report = (filter: Partial<WaitingFilter> = {}) =>
    waiting(new PostgresSession(database), { accountId: null, nowMs: NOW_MS, limit: 10, ...filter });
  return { client: await connect(), mail: new StoredMail(database), report };
}

const later = { state: "pending", dueMs: NOW_MS + 1 } as const;

describe("the report of waiting mail", { skip: missingPostgresOrTime() }, () => {
  it("counts recipients in an attempt as due, and those at the final dot as without a next attempt", async (t) => {
    const { mail, report } = await setUp(t);
    const old = { createdAtMs: NOW_MS - 5 * DAY_MS, recipients: [later, { ...later, state: "unknown" }] } as const;
    await mail.add({ ...old, recipients: [...old.recipients], accountId: "acc_other" });
    const at = (domain: string, recipient: StoredRecipient) => ({ ...recipient, domain });
    const recipients = [
      at("a.example", later),
      at("a.example", { state: "leased", dueMs: NOW_MS + 5 }),
      at("a.example", { state: "marked", dueMs: NOW_MS - 5 }),
      at("b.example", { state: "marked" }),
      at("c.example", { state: "new", dueMs: NOW_MS }),
      at("c.example", { state: "delivered" }),
    ];
    await mail.add({ createdAtMs: NOW_MS - DAY_MS, recipients });
    const { domains, ...totals } = await report({ accountId: "acc_default" });
    assert.deepEqual(
      domains.map(({ domain, waiting, due, nextAttemptAtMs }) => [domain, waiting, due, nextAttemptAtMs]),
      [
        ["a.example", 3, 2, NOW_MS + 1],
        ["b.example", 1, 1, null],
        ["c.example", 1, 1, NOW_MS],
      ],
    );
    assert.deepEqual(totals, { waiting: 5, unknown: 0, oldestAtMs: NOW_MS - DAY_MS });
    const all = await report();
    assert.deepEqual([all.waiting, all.unknown, all.oldestAtMs], [6, 1, NOW_MS - 5 * DAY_MS]);
    assert.equal(all.domains[0]?.waiting, 4);
  });

  it("has the totals of all domains, however few are shown, and no paused ones in place of others", async (t) => {
    const { client, mail, report } = await setUp(t);
    const none = { domains: [], waiting: 0, unknown: 0, oldestAtMs: null };
    assert.deepEqual(await report(), none);
    for (const domain of ["d.example", "e.example"]) {
      await client.query("INSERT INTO paused_domains VALUES ($1, $2)", [domain, NOW_MS]);
    }
    const names = ["a.example", "b.example", "b.example", "c.example", "d.example"];
    await mail.add({ createdAtMs: NOW_MS, recipients: names.map((domain) => ({ ...later, domain })) });
    const shown = async (limit: number, accountId: string | null = null) => {
      const { domains, waiting } = await report({ limit, accountId });
      return [
        waiting,
        ...domains.map(({ domain, pausedAtMs }) => domain.slice(0, 1) + (pausedAtMs === null ? "" : "!")),
      ].join();
    };
    assert.equal(await shown(0), "5");
    assert.equal(await shown(2), "5,b,a");
    assert.equal(await shown(4), "5,b,a,c,d!");
    assert.equal(await shown(9), "5,b,a,c,d!,e!");
    assert.equal(await shown(9, "acc_default"), "5,b,a,c,d!");
  });

  it("shows the most common reason with its newest reply", async (t) => {
    const { mail, report } = await setUp(t);
    const reply = (message: string) => ({ code: 451, enhanced_code: null, message, mx: "mx", ip: null, tls: null });
    const refused = { ...later, reason: "temporarily_refused", category: "greylisted" } as const;
    const add = (recipients: StoredRecipient[], accountId = "acc_default") =>
      mail.add({ accountId, createdAtMs: NOW_MS, recipients });
    await add([{ ...later, reason: "no_connection", category: "network", smtp: reply("other") }, { state: "new" }]);
    await add([{ ...refused, smtp: reply("first") }]);
    await add([{ ...refused, smtp: reply("é".repeat(600)) }], "acc_other");
    await add([{ state: "new", domain: "b.example" }]);
    const [a, b] = (await report()).domains;
    assert.deepEqual(
      [a?.reason, a?.category, a?.smtp?.message],
      [refused.reason, refused.category, `${"é".repeat(499)}…`],
    );
    assert.deepEqual([b?.reason, b?.category, b?.smtp], [null, null, null]);
    const [own] = (await report({ accountId: "acc_default" })).domains;
    assert.equal(own?.waiting, 3);
    assert.ok(own.smtp?.message !== a?.smtp?.message, "no reply to another account's message");
  });
});
