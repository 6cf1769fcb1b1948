/** A copy of damaged SQLite files: what can be read is copied, and what cannot be read is reported. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { isTestRoute } from "../../../src/message/test-route.ts";
import { PAUSE_ENTRY, UNREADABLE_PAUSE } from "../../../src/spool/port/delivery-pause.ts";
import type { CopyReport } from "../../../src/spool/port/spool-copy.ts";
import type { Store } from "../../../src/spool/port/store.ts";
import { copyFiles, withFiles } from "../../support/copied-spool.ts";
import { CLAIM, damagePage, edit, fillSpool, type Page, pagesOf } from "../../support/damaged-spool.ts";
import { emptyDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../support/postgres/installation.ts";
import { openNode } from "../../support/postgres/open-node.ts";
import { fillRichSpool, NOW_MS, type RichSpool } from "../../support/rich-spool.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { wholeContent } from "../../support/whole-content.ts";

const SMALL = 60;

describe("a copy of damaged files", { skip: missingPostgresOrTime() }, () => {
  const whole = mkdtempSync(join(tmpdir(), "postrider-test-"));
  let rich: RichSpool;
  let pages: Page[] = [];
  before(async () => {
    rich = await withFiles(whole, async (files) => {
      const filled = await fillRichSpool(files);
      return { ...filled, messageIds: [...filled.messageIds, ...(await fillSpool(files, { count: SMALL }))] };
    });
    pages = pagesOf(whole);
  });
  after(() => rmSync(whole, { recursive: true, force: true }));

  /** Copies files with a damaged page of a table or index, the last one of those. */
  const copied = async (
    t: TestContext,
    name: string,
    change: (dataDir: string) => void = (dataDir) =>
      void damagePage(dataDir, pages.findLast((page) => page.name === name && page.type === "leaf") as Page),
  ): Promise<{ report: CopyReport; store: Store }> => {
    const dataDir = tempDir(t);
    cpSync(whole, dataDir, { recursive: true });
    change(dataDir);
    const { url } = await emptyDatabase(t);
    const report = await copyFiles(dataDir, url);
    assert.equal(report.isComplete, true);
    return { report, store: (await openNode(t, url)).store };
  };

  const targetOf = ({ counts }: CopyReport, name: string) => counts.find((count) => count.name === name)?.target ?? 0;

  const claimed = async (store: Store): Promise<string[]> => {
    const { jobs } = await store.claim({ ...CLAIM, nowMs: NOW_MS + 1e6, limit: 1000 });
    return jobs.map(({ messageId }) => messageId);
  };

  for (const index of ["messages_by_time", "sqlite_autoindex_messages_1", "work_waiting", "events_message"]) {
    it(`is whole if the damage is in the index ${index}`, async (t) => {
      const { report } = await copied(t, index);
      assert.deepEqual([report.unreadable, report.quarantined], [[], 0]);
      assert.equal(targetOf(report, "messages"), rich.messageIds.length);
    });
  }

  it("has messages without readable rows in quarantine: they are not sent, and their results are shown", async (t) => {
    const { report, store } = await copied(t, "messages");
    assert.ok(report.quarantined > 0 && report.quarantined === report.unreadableCount);
    assert.equal(targetOf(report, "messages"), rich.messageIds.length);
    const { messages } = await store.quarantined(1000);
    const held = new Set(messages.map(({ messageId }) => messageId));
    assert.equal(held.size, report.quarantined);
    const step = {
      after: Number.MIN_SAFE_INTEGER,
      limit: 1000,
      bytesMax: 1e9,
      nowMs: NOW_MS,
      result: "unknown",
    } as const;
    assert.deepEqual((await store.recheckQuarantined(step)).released, []);
    const sent = await claimed(store);
    assert.ok(sent.length > 0 && sent.every((id) => !held.has(id)));
    const [messageId] = held;
    const shown = await store.report(messageId ?? "");
    assert.ok(shown !== null);
    assert.equal(shown.recipients.length, 1);
    await assert.rejects(wholeContent(store, shown.id), /does not match its checksum/);
  });

  it("has recipients without readable rows as the indexes have them", async (t) => {
    const { report, store } = await copied(t, "recipients");
    assert.ok(report.unreadableCount > 0);
    assert.equal(report.quarantined, 0);
    const original = await withFiles(whole, async (files) =>
      Promise.all(rich.messageIds.map((id) => files.report(id))),
    );
    for (const known of original) {
      const found = await store.report(known?.id ?? "");
      const parts = (shown: typeof known) =>
        shown?.recipients.map(({ email, result, attempts, nextAttemptAtMs }) => ({
          email,
          result,
          attempts,
          nextAttemptAtMs,
        }));
      assert.deepEqual(parts(found), parts(known));
    }
  });

  it("has the recipients of test messages on the test route alone, also where no row of a recipient can be read", async (t) => {
    const { store } = await copied(t, "recipients", (dataDir) => {
      for (const page of pages) if (page.name === "recipients" && page.type === "leaf") damagePage(dataDir, page);
    });
    const { jobs } = await store.claim({ ...CLAIM, nowMs: NOW_MS + 1e9, limit: 1000 });
    const tests = (await store.reports.find({ accountId: "acc_default", test: true, limit: 10 })).messages;
    assert.equal(tests.length, 1);
    assert.deepEqual(
      jobs.filter(({ domain }) => isTestRoute(domain)).map(({ messageId }) => messageId),
      tests.map(({ id }) => id),
    );
    assert.ok(jobs.every(({ messageId, domain }) => isTestRoute(domain) || messageId !== tests[0]?.id));
    assert.ok(jobs.length > SMALL);
  });

  it("has messages without readable contents in quarantine", async (t) => {
    const { report, store } = await copied(t, "contents");
    assert.ok(report.quarantined > 0 && report.quarantined === report.unreadableCount);
    assert.equal(targetOf(report, "contents"), rich.messageIds.length - report.quarantined);
    assert.equal((await store.quarantined(1000)).count, report.quarantined);
  });

  it("has contents that do not match their checksums as they are", async (t) => {
    const messageId = rich.messageIds.at(-1) ?? "";
    const { report, store } = await copied(t, "contents", (dataDir) =>
      edit(dataDir, (db) =>
        db
          .prepare(
            "UPDATE contents SET content = CAST('damaged' AS BLOB) WHERE seq = (SELECT seq FROM messages WHERE id = ?)",
          )
          .run(messageId),
      ),
    );
    assert.equal(report.unreadableCount, 0);
    await assert.rejects(wholeContent(store, messageId), /does not match its checksum/);
  });

  it("has contents of before checksums with one, unless their length is wrong", async (t) => {
    const [sound, short] = rich.messageIds.slice(-2) as [string, string];
    const { report, store } = await copied(t, "contents", (dataDir) =>
      edit(dataDir, (db) => {
        db.exec("UPDATE contents SET crc32 = NULL");
        db.prepare(
          "UPDATE contents SET content = CAST('short' AS BLOB) WHERE seq = (SELECT seq FROM messages WHERE id = ?)",
        ).run(short);
      }),
    );
    assert.ok((await wholeContent(store, sound)).length > 0);
    await assert.rejects(wholeContent(store, short), /does not match its checksum/);
    assert.deepEqual(
      (await store.quarantined(10)).messages.map(({ messageId, part }) => ({ messageId, part })),
      [{ messageId: short, part: "content" }],
    );
    assert.equal(report.quarantined, 1);
  });

  it("lacks events that cannot be read, and reports it", async (t) => {
    const { report } = await copied(t, "events");
    assert.ok(report.unreadableCount > 0);
    assert.equal(targetOf(report, "recipients"), targetOf((await copied(t, "staged")).report, "recipients"));
  });

  it("is paused if it cannot be read whether delivery was", async (t) => {
    for (const table of ["key_values", "quarantined"]) {
      const { report, store } = await copied(t, table);
      assert.equal(report.unreadableCount, 1);
      assert.equal(await store.readValue(PAUSE_ENTRY), UNREADABLE_PAUSE);
      assert.deepEqual(await claimed(store), []);
    }
  });

  it("leaves messages in quarantine to the operator that could not be held after a restore", async (t) => {
    const messageId = rich.messageIds.at(-1) ?? "";
    const { report, store } = await copied(t, "quarantined", (dataDir) =>
      edit(dataDir, (db) =>
        db
          .prepare(
            `INSERT INTO quarantined SELECT seq, id, account_id, ${NOW_MS}, 'hold', 'damaged' FROM messages WHERE id = ?`,
          )
          .run(messageId),
      ),
    );
    assert.deepEqual([report.quarantined, report.unreadableCount], [1, 0]);
    const step = {
      after: Number.MIN_SAFE_INTEGER,
      limit: 100,
      bytesMax: 1e9,
      nowMs: NOW_MS,
      result: "unknown",
    } as const;
    assert.deepEqual((await store.recheckQuarantined(step)).released, []);
    assert.ok(!(await claimed(store)).includes(messageId));
  });

  it("leaves out rows whose message is missing, and reports them", async (t) => {
    const { report } = await copied(t, "messages", (dataDir) =>
      edit(dataDir, (db) => db.prepare("DELETE FROM messages WHERE id = ?").run(rich.messageIds.at(-1))),
    );
    assert.deepEqual(
      report.unreadable.map(({ place }) => place),
      ["recipients", "work", "events", "contents"].map((table) => `1 rows of the table ${table}`),
    );
    assert.equal(targetOf(report, "messages"), rich.messageIds.length - 1);
  });

  it("is refused if accounts, users, domains or endpoints cannot be read", async (t) => {
    const dataDir = tempDir(t);
    cpSync(whole, dataDir, { recursive: true });
    damagePage(dataDir, pages.find(({ name }) => name === "users") as Page);
    const { url } = await emptyDatabase(t);
    await assert.rejects(copyFiles(dataDir, url), /^Error: the table users of the spool is damaged: restore a backup/);
    await assert.rejects(openNode(t, url), /unfinished copy/);
  });
});
