/** Damage in the spool file: nothing that can be read is lost, and nothing is sent twice. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { isDamage } from "../../../../../src/spool/engine/sqlite/files/damage.ts";
import { PAUSE_ENTRY } from "../../../../../src/spool/port/delivery-pause.ts";
import { CHECK_NAMES, type DomainCheck, type DomainChecks } from "../../../../../src/spool/port/domains.ts";
import {
  ACCOUNT,
  CLAIM,
  damagePage,
  deliverAll,
  edit,
  fillSpool,
  forgetAll,
  NOW_MS,
  opened,
  openSpool,
  pagesOf,
} from "../../../../support/damaged-spool.ts";
import { newMessage } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

describe("a repaired file that has lost its newest messages", () => {
  const LOST: Record<string, string> = {
    "their contents and recipients are left": "DELETE FROM messages WHERE seq > 1",
    "their recipients are left": "DELETE FROM messages WHERE seq > 1; DELETE FROM contents WHERE seq > 1",
    "one recipient is left":
      "DELETE FROM messages WHERE seq > 1; DELETE FROM contents WHERE seq > 1; UPDATE recipients SET position = 1 WHERE seq = 2; DELETE FROM recipients WHERE seq > 2",
  };
  for (const [name, sql] of Object.entries(LOST)) {
    it(`${name}: new messages are accepted and delivered only to their own recipients`, async (t) => {
      const dataDir = tempDir(t);
      const first = await openSpool(dataDir);
      await fillSpool(first, { count: 3 });
      await first.close();
      edit(dataDir, (db) => db.exec(sql));
      const spool = await opened(t, dataDir);
      await spool.recover(NOW_MS, "unknown");
      const { id } = newMessage();
      assert.equal((await spool.accept(newMessage({ id, createdAtMs: NOW_MS + 10 }))).type, "accepted");
      const { jobs } = await spool.claim(CLAIM);
      const own = jobs.filter(({ messageId }) => messageId === id).flatMap(({ recipients }) => recipients);
      assert.deepEqual(
        own.map(({ email }) => email),
        ["ann@customers.example"],
      );
    });
  }
});

it("a message accepted after a restore is not held, although retention has removed the newest messages of the backup", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  await fillSpool(first, { count: 3 });
  await deliverAll(first);
  await first.writeValue(PAUSE_ENTRY, JSON.stringify({ backupAtMs: NOW_MS, newestSeq: 3 }));
  await forgetAll(first);
  await first.close();
  const spool = await opened(t, dataDir);
  const accepted = [newMessage({ createdAtMs: NOW_MS }), newMessage({ createdAtMs: NOW_MS })];
  for (const message of accepted) await spool.accept(message);
  const resumed = await spool.resumeDelivery({ nowMs: NOW_MS, waiting: "hold" });
  assert.deepEqual(resumed, { unknown: 0, unreadable: 0 });
  assert.deepEqual((await deliverAll(spool)).sort(), accepted.map(({ id }) => id).sort());
});

describe("checks of a domain", () => {
  const checksOf = (state: DomainCheck["state"]): DomainChecks => {
    const result = { detail: "", expected: "", found: [], checkedAtMs: 1, standing: true, failedSinceMs: null };
    const check: DomainCheck = { state, ...result };
    return Object.fromEntries(CHECK_NAMES.map((name) => [name, check])) as DomainChecks;
  };

  async function checkedDomain(dataDir: string): Promise<string> {
    const spool = await openSpool(dataDir);
    const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 9, token: "t" };
    const checks = checksOf("verified");
    const added = await spool.addDomain({ accountId: ACCOUNT, name: "a.example", createdAtMs: 0, checks, ...sealed });
    const { id } = typeof added === "string" ? assert.fail(added) : added;
    await spool.saveChecks(id, checksOf("failed"), true, 1);
    await spool.close();
    return id;
  }

  for (const damaged of ["x", "", "null", "[]", "{}", '{"spf":null}', '{"spf":{}}']) {
    it(`stored as ${damaged || "nothing"}: the next check replaces them`, async (t) => {
      const dataDir = tempDir(t);
      const id = await checkedDomain(dataDir);
      edit(dataDir, (db) => db.prepare("UPDATE domains SET checks = ?").run(damaged));
      const spool = await opened(t, dataDir);
      await spool.saveChecks(id, checksOf("verified"), true, 1);
      assert.deepEqual((await spool.domainNamed(ACCOUNT, "a.example"))?.checks, checksOf("verified"));
      assert.equal((await spool.checkHistory(ACCOUNT, "a.example", 1))[0]?.state, "verified");
    });
  }

  it("are replaced if their history is damaged", async (t) => {
    const dataDir = tempDir(t);
    const id = await checkedDomain(dataDir);
    damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "check_changes") ?? assert.fail());
    const spool = await opened(t, dataDir);
    await spool.saveChecks(id, checksOf("verified"), true, 1);
    assert.deepEqual((await spool.domainNamed(ACCOUNT, "a.example"))?.checks, checksOf("verified"));
  });
});

it("damage means that SQLite cannot read the file, not that an operation fails for now", () => {
  const damage = [
    "SQLITE_CORRUPT",
    "SQLITE_CORRUPT_INDEX",
    "SQLITE_NOTADB",
    "SQLITE_IOERR_READ",
    "SQLITE_IOERR_SHORT_READ",
  ];
  const temporary = [
    "SQLITE_BUSY",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_IOERR_FSYNC",
    "SQLITE_IOERR_WRITE",
    "SQLITE_NOMEM",
  ];
  for (const code of damage) assert.equal(isDamage(new Sqlite.SqliteError("x", code)), true, code);
  for (const code of temporary) assert.equal(isDamage(new Sqlite.SqliteError("x", code)), false, code);
  assert.equal(isDamage(new Error("x")), false);
});
