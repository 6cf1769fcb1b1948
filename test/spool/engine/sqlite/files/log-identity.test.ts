/** A log is replayed over the file that it belongs to, whatever moment a crash came at, and over no other. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { Database } from "better-sqlite3";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { makeBackup } from "../../../../../src/spool/engine/sqlite/files/backup.ts";
import { enterSpool, renewIdentity } from "../../../../../src/spool/engine/sqlite/files/log-identity.ts";
import { openSqliteSpool, type SqliteStore } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { newMessage } from "../../../../support/messages.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

const FILES = ["postrider.db", "postrider.db-wal", "postrider.db-id"];
const ROLES = ["service", "client"] as const;
const FOREIGN = /^postrider\.db-wal in \S+ is the log of another postrider\.db [^\n]+$/;

const onFatal = (error: Error): void => {
  throw error;
};

async function opened(t: TestContext, dataDir: string, role: "service" | "client" = "service"): Promise<SqliteStore> {
  const store = await openSqliteSpool({ dataDir, role, onFatal });
  t.after(() => store.close());
  return store;
}

const accept = (store: SqliteStore, count: number) =>
  Promise.all(Array.from({ length: count }, () => store.accept(newMessage())));

/** A directory as it would be after a crash at this moment. */
function crashed(t: TestContext, dataDir: string): string {
  const dir = tempDir(t);
  for (const name of FILES) if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(dir, name));
  return dir;
}

const contents = (dir: string): Record<string, Buffer> =>
  Object.fromEntries(FILES.filter((name) => existsSync(join(dir, name))).map((n) => [n, readFileSync(join(dir, n))]));

/** Refused by a service and by a command, and nothing is changed. */
async function refused(dataDir: string, words: RegExp): Promise<void> {
  const before = contents(dataDir);
  for (const role of ROLES) {
    await assert.rejects(openSqliteSpool({ dataDir, role, onFatal }), ({ message }: Error) => words.test(message));
  }
  assert.deepEqual(contents(dataDir), before);
}

/** A spool that had been stopped and copied, has been started again, and has crashed; the copy and the crash. */
async function copiedThenCrashed(t: TestContext): Promise<{ copy: string; crash: string; backup: string }> {
  const dataDir = tempDir(t);
  const first = await opened(t, dataDir);
  await accept(first, 5);
  await first.close();
  const copy = join(tempDir(t), "copy.db");
  copyFileSync(join(dataDir, "postrider.db"), copy);
  const second = await opened(t, dataDir);
  await accept(second, 7);
  const backup = join(tempDir(t), "backup");
  makeBackup({ dataDir, file: backup, nowMs: 1, masterKey: null });
  await accept(second, 1);
  return { copy, backup, crash: crashed(t, dataDir) };
}

for (const role of ROLES) {
  it(`after a crash a ${role} opens the file with its log`, async (t) => {
    const { crash } = await copiedThenCrashed(t);
    const store = await opened(t, crash, role);
    assert.equal(await store.backlog(), 13);
    await accept(store, 1);
    // Another crash, of a spool that has been opened by this one.
    assert.equal(await (await opened(t, crashed(t, crash), role)).backlog(), 14);
  });
}

it("rejects a log beside a copy of the file from an earlier run, or beside a backup", async (t) => {
  const { copy, backup, crash } = await copiedThenCrashed(t);
  for (const other of [copy, backup]) {
    const dir = crashed(t, crash);
    copyFileSync(other, join(dir, "postrider.db"));
    await refused(dir, FOREIGN);
    copyFileSync(join(crash, "postrider.db"), join(dir, "postrider.db"));
    const store = await opened(t, dir);
    assert.equal(await store.backlog(), 13, "with its own file the log is taken up");
    await store.close();
  }
});

it("opens a file that replaced another without a log, and its new log is its own", async (t) => {
  const { copy, crash } = await copiedThenCrashed(t);
  for (const role of ROLES) {
    const dir = crashed(t, crash);
    rmSync(join(dir, "postrider.db-wal"));
    copyFileSync(copy, join(dir, "postrider.db"));
    const store = await opened(t, dir, role);
    assert.equal(await store.backlog(), 5);
    await accept(store, 2);
    const again = await opened(t, crashed(t, dir));
    assert.equal(await again.backlog(), 7);
  }
});

it("rejects a log whose file is missing or empty, because SQLite would delete it", async (t) => {
  const { crash } = await copiedThenCrashed(t);
  rmSync(join(crash, "postrider.db"));
  await refused(crash, /^postrider\.db is missing or empty in [^\n]+postrider\.db-wal[^\n]+$/);
  writeFileSync(join(crash, "postrider.db"), "");
  await refused(crash, /^postrider\.db is missing or empty/);
});

it("opens a spool whose list of ids is missing, as from an earlier version, or unreadable", async (t) => {
  for (const text of [null, "", "rubbish", "1 rubbish"]) {
    const { crash } = await copiedThenCrashed(t);
    const list = join(crash, "postrider.db-id");
    if (text === null) rmSync(list);
    else writeFileSync(list, text);
    assert.equal(await (await opened(t, crash)).backlog(), 13);
  }
});

/** Renews the number, with a look at the directory as a crash at each step would leave it. */
function renewed(t: TestContext, dataDir: string, db: Database): string[] {
  const images: string[] = [];
  const watched = {
    pragma(...args: Parameters<Database["pragma"]>): unknown {
      images.push(crashed(t, dataDir));
      const value = db.pragma(...args);
      images.push(crashed(t, dataDir));
      return value;
    },
  };
  renewIdentity(watched as Database, dataDir);
  return [...images, crashed(t, dataDir)];
}

it("a crash at any step of renewing the id leaves a file that opens, also after repeated crashes", async (t) => {
  const dataDir = tempDir(t);
  const store = await opened(t, dataDir);
  await accept(store, 3);
  const db = openDatabase(dataDir, "write");
  t.after(() => db.close());
  const reader = new Sqlite(join(dataDir, "postrider.db"));
  t.after(() => reader.close());
  const images = renewed(t, dataDir, db);
  // With a snapshot in use the number cannot reach the file; the next renewal comes on top of it.
  await accept(store, 1);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM messages").get();
  images.push(...renewed(t, dataDir, db), ...renewed(t, dataDir, db));
  reader.exec("COMMIT");
  images.push(...renewed(t, dataDir, db));
  assert.equal(images.length, 4 * 7);
  for (const [i, image] of images.entries()) {
    assert.doesNotThrow(() => enterSpool(image)(), `step ${i}`);
    assert.equal(await (await opened(t, image)).backlog(), i < 7 ? 3 : 4);
  }
  const [last] = images.slice(-1);
  assert.match(readFileSync(join(last ?? "", "postrider.db-id"), "utf8"), /^\d+\n$/);
});

it("if the disk refuses the list, the id is unchanged", async (t) => {
  const dataDir = tempDir(t);
  const store = await opened(t, dataDir);
  await accept(store, 3);
  const before = readFileSync(join(dataDir, "postrider.db-id"), "utf8");
  // In the way of the draft, as a disk without room would be.
  mkdirSync(join(dataDir, "postrider.db-id.partial", "x"), { recursive: true });
  const db = openDatabase(dataDir, "write");
  t.after(() => db.close());
  renewIdentity(db, dataDir);
  assert.equal(readFileSync(join(dataDir, "postrider.db-id"), "utf8"), before);
  assert.equal(await (await opened(t, crashed(t, dataDir))).backlog(), 3);
});

for (const again of [false, true]) {
  it(`files of a stopped service, copied over those of ${again ? "an earlier" : "the same"} run, are rejected with that run's log`, async (t) => {
    const dataDir = tempDir(t);
    let store = await opened(t, dataDir);
    await accept(store, 3);
    const copy = crashed(t, dataDir);
    if (again) {
      await store.close();
      store = await opened(t, dataDir);
    }
    await accept(store, 4);
    await store.close();
    for (const name of FILES) {
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copy, name));
    }
    await refused(copy, FOREIGN);
    rmSync(join(copy, "postrider.db-wal"));
    assert.equal(await (await opened(t, copy)).backlog(), 7);
  });
}

it("a command killed after a clean stop leaves a log that belongs to the file", async (t) => {
  const dataDir = tempDir(t);
  await (await opened(t, dataDir)).close();
  const command = await opened(t, dataDir, "client");
  await accept(command, 2);
  assert.equal(await (await opened(t, crashed(t, dataDir))).backlog(), 2);
});
