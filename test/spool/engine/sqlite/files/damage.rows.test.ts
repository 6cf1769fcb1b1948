/** Rows that cannot be decoded: their message is quarantined, or they are left out of reports. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MessageDamaged } from "../../../../../src/spool/port/errors.ts";
import { settleMessage } from "../../../../support/attempts.ts";
import {
  ACCOUNT,
  CLAIM,
  claimAll,
  deliverAll,
  edit,
  fillSpool,
  NOW_MS,
  opened,
  openSpool,
  POLICY,
  STATES,
  withReply,
} from "../../../../support/damaged-spool.ts";
import { newMessage, settlement } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

/** What may be wrong with the second of three messages, the others being sound. */
const ROWS: Record<string, string> = {
  "a last reply that is no JSON": withReply("{", 2),
  "a last reply that is no reply": withReply("[]", 2),
  "a recipient that is no address": "UPDATE recipients SET email = 'nobody' WHERE seq = 2",
  "a recipient at another domain": "UPDATE recipients SET email = 'user1@other.example' WHERE seq = 2",
  "a sender that is no address": "UPDATE messages SET sender = '' WHERE seq = 2",
  "a message that is missing": "DELETE FROM messages WHERE seq = 2",
  "a content that is missing": "DELETE FROM contents WHERE seq = 2",
  "a content that is shorter": "UPDATE contents SET content = substr(content, 2) WHERE seq = 2",
  "a content with another byte":
    "UPDATE contents SET content = CAST(replace(content, 'BBB', 'BXB') AS BLOB) WHERE seq = 2",
};

describe("a row that cannot be decoded", () => {
  for (const [name, sql] of Object.entries(ROWS)) {
    it(`${name}: its message is quarantined, also after a restart, and the others are delivered`, async (t) => {
      const dataDir = tempDir(t);
      const first = await openSpool(dataDir);
      const ids = await fillSpool(first, { count: 3, domains: 1 });
      await first.close();
      edit(dataDir, (db) => db.exec(sql));
      const spool = await opened(t, dataDir);
      await spool.recover(NOW_MS, "unknown");
      assert.deepEqual((await deliverAll(spool)).sort(), [ids[0], ids[2]]);
      const { count, messages } = await spool.quarantined(10);
      assert.deepEqual([count, messages[0]?.seq, messages[0]?.accountId], [1, 2, ACCOUNT]);
      const again = await opened(t, dataDir);
      assert.deepEqual((await again.claim(CLAIM)).jobs, []);
      const states = edit(dataDir, (db) => db.prepare(`${STATES} ORDER BY seq`).pluck().all());
      assert.deepEqual(states, ["delivered", "pending", "delivered"]);
    });
  }

  it("is shown with its readable parts, and a retry releases it once it is repaired, not before", async (t) => {
    const dataDir = tempDir(t);
    const spool = await opened(t, dataDir);
    const [id = ""] = await fillSpool(spool, { count: 1 });
    edit(dataDir, (db) => db.exec("UPDATE recipients SET email = 'nobody'"));
    assert.deepEqual((await spool.claim(CLAIM)).jobs.length, 0);
    const report = await spool.report(id);
    assert.deepEqual([report?.recipients[0]?.result, report?.quarantined?.part], ["pending", "message"]);
    const retry = { accountId: ACCOUNT, messageId: id, nowMs: NOW_MS };
    await assert.rejects(spool.retry(retry), MessageDamaged);
    edit(dataDir, (db) => db.exec("UPDATE recipients SET email = 'user0@d0.example'"));
    assert.equal(await spool.retry(retry), 1);
    assert.equal((await spool.quarantined(10)).count, 0);
    assert.deepEqual(await deliverAll(spool), [id]);
    assert.equal((await spool.report(id))?.quarantined, undefined);
  });

  it("a failed recipient of a quarantined message stays failed, and is due once the message can be read again", async (t) => {
    const dataDir = tempDir(t);
    const spool = await opened(t, dataDir);
    const [id = ""] = await fillSpool(spool, { count: 2 });
    await claimAll(spool, async ({ messageId, lease }) => {
      await spool.settle(messageId, NOW_MS, [settlement(0, "failed")], lease);
    });
    edit(dataDir, (db) => {
      db.exec("CREATE TABLE kept AS SELECT * FROM contents; UPDATE contents SET content = x'00' WHERE seq = 1");
      db.exec(`INSERT INTO quarantined VALUES (1, '${id}', '${ACCOUNT}', 1, 'content', 'the content is too short')`);
    });
    const again = await opened(t, dataDir);
    const step = {
      accountId: ACCOUNT,
      nowMs: NOW_MS + 1,
      expiresAtMs: 2 * NOW_MS,
      limit: 50,
      after: null,
      dryRun: false,
    };
    const retry = async (parts: { messageId?: string; dryRun?: boolean }) => {
      const { recipients, unreadable } = await again.retryFailed({ ...step, ...parts });
      return [recipients.length, unreadable];
    };
    assert.deepEqual(await retry({ messageId: id }), [0, 1]);
    assert.deepEqual(await retry({}), [1, 1], "the other message's only");
    edit(dataDir, (db) => db.exec("DELETE FROM contents; INSERT INTO contents SELECT * FROM kept"));
    assert.deepEqual(await retry({}), [0, 1], "only who is named leaves quarantine");
    assert.deepEqual(await retry({ messageId: id, dryRun: true }), [1, 0]);
    assert.equal((await again.quarantined(10)).count, 1);
    assert.deepEqual(await retry({ messageId: id }), [1, 0]);
    assert.equal((await again.quarantined(10)).count, 0);
    assert.equal((await deliverAll(again)).includes(id), true);
  });

  it("releases a message whose content is repaired, although it was in an attempt", async (t) => {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    const [id = ""] = await fillSpool(first, { count: 1 });
    await first.close();
    const whole = edit(dataDir, (db) => db.prepare("SELECT content FROM contents").pluck().get());
    edit(dataDir, (db) => db.exec("UPDATE contents SET content = x'00'"));
    const spool = await opened(t, dataDir);
    assert.deepEqual(await deliverAll(spool), []);
    edit(dataDir, (db) => db.prepare("UPDATE contents SET content = ?").run(whole));
    assert.equal(await spool.retry({ accountId: ACCOUNT, messageId: id, nowMs: NOW_MS }), 1);
    assert.deepEqual(await deliverAll(spool), [id]);
  });

  it("is left out of reports: events, replies, tags, checks, policies, notes", async (t) => {
    const dataDir = tempDir(t);
    const spool = await opened(t, dataDir);
    const message = newMessage({ createdAtMs: NOW_MS, tags: ["a"], metadata: { b: "c" } });
    await spool.accept(message);
    await settleMessage(spool, message.id, NOW_MS, [settlement(0, "delivered")]);
    await spool.storeStsPolicy({ ...POLICY, mx: ["mx.example"] });
    const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 9, token: "t" };
    await spool.addDomain({ accountId: ACCOUNT, name: "a.example", createdAtMs: 0, checks: {} as never, ...sealed });
    edit(dataDir, (db) => {
      db.exec("UPDATE events SET history = '{', smtp = '{'; UPDATE sts_policies SET mx = '{'");
      db.exec("UPDATE messages SET tags = '{', metadata = '[1]'; UPDATE domains SET checks = 'x'");
    });
    const report = await spool.report(message.id);
    assert.deepEqual([report?.tags, report?.metadata, report?.recipients[0]?.smtp], [[], {}, null]);
    assert.deepEqual(
      report?.recipients[0]?.events.map(({ type }) => type),
      ["accepted"],
    );
    assert.deepEqual((await spool.reports.find({ accountId: ACCOUNT, limit: 5 })).messages[0]?.tags, []);
    assert.equal(await spool.stsPolicy(POLICY.domain), null);
    assert.equal((await spool.domainNamed(ACCOUNT, "a.example"))?.checks.spf.state, "pending");
    assert.deepEqual((await spool.quarantined(1)).places.length, 2);
  });
});
