import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { newMessage } from "../../../../support/messages.ts";
import { until } from "../../../../support/peers.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const MIB = 1024 * 1024;
const CONTENT = Buffer.alloc(256 * 1024, "Hello ");

async function openService(t: TestContext, dataDir: string) {
  const onFatal = (error: Error): void => {
    throw error;
  };
  const spool = await openSqliteSpool({ dataDir, role: "service", onFatal });
  t.after(() => spool.close());
  const accept = async (mib: number): Promise<void> => {
    for (let i = 0; i < mib; i++) {
      await Promise.all(Array.from({ length: 4 }, () => spool.accept(newMessage({ content: CONTENT }))));
    }
  };
  return { spool, accept };
}

/** Pages of the write-ahead log since it was last restarted, and how many of them are in the spool's file. */
function logPages(dataDir: string): { log: number; checkpointed: number } {
  const db = openDatabase(dataDir, "read");
  const [state] = db.pragma("wal_checkpoint(NOOP)") as { log: number; checkpointed: number }[];
  db.close();
  return state ?? { log: 0, checkpointed: 0 };
}

/** MiB in the write-ahead log since it was last restarted. */
const logMib = (dataDir: string): number => (logPages(dataDir).log * 4096) / MIB;

/** Whether the whole log is in the file, or a commit after a checkpoint has restarted it. */
function isCheckpointed(dataDir: string): boolean {
  const { log, checkpointed } = logPages(dataDir);
  return checkpointed === log || logMib(dataDir) <= 8;
}

it("checkpoints without a commit, and the log is restarted", async (t) => {
  const dataDir = tempDir(t);
  const { accept } = await openService(t, dataDir);
  await accept(20);
  await until("a checkpoint", () => statSync(join(dataDir, "postrider.db")).size > 15 * MIB);
  await until("its end", () => isCheckpointed(dataDir));
  for (let i = 0; i < 10 && logMib(dataDir) > 8; i++) await accept(1);
  assert.ok(logMib(dataDir) <= 8);
});

it("restarts the log once a reader that prevented it is gone", async (t) => {
  const dataDir = tempDir(t);
  const { spool, accept } = await openService(t, dataDir);
  const reader = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => reader.close());
  await accept(1);
  reader.exec("BEGIN");
  assert.equal(reader.prepare("SELECT count(*) FROM messages").pluck().get(), 4);
  await accept(50);
  assert.ok(logMib(dataDir) > 50);
  reader.exec("COMMIT");
  for (let i = 0; i < 50 && logMib(dataDir) > 40; i++) await accept(1);
  assert.ok(logMib(dataDir) < 40);
  await spool.close();
  const db = openDatabase(dataDir, "read");
  t.after(() => db.close());
  assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
});
