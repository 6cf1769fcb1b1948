/** What a close leaves: the spool in one file, so that a copy of it alone is a whole copy. */
import assert from "node:assert/strict";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import Sqlite from "../../../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool, type SqliteStore } from "../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { newMessage } from "../../../support/messages.ts";
import { tempDir } from "../../../support/temp-dir.ts";

const onFatal = (error: Error): void => {
  throw error;
};

async function opened(t: TestContext, dataDir: string, role: "service" | "client"): Promise<SqliteStore> {
  const store = await openSqliteSpool({ dataDir, role, onFatal });
  t.after(() => store.close());
  return store;
}

const spoolFiles = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => /^postrider\.db(-wal|-shm|-journal)?$/.test(name));

/** Messages in a copy of the file, without anything that lies beside it. */
function inCopy(t: TestContext, dataDir: string): number {
  const copy = join(tempDir(t), "copy.db");
  copyFileSync(join(dataDir, "postrider.db"), copy);
  const db = new Sqlite(copy);
  try {
    assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
    return db.prepare<[], number>("SELECT count(*) FROM messages").pluck().get() ?? 0;
  } finally {
    db.close();
  }
}

/** Uses every connection that a store has: the writer's, the one for point reads, the reports' and the checkpoints'. */
async function used(store: SqliteStore, count: number, content = Buffer.from("Hi")): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => store.accept(newMessage({ content }))));
  await store.accountNamed("default");
  assert.equal(await store.reports.contentOf("acc_default", "msg_none"), null);
}

for (const role of ["service", "client"] as const) {
  it(`a ${role} that closes leaves one file with all data`, async (t) => {
    const dataDir = tempDir(t);
    const store = await opened(t, dataDir, role);
    await used(store, 50);
    await store.close();
    assert.deepEqual(spoolFiles(dataDir), ["postrider.db"]);
    assert.equal(inCopy(t, dataDir), 50);
  });
}

it("a service with a checkpoint thread leaves one file", async (t) => {
  const dataDir = tempDir(t);
  const store = await opened(t, dataDir, "service");
  await used(store, 100, Buffer.alloc(256 * 1024, "x"));
  await used(store, 10);
  await store.close();
  assert.deepEqual(spoolFiles(dataDir), ["postrider.db"]);
  assert.equal(inCopy(t, dataDir), 110);
});

it("requests made before a close are in the file", async (t) => {
  const dataDir = tempDir(t);
  const store = await opened(t, dataDir, "service");
  const asked = Array.from({ length: 3000 }, () => store.accept(newMessage()));
  const closed = store.close();
  await Promise.all(asked);
  await closed;
  assert.deepEqual(spoolFiles(dataDir), ["postrider.db"]);
  assert.equal(inCopy(t, dataDir), 3000);
});

it("a service's file is complete when the service closes before a command; the command, closing last, leaves only the file", async (t) => {
  const dataDir = tempDir(t);
  const service = await opened(t, dataDir, "service");
  const client = await opened(t, dataDir, "client");
  await used(service, 20);
  await used(client, 1);
  await service.close();
  assert.equal(inCopy(t, dataDir), 21);
  await used(client, 5);
  await client.close();
  assert.deepEqual(spoolFiles(dataDir), ["postrider.db"]);
  assert.equal(inCopy(t, dataDir), 26);
});

it("a reader with a snapshot keeps the log: the close succeeds and loses nothing", async (t) => {
  const dataDir = tempDir(t);
  const service = await opened(t, dataDir, "service");
  await used(service, 1);
  const reader = new Sqlite(join(dataDir, "postrider.db"));
  t.after(() => reader.close());
  reader.exec("BEGIN");
  const count = reader.prepare<[], number>("SELECT count(*) FROM messages").pluck();
  assert.equal(count.get(), 1);
  await used(service, 20);
  await service.close();
  assert.ok(spoolFiles(dataDir).includes("postrider.db-wal"));
  const crashed = tempDir(t);
  for (const name of ["postrider.db", "postrider.db-wal"]) copyFileSync(join(dataDir, name), join(crashed, name));
  const again = await opened(t, crashed, "service");
  assert.equal(await again.backlog(), 21);
  reader.exec("COMMIT");
  reader.close();
  assert.deepEqual(spoolFiles(dataDir), ["postrider.db"]);
  assert.equal(inCopy(t, dataDir), 21);
});

it("a service's start removes the files of a killed restore", async (t) => {
  const dataDir = tempDir(t);
  for (const name of ["postrider.db.partial", "postrider.db.partial-journal"]) {
    copyFileSync(new URL(import.meta.url), join(dataDir, name));
  }
  const store = await opened(t, dataDir, "service");
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes("partial")),
    [],
  );
  await store.close();
});
