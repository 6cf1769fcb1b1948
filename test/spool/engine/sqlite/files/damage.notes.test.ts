/** Damaged notes: delivery pauses if it is unknown whether the spool was restored. */

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { runBatch, runMixedBatch } from "../../../../../src/spool/engine/sqlite/connection/batch.ts";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { sentMessage } from "../../../../../src/spool/engine/sqlite/mail/mail-codec.ts";
import type { SqliteStore } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { describePause, PAUSE_ENTRY, readDeliveryPause } from "../../../../../src/spool/port/delivery-pause.ts";
import {
  CLAIM,
  damagePage,
  deliverAll,
  fillSpool,
  misplaceTable,
  NOW_MS,
  OWNED_CLAIM,
  opened,
  openSpool,
  pagesOf,
} from "../../../../support/damaged-spool.ts";
import { newMessage } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

describe("notes that cannot be read", () => {
  const PAUSE = JSON.stringify({ backupAtMs: NOW_MS, newestSeq: 1 });

  /** A spool with a message that waits, whose notes were damaged while it was closed. */
  async function damagedNotes(t: TestContext, { isRestored }: { isRestored: boolean }) {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    const [id = ""] = await fillSpool(first, { count: 1 });
    if (isRestored) await first.writeValue(PAUSE_ENTRY, PAUSE);
    await first.close();
    damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "key_values") ?? assert.fail());
    return { dataDir, id };
  }

  const claimed = async (spool: SqliteStore): Promise<number> => (await spool.claim(CLAIM)).jobs.length;

  for (const isRestored of [true, false]) {
    it(`pause delivery until an operator decides (${isRestored ? "restored" : "never restored"})`, async (t) => {
      const { dataDir, id } = await damagedNotes(t, { isRestored });
      const spool = await opened(t, dataDir);
      assert.equal(await claimed(spool), 0);
      const pause = (await readDeliveryPause(spool)) ?? assert.fail("no pause is reported");
      assert.match(describePause(pause), /damaged where it records whether it was restored .* queue resume/);
      await spool.writeValue("readiness", "now");
      assert.equal(await claimed(spool), 0, "also once the table is made anew");
      await spool.close();
      const again = await opened(t, dataDir);
      assert.equal(await claimed(again), 0, "also after a restart");
      assert.ok((await readDeliveryPause(again)) !== null);
      const resumed = await again.resumeDelivery({ nowMs: NOW_MS, waiting: "send" });
      assert.deepEqual(resumed, { unknown: 0, unreadable: 0 });
      assert.equal(await readDeliveryPause(again), null);
      assert.deepEqual(await deliverAll(again), [id]);
    });
  }

  it("are recreated when an operator resumes delivery, who can hold what was pending", async (t) => {
    const { dataDir, id } = await damagedNotes(t, { isRestored: true });
    const spool = await opened(t, dataDir);
    assert.deepEqual(await spool.resumeDelivery({ nowMs: NOW_MS, waiting: "hold" }), { unknown: 1, unreadable: 0 });
    assert.equal((await spool.report(id))?.recipients[0]?.result, "unknown");
    assert.equal(await readDeliveryPause(spool), null);
  });

  it("are recreated with the pause if it was read before", async (t) => {
    const db = openDatabase(tempDir(t), "write");
    t.after(() => db.close());
    const store = openStore(db);
    await runMixedBatch(store, [["operation", { name: "writeValue", args: [PAUSE_ENTRY, PAUSE] }]]);
    store.reload();
    misplaceTable(db, "key_values");
    const [failed] = await runMixedBatch(store, [["operation", { name: "writeValue", args: ["readiness", "now"] }]]);
    assert.equal(failed?.ok, true, JSON.stringify(failed));
    assert.equal(db.prepare("SELECT text FROM key_values WHERE name = ?").pluck().get(PAUSE_ENTRY), PAUSE);
  });

  it("do not pause delivery if there was no pause when they were read before, or if they can be read again", async (t) => {
    const db = openDatabase(tempDir(t), "write");
    t.after(() => db.close());
    const store = openStore(db);
    runBatch(store, [["accept", sentMessage(newMessage({ createdAtMs: NOW_MS }))]]);
    const sound = misplaceTable(db, "key_values");
    store.reload();
    const jobs = (from: typeof store): number => {
      const [reply] = runBatch(from, [["claim", OWNED_CLAIM]]);
      return reply?.ok ? (reply.value as { jobs: unknown[] }).jobs.length : -1;
    };
    const atStart = openStore(db);
    assert.equal(jobs(atStart), 0);
    sound();
    assert.equal(jobs(atStart), 1);
    misplaceTable(db, "key_values");
    assert.equal(jobs(store), 1);
  });
});
