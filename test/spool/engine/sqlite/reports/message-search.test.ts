/** The query plans of searches: each uses an index, so a page costs the same however many messages there are. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import type { Database } from "better-sqlite3";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { MessageFinder } from "../../../../../src/spool/engine/sqlite/reports/message-search.ts";
import type { MessageFilter } from "../../../../../src/spool/port/reports.ts";
import { fillLargeSpool } from "../../../../support/dashboard/large-spool.ts";
import { runSteps } from "../../../../support/run-steps.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const BY_TIME = "messages_by_time (account_id=? AND created_at_ms";
const BY_KEY = "messages_by_key (account_id=? AND key_id=? AND created_at_ms";

/** The id of the message that the spool has. */
const NEWEST = `msg_${"0".repeat(23)}1`;

const WAYS: [asked: Omit<MessageFilter, "accountId" | "limit">, index: string][] = [
  [{}, BY_TIME],
  [{ keyId: "k" }, BY_KEY],
  [{ keyId: "k", sinceMs: 1, untilMs: 2 }, BY_KEY],
  [{ keyId: "k", result: "delivered" }, BY_KEY],
  [{ keyId: "k", subject: "x", from: "a@b.example" }, BY_KEY],
  [{ keyId: "k", recipientIs: "a@b.example" }, "recipients_by_email (account_id=? AND email=? AND seq<?"],
  [{ keyId: "k", recipientIs: "a@b.example", tag: "t" }, "recipients_by_email (account_id=? AND email=? AND seq<?"],
  [{ keyId: "k", tag: "t" }, "PRIMARY KEY (account_id=? AND tag=? AND seq<?"],
  [{ keyId: "k", tag: "t", result: "failed" }, "PRIMARY KEY (account_id=? AND tag=? AND seq<?"],
  [{ keyId: "k", result: "failed" }, "events_failed (account_id=? AND seq<?"],
  [{ keyId: "k", category: "policy" }, BY_KEY],
  [{ keyId: "k", tag: "t", category: "policy" }, "PRIMARY KEY (account_id=? AND tag=? AND seq<?"],
  [{ keyId: "k", result: "failed", category: "policy" }, "events_failed (account_id=? AND seq<?"],
  [{ keyId: "k", result: "unknown" }, "unknown_recipients_account (account_id=? AND seq<?"],
  [{ text: "x" }, BY_TIME],
  [{ messageId: "<x@a.example>", sinceMs: 1 }, BY_TIME],
  [{ after: NEWEST }, BY_TIME],
  [{ after: NEWEST, keyId: "k" }, BY_KEY],
  [{ after: NEWEST, text: "x", sinceMs: 1, untilMs: 2 }, BY_TIME],
  [{ after: NEWEST, tag: "t" }, "PRIMARY KEY (account_id=? AND tag=? AND seq>?"],
  [{ after: NEWEST, result: "failed", category: "policy" }, "events_failed (account_id=? AND seq>?"],
];

/** Returns the plans of the statements that a search runs. */
function plansOf(db: Database, asked: Omit<MessageFilter, "accountId" | "limit">): string[] {
  const statements: string[] = [];
  const watched = new Proxy(db, {
    get: (target, name) => {
      if (name !== "prepare") return Reflect.get(target, name, target);
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  const finder = new MessageFinder(watched);
  statements.length = 0;
  runSteps(finder.find({ accountId: "acc_default", limit: 20, ...asked }));
  assert.ok(statements.length > 0);
  return statements.flatMap((sql) => {
    const names = [...new Set([...sql.matchAll(/@(\w+)/g)].map(([, name = ""]) => name))];
    const parameters = Object.fromEntries(names.map((name) => [name, 1]));
    const plan = db.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(parameters);
    return plan.map(({ detail }) => detail);
  });
}

it("every search reads an index, in its order", async (t) => {
  const dataDir = tempDir(t);
  await fillLargeSpool(dataDir, 1);
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  for (const [asked, index] of WAYS) {
    const plans = plansOf(db, asked);
    const whole = `${JSON.stringify(asked)}: ${plans.join("; ")}`;
    assert.ok(
      plans.some((plan) => plan.startsWith("SEARCH") && plan.includes(index)),
      whole,
    );
    // The tags of one message are no table.
    assert.ok(!plans.some((plan) => /\bSCAN (?!json_each )|TEMP B-TREE/.test(plan)), whole);
  }
});
