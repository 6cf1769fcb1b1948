/** A copy of a SQLite spool in a database shows the same through the port, and works on from there. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { isTestRoute, testRouteOf } from "../../../src/message/test-route.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../../src/spool/port/delivery-pause.ts";
import type { OutboxEvent } from "../../../src/spool/port/events.ts";
import type { CopyReport } from "../../../src/spool/port/spool-copy.ts";
import type { Store } from "../../../src/spool/port/store.ts";
import { copyFiles, filesView, withFiles } from "../../support/copied-spool.ts";
import { edit } from "../../support/damaged-spool.ts";
import { HOUR_MS, newMessage } from "../../support/messages.ts";
import { emptyDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../support/postgres/installation.ts";
import { openNode } from "../../support/postgres/open-node.ts";
import { DAY_MS, fillRichSpool, NOW_MS, type RichSpool, SESSION } from "../../support/rich-spool.ts";
import { viewOf } from "../../support/spool-view.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { allEvents } from "../port/conformance/webhook-suite.ts";

const REQUEST = {
  id: "req_tried",
  atMs: NOW_MS,
  keyId: null,
  method: "GET",
  path: "/",
  status: 404,
  code: null,
  durationMs: 1,
  messageId: null,
};

const newFiles = async (t: TestContext): Promise<{ dataDir: string; rich: RichSpool }> => {
  const dataDir = tempDir(t);
  return { dataDir, rich: await withFiles(dataDir, fillRichSpool) };
};

const assertComplete = ({ counts, isComplete, unreadable }: CopyReport): void => {
  assert.deepEqual(
    counts.filter(({ differs }) => differs),
    [],
  );
  assert.deepEqual([isComplete, unreadable], [true, []]);
};

const shaOf = (dataDir: string): string =>
  createHash("sha256")
    .update(readFileSync(join(dataDir, "postrider.db")))
    .digest("hex");

describe("a copy of a spool", { skip: missingPostgresOrTime() }, () => {
  it("shows the same as the files, which are unchanged, and has no sessions", async (t) => {
    const { dataDir, rich } = await newFiles(t);
    const before = await filesView(dataDir, rich);
    const sha = shaOf(dataDir);
    const { url } = await emptyDatabase(t);
    const report = await copyFiles(dataDir, url);
    assertComplete(report);
    assert.equal(shaOf(dataDir), sha);
    const counted = new Map(report.counts.map(({ name, target }) => [name, target]));
    const states = ["pending", "marked", "delivered", "failed", "unknown"];
    assert.ok(states.every((state) => (counted.get(`recipients ${state}`) ?? 0) > 0));
    const { store } = await openNode(t, url, "client");
    assert.deepEqual(await viewOf(store, rich), before);
    assert.equal(await store.people.session(SESSION.hash), null);
  });

  it("gives new events greater numbers, and recovers marked recipients as the files' service would", async (t) => {
    const { dataDir, rich } = await newFiles(t);
    const { url } = await emptyDatabase(t);
    assertComplete(await copyFiles(dataDir, url));
    const recover = async (store: Store) => {
      const before = new Set((await allEvents(store)).map(({ id }) => id));
      assert.equal(await store.recover(NOW_MS + 2 * HOUR_MS, "unknown"), 1);
      await store.accept(newMessage({ id: "msg_after", createdAtMs: NOW_MS + 2 * HOUR_MS }));
      return (await allEvents(store)).filter(({ id }) => !before.has(id));
    };
    const shown = (events: readonly OutboxEvent[]) =>
      events.map(({ messageId, type, sequence, recipient }) => ({ messageId, type, sequence, recipient }));
    const reportsOf = (store: Store) => Promise.all(rich.messageIds.map((id) => store.report(id)));
    const fromFiles = await withFiles(dataDir, async (files) => ({
      greatest: Math.max(...(await allEvents(files)).map(({ number }) => number)),
      added: await recover(files),
      reports: await reportsOf(files),
    }));
    const { store } = await openNode(t, url);
    const added = await recover(store);
    assert.ok(added.every(({ number }) => number > fromFiles.greatest));
    assert.deepEqual(shown(added), shown(fromFiles.added));
    assert.deepEqual(await reportsOf(store), fromFiles.reports);
  });

  it("has 8-bit messages as such, and test messages on the test route alone", async (t) => {
    const { dataDir } = await newFiles(t);
    const { url } = await emptyDatabase(t);
    assertComplete(await copyFiles(dataDir, url));
    const { store } = await openNode(t, url);
    const { jobs } = await store.claim({ nowMs: NOW_MS + DAY_MS, limit: 1000, perDomain: 1000, allowance: {} });
    const eightBit = jobs.filter((job) => job.eightBit).map(({ domain }) => domain);
    assert.deepEqual(eightBit, ["eight.example"]);
    const test = (await store.reports.find({ accountId: "acc_default", test: true, limit: 10 })).messages;
    const onRoute = jobs.filter(({ domain }) => isTestRoute(domain));
    assert.deepEqual(
      onRoute.map(({ messageId, domain }) => [messageId, domain]),
      [[test[0]?.id, testRouteOf("acc_default")]],
    );
    assert.ok(jobs.every(({ messageId, domain }) => isTestRoute(domain) || messageId !== test[0]?.id));
    assert.ok(jobs.length > 2);
  });

  it("keeps the pause of a restored spool, with the messages that it concerns", async (t) => {
    const { dataDir, rich } = await newFiles(t);
    const waiting = (store: Store) => store.queue({ accountId: "acc_default", limit: 1000 });
    const held = await withFiles(dataDir, async (files) => {
      const newestSeq = edit(dataDir, (db) => db.prepare<[], number>("SELECT max(seq) FROM messages").pluck().get());
      await files.writeValue(PAUSE_ENTRY, JSON.stringify({ backupAtMs: NOW_MS, newestSeq }));
      await files.accept(newMessage({ id: "msg_since", createdAtMs: NOW_MS + 2 * DAY_MS }));
      return (await waiting(files)).length;
    });
    const { url } = await emptyDatabase(t);
    assertComplete(await copyFiles(dataDir, url));
    const { store } = await openNode(t, url);
    const claim = { nowMs: NOW_MS + 3 * DAY_MS, limit: 1000, perDomain: 1000, allowance: {} };
    assert.deepEqual((await store.claim(claim)).jobs, []);
    await store.recover(NOW_MS, "unknown");
    const resumed = await store.resumeDelivery({ nowMs: NOW_MS + 3 * DAY_MS, waiting: "hold" });
    assert.ok(resumed !== null && resumed.unknown > 0);
    const left = await waiting(store);
    assert.equal(left.length, held);
    assert.deepEqual(
      left.filter(({ result }) => result === "pending").map(({ messageId }) => messageId),
      ["msg_since"],
    );
    assert.equal((await store.report(rich.messageIds[1] ?? ""))?.recipients[0]?.result, "unknown");
  });

  it("keeps a pause that cannot be decoded, which concerns all messages", async (t) => {
    const { dataDir } = await newFiles(t);
    await withFiles(dataDir, (files) => files.writeValue(PAUSE_ENTRY, UNREADABLE_PAUSE));
    const { url } = await emptyDatabase(t);
    assertComplete(await copyFiles(dataDir, url));
    const { store } = await openNode(t, url, "client");
    assert.equal(await store.readValue(PAUSE_ENTRY), UNREADABLE_PAUSE);
  });

  it("has the results whose events could not be written", async (t) => {
    const { dataDir, rich } = await newFiles(t);
    const known = "account_id, domain, attempts, at_ms, result, reason, category, smtp";
    edit(dataDir, (db) => {
      db.exec(`INSERT INTO unknown_recipients (seq, position, ${known})
        SELECT seq, position, ${known} FROM recipient_states WHERE result = 'delivered'`);
      db.exec(`DELETE FROM endpoint_retries; DELETE FROM events
        WHERE (seq, position) IN (SELECT seq, position FROM unknown_recipients WHERE result IS NOT NULL)`);
    });
    const states = async ({ report }: Pick<Store, "report">) =>
      Promise.all(
        rich.messageIds.map(async (id) => (await report(id))?.recipients.map(({ events: _, ...state }) => state)),
      );
    const before = await withFiles(dataDir, (files) => states({ report: (id) => files.report(id) }));
    assert.ok(before.flat().some((state) => state?.result === "delivered"));
    const { url } = await emptyDatabase(t);
    assertComplete(await copyFiles(dataDir, url));
    const { store } = await openNode(t, url, "client");
    assert.deepEqual(await states({ report: (id) => store.report(id) }), before);
  });

  it("empties the tables of a service that was tried out, and no others", async (t) => {
    const { dataDir, rich } = await newFiles(t);
    const before = await filesView(dataDir, rich);
    const { url, connect } = await emptyDatabase(t);
    const { store: tried } = await openNode(t, url);
    await tried.recordRequests([{ ...REQUEST, accountId: null }], NOW_MS);
    await tried.close();
    const client = await connect();
    await client.query("CREATE TABLE foreign_data AS SELECT 1 AS kept");
    assertComplete(await copyFiles(dataDir, url));
    assert.equal((await client.query("SELECT FROM foreign_data")).rowCount, 1);
    const { store } = await openNode(t, url, "client");
    assert.deepEqual(await viewOf(store, rich), before);
  });

  it("of an empty spool is one too", async (t) => {
    const dataDir = tempDir(t);
    const accounts = await withFiles(dataDir, (files) => files.accounts());
    const { url } = await emptyDatabase(t);
    assertComplete(await copyFiles(dataDir, url, null));
    const { store } = await openNode(t, url, "client");
    assert.deepEqual(await store.accounts(), accounts);
  });
});
