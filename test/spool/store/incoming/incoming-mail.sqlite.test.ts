/** Mail of which a part is missing is never read, and does not stay. How the mail that waits is counted and listed, and where. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { Database } from "better-sqlite3";
import { statements } from "../../../../src/spool/engine/statement.ts";
import { INCOMPLETE_KEPT_MS, POSTPONED_MAX_MS } from "../../../../src/spool/port/incoming.ts";
import { REPORTS } from "../../../../src/spool/store/operations.ts";
import { edit, NOW_MS, opened, openSpool } from "../../../support/damaged-spool.ts";
import { tempDir } from "../../../support/temp-dir.ts";

/** A spool with a mail of three parts, changed as told. */
async function spoolWith(t: TestContext, change: (db: Database) => void) {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const mail = { recipient: "abuse@bounces.shop.example", envelopeSender: "", ip: "192.0.2.1", receivedAtMs: NOW_MS };
  await first.storeIncoming({ ...mail, content: Buffer.alloc(700_000, "x") });
  await first.close();
  edit(dataDir, change);
  return { dataDir, spool: await opened(t, dataDir) };
}

it("a mail that a process has stored a part of is deleted after an hour", async (t) => {
  const { dataDir, spool } = await spoolWith(t, (db) => {
    db.exec("DELETE FROM incoming_parts WHERE part = 2; UPDATE incoming SET due_at_ms = NULL");
  });
  for (const nowMs of [NOW_MS, NOW_MS + 10 * POSTPONED_MAX_MS, 0])
    assert.deepEqual(await spool.incomingQueue(nowMs), []);
  assert.deepEqual(await spool.setAsideMails(), []);
  await spool.trimSetAside(NOW_MS + INCOMPLETE_KEPT_MS);
  assert.equal((await spool.incomingBacklog()).octets, 700_000, "it takes its place until then");
  await spool.trimSetAside(NOW_MS + INCOMPLETE_KEPT_MS + 1);
  assert.equal((await spool.incomingBacklog()).mails, 0);
  edit(dataDir, (db) => assert.equal(db.prepare("SELECT count(*) FROM incoming_parts").pluck().get(), 0));
});

it("a mail without one of its parts is not read", async (t) => {
  const { spool } = await spoolWith(t, (db) => db.exec("DELETE FROM incoming_parts WHERE part = 1"));
  const [queued] = await spool.incomingQueue(NOW_MS + POSTPONED_MAX_MS);
  assert.equal(await spool.incomingMail(queued?.id ?? assert.fail()), null);
});

it("the mail that waits is counted and listed from indexes, by the reports thread", async (t) => {
  for (const name of ["incomingBacklog", "incomingQueue", "incomingMail"]) assert.ok(REPORTS.has(name), name);
  const dataDir = tempDir(t);
  await (await openSpool(dataDir)).close();
  const plans: string[] = [];
  edit(dataDir, (db) => {
    const about = statements().filter(({ text }) => /FROM incoming\b/.test(text) && /count\(|RECURSIVE/.test(text));
    assert.equal(about.length, 3);
    for (const { text } of about) {
      const values = Object.fromEntries([...text.matchAll(/\$(\d)/g)].map(([, place = ""]) => [place, 1]));
      const explain = db.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
      plans.push(...explain.all(values).map(({ detail }) => detail));
    }
  });
  const reads = plans.filter((plan) => /^(SCAN|SEARCH) (incoming|head|next)\b/.test(plan));
  assert.deepEqual([...new Set(reads)].toSorted(), [
    "SCAN incoming USING COVERING INDEX incoming_networks",
    "SEARCH head USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH incoming USING COVERING INDEX incoming_turns",
    "SEARCH incoming USING COVERING INDEX incoming_turns (domain=? AND turn_ms>?)",
    "SEARCH incoming USING COVERING INDEX incoming_turns (domain=?)",
    "SEARCH incoming USING COVERING INDEX incoming_turns (domain>?)",
    "SEARCH incoming USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH next USING INTEGER PRIMARY KEY (rowid=?)",
  ]);
  // Of the first mails of the domains, and of those listed: both are few.
  assert.equal(plans.filter((plan) => plan === "USE TEMP B-TREE FOR ORDER BY").length, 2);
});
