/** Messages with long histories, replies and texts: reports limit how much they read, and count what they leave out. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Database } from "better-sqlite3";
import type { HostAttempt } from "../../../../src/message/result/outcome.ts";
import Sqlite from "../../../../src/spool/engine/sqlite/connection/driver.ts";
import { SqliteSession } from "../../../../src/spool/engine/sqlite/connection/sqlite-session.ts";
import { DamageLog } from "../../../../src/spool/engine/sqlite/files/damage.ts";
import { openSqliteSpool } from "../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { Store } from "../../../../src/spool/port/store.ts";
import { reportMessage } from "../../../../src/spool/store/reports/message-report.ts";
import { settleMessage } from "../../../support/attempts.ts";
import { newMessage, recipientsAt, settlement } from "../../../support/messages.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const NOW_MS = 1_700_000_000_000;
/** The longest reply that is stored. */
const WORDS = "é".repeat(2048);
const TRIES = 16;
const ATTEMPTS = 12;

const reply = { code: 451, enhanced_code: "4.7.1", message: WORDS };

const tried = (i: number): HostAttempt => ({
  mx: `mx${i}.a.example`,
  ip: "192.0.2.1",
  tls: null,
  stage: "rcpt",
  reply,
  error: null,
  note: null,
  policy: "none",
});

async function opened(t: TestContext): Promise<{ spool: Store; db: () => Database }> {
  const dataDir = tempDir(t);
  const spool = await openSqliteSpool({ dataDir, role: "service", onFatal: (error) => assert.fail(error) });
  t.after(() => spool.close());
  const db = (): Database => {
    const own = new Sqlite(join(dataDir, "postrider.db"));
    t.after(() => own.close());
    return own;
  };
  return { spool, db };
}

/** Every recipient was deferred again and again, each time by many hosts with the longest replies. */
async function deferAll(spool: Store, recipients: number, hosts = TRIES): Promise<string> {
  const message = newMessage({
    createdAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 1e9,
    recipients: recipientsAt("a.example", recipients),
  });
  await spool.accept(message);
  const smtp = { ...reply, mx: "mx.a.example", ip: null, tls: null };
  const tries = Array.from({ length: hosts }, (_, i) => tried(i));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const settlements = Array.from({ length: recipients }, (_, i) => ({
      ...settlement(i, "pending", NOW_MS + attempt + 1),
      reason: "temporarily_refused",
      smtp,
      tries,
    }));
    await settleMessage(spool, message.id, NOW_MS + attempt, settlements);
  }
  return message.id;
}

test("many recipients share the limits equally", async (t) => {
  const { spool, db } = await opened(t);
  const id = await deferAll(spool, 20);
  const log = new DamageLog();
  const session = new SqliteSession(db(), {
    note: assert.fail,
    avoid: (place, run, or) => log.runOptional(place, run, or),
  });
  const report = await reportMessage(session, id, { limits: { eventsBytesMax: 20 * 300, repliesLengthMax: 20 * 200 } });
  assert.ok(report !== null);
  for (const { events, eventsOmitted, smtp } of report.recipients) {
    assert.deepEqual([events.length, eventsOmitted], [1, ATTEMPTS]);
    assert.equal(smtp?.message, `${"é".repeat(199)}…`);
  }
});

test("a subject longer than acceptance allows now is cut", async (t) => {
  const { spool, db } = await opened(t);
  const kept = newMessage({ subject: "😀".repeat(998) });
  const long = newMessage({ subject: "x" });
  for (const message of [kept, long]) await spool.accept(message);
  db().prepare("UPDATE messages SET subject = ? WHERE id = ?").run("y".repeat(4_000_000), long.id);
  assert.equal((await spool.report(kept.id))?.subject, kept.subject);
  assert.equal((await spool.report(long.id))?.subject, `${"y".repeat(997)}…`);
});

test("the list of suppressed addresses ends early if its refusals are large", async (t) => {
  const { spool, db } = await opened(t);
  const refusals = Array.from({ length: 20 }, (_, i) => ({
    at_ms: NOW_MS - i * 8 * 3_600_000,
    ...reply,
    mx: "mx",
    ip: null,
  })).reverse();
  const insert = db().prepare(
    "INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ('acc_default', ?, ?, ?)",
  );
  // Most have too few refusals.
  for (let i = 0; i < 250; i += 1) {
    const own = i % 5 === 0 ? refusals : refusals.slice(0, 1);
    insert.run(`user${i}@a.example`, NOW_MS - (i % 3), JSON.stringify(own));
  }
  const asked = { accountId: "acc_default", after: 3, nowMs: NOW_MS };
  const { addresses: listed } = await spool.suppressions({ ...asked, limit: 500 });
  const bytes = Buffer.byteLength(JSON.stringify(listed));
  assert.ok(listed.length > 1 && listed.length < 50 && bytes < 600 * 1024, `${listed.length}, ${bytes} bytes`);
  db().prepare("UPDATE refused_addresses SET refusals = replace(refusals, ?, 'no')").run(WORDS);
  const { addresses: all } = await spool.suppressions({ ...asked, limit: 500 });
  assert.equal(new Set(all.map(({ email }) => email)).size, 50);
  assert.equal((await spool.suppressions({ ...asked, limit: 7 })).addresses.length, 7);
});
