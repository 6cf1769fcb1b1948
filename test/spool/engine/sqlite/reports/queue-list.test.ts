/** The query plans of the queue's list: however many recipients wait, each statement reads an index in its order. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import type { Database } from "better-sqlite3";
import { testRouteOf } from "../../../../../src/message/test-route.ts";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { prepareQueueList } from "../../../../../src/spool/engine/sqlite/reports/queue-list.ts";
import type { QueueFilter } from "../../../../../src/spool/port/results.ts";
import { openSpool } from "../../../../support/damaged-spool.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const ACCOUNT = "acc_default";
const OF_MESSAGE =
  "SEARCH (r|m|w|u|e|n) USING (PRIMARY KEY \\(seq=\\? AND position=\\?\\)|INTEGER PRIMARY KEY \\(rowid=\\?\\)|INDEX events_message)";
const MARKED = "SCAN work USING (COVERING )?INDEX work_marked";
const UNKNOWN = "SEARCH unknown_recipients USING COVERING INDEX unknown_recipients_account \\(account_id=\\?\\)";
const QUEUE = "SEARCH work USING COVERING INDEX work_waiting \\(account_id=\\? AND domain=\\? AND due_ms>\\?\\)";
const DOMAINS = [
  "SEARCH work USING COVERING INDEX work_waiting \\(account_id=\\?\\)",
  "SEARCH r USING COVERING INDEX work_waiting \\(account_id=\\? AND domain[>=]\\?\\)",
];

const FILTERS: [filter: Partial<QueueFilter>, reads: string[]][] = [
  [{}, [MARKED, ...DOMAINS, QUEUE, UNKNOWN, OF_MESSAGE]],
  [{ domain: "a.example" }, [MARKED, QUEUE, UNKNOWN, OF_MESSAGE]],
  [{ result: "pending" }, [MARKED, ...DOMAINS, QUEUE, OF_MESSAGE]],
  [{ result: "unknown" }, [UNKNOWN, OF_MESSAGE]],
  [{ result: "unknown", domain: "b.example" }, [UNKNOWN, OF_MESSAGE]],
  [{ test: true }, [MARKED, ...DOMAINS, QUEUE, UNKNOWN, OF_MESSAGE]],
  [{ test: false, domain: "a.example" }, [MARKED, QUEUE, UNKNOWN, OF_MESSAGE]],
];

/** The database, and the texts of the statements that it has run since. */
function watched(db: Database): { db: Database; ran: Set<string> } {
  const ran = new Set<string>();
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    const run =
      (name: "all" | "get") =>
      (...values: unknown[]) => {
        ran.add(sql);
        return statement[name](...values);
      };
    return { all: run("all"), get: run("get") };
  };
  const get = (target: Database, name: string | symbol) =>
    name === "prepare"
      ? prepare
      : name === "transaction"
        ? target.transaction.bind(target)
        : Reflect.get(target, name, target);
  return { db: new Proxy(db, { get }), ran };
}

/** Of each state: a recipient of a live message and of a test, at two domains. */
function fill(db: Database): void {
  const message = db.prepare(
    `INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, expires_at_ms, sender, subject,
       message_id, size_bytes, test) VALUES (?, ?, '${ACCOUNT}', 'k', 'd', 1, 9, 'a@b.example', '', '<m>', 1, ?)`,
  );
  const recipient = db.prepare(
    `INSERT INTO recipients (seq, position, email, account_id, domain) VALUES (?, 0, 'c@d.example', '${ACCOUNT}', ?)`,
  );
  const work = db.prepare(
    `INSERT INTO work (seq, position, account_id, domain, due_ms, attempts, mark) VALUES (?, 0, '${ACCOUNT}', ?, 1, 0, ?)`,
  );
  const unknown = db.prepare(
    `INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms) VALUES (?, 0, '${ACCOUNT}', ?, 1, 1)`,
  );
  let seq = 0;
  for (const domain of ["a.example", "b.example", testRouteOf(ACCOUNT)])
    for (const state of ["pending", "marked", "unknown"]) {
      seq += 1;
      message.run(seq, `msg_${seq}`, Number(domain === testRouteOf(ACCOUNT)));
      recipient.run(seq, domain);
      if (state === "unknown") unknown.run(seq, domain);
      else work.run(seq, domain, state === "marked" ? "{}" : null);
    }
}

it("every statement of the list reads an index in its order", async (t) => {
  const dataDir = tempDir(t);
  await (await openSpool(dataDir)).close();
  const file = new Sqlite(join(dataDir, "postrider.db"));
  t.after(() => file.close());
  fill(file);
  const { db, ran } = watched(file);
  const list = prepareQueueList(db);
  for (const [filter, reads] of FILTERS) {
    ran.clear();
    const found = list({ accountId: ACCOUNT, limit: 1000, ...filter });
    const what = JSON.stringify(filter);
    assert.ok(found.length > 0, what);
    const plans = [...ran].flatMap((sql) => {
      const values = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name = ""]) => [name, 1]));
      const rows = file.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(values);
      return rows.map(({ detail }) => detail);
    });
    const ofTables = plans.filter((plan) => /^(SCAN|SEARCH) (?!domains|quarantined|CONSTANT)/.test(plan));
    for (const plan of ofTables)
      assert.ok(
        reads.some((read) => new RegExp(`^${read}`).test(plan)),
        `${what}: ${plan}`,
      );
    for (const read of reads)
      assert.ok(
        ofTables.some((plan) => new RegExp(`^${read}`).test(plan)),
        `${what}: ${read}`,
      );
    assert.ok(!plans.some((plan) => plan.includes("TEMP B-TREE")), what);
  }
});
