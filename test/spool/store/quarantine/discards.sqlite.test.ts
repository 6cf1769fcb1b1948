/** Discarded messages on SQLite, also with rows and pages that cannot be read. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  ACCOUNT,
  CLAIM,
  damagePage,
  edit,
  fillSpool,
  NOW_MS,
  opened,
  openSpool,
  pagesOf,
} from "../../../support/damaged-spool.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import {
  type DamageableStore,
  mending,
  quarantineConformance,
  quarantining,
} from "../../port/conformance/quarantine.ts";

async function open(t: TestContext): Promise<DamageableStore> {
  const dataDir = tempDir(t);
  const openStore = async () => Object.assign(await opened(t, dataDir), { lapse: async () => {} });
  let store = await openStore();
  const run = (sql: string, id: string): void => edit(dataDir, (db) => void db.prepare(sql).run(id));
  return {
    get store() {
      return store;
    },
    async quarantine(id) {
      for (const sql of quarantining("?")) run(sql, id);
      store = await openStore();
    },
    mend: (id) => run(mending("?"), id),
  };
}

quarantineConformance("sqlite", open);

const discarding = { by: "the command line", nowMs: NOW_MS + 1 };
const QUARANTINE_ALL =
  "INSERT INTO quarantined SELECT seq, id, account_id, 0, 'message', 'database disk image is malformed' FROM messages";

describe("a message whose rows cannot be read", () => {
  it("is discarded as far as its rows can be written, for every damaged page", async (t) => {
    for (const name of ["messages", "recipients", "events", "work_waiting"]) {
      const dataDir = tempDir(t);
      const first = await openSpool(dataDir);
      const ids = await fillSpool(first, { count: 200 });
      await first.close();
      edit(dataDir, (db) => db.exec(QUARANTINE_ALL));
      const leaves = pagesOf(dataDir).filter((page) => page.name === name && page.type !== "internal");
      const undo = damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail(name));
      const spool = await opened(t, dataDir);
      let failed = 0;
      for (const [i, id] of ids.entries()) {
        // Half of them by their row, as where the id cannot be read.
        const discarded = await spool.discardQuarantined({ message: i % 2 === 0 ? id : i + 1, ...discarding });
        assert.ok(discarded !== null, `${name}: ${id}`);
        failed += discarded.failed;
        assert.equal(discarded.failed === 1 || !discarded.isComplete, true, `${name}: ${id}`);
      }
      assert.ok(failed > 0, name);
      assert.equal((await spool.quarantined(1)).count, 0, name);
      assert.deepEqual((await spool.claim(CLAIM)).jobs, [], name);
      await spool.close();
      undo();
      const again = await opened(t, dataDir);
      assert.deepEqual((await again.claim(CLAIM)).jobs, [], `${name}: not after a repair either`);
      const kept = edit(dataDir, (db) => db.prepare("SELECT DISTINCT part, error, found_at_ms FROM quarantined").all());
      assert.deepEqual(kept, [
        { part: "discarded", error: "message: database disk image is malformed", found_at_ms: 0 },
      ]);
    }
  });

  it("stays out of claims while the service runs and another process discards it", async (t) => {
    const dataDir = tempDir(t);
    const service = await opened(t, dataDir);
    const [id = ""] = await fillSpool(service, { count: 1 });
    edit(dataDir, (db) => db.exec("UPDATE messages SET sender = 'nobody'"));
    assert.deepEqual((await service.claim(CLAIM)).jobs, []);
    const other = await opened(t, dataDir);
    assert.equal((await other.discardQuarantined({ message: id, ...discarding }))?.failed, 1);
    assert.deepEqual((await service.claim(CLAIM)).jobs, []);
    assert.equal((await service.backlog()) + (await service.quarantined(1)).count, 0);
    assert.deepEqual(await service.queue({ accountId: ACCOUNT, limit: 10 }), []);
  });
});
