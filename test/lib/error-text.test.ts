/** Every thrown value has a readable text, also after it was posted by another thread. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { errorText, toCloneableError } from "../../src/lib/error-text.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { damagePage, edit, fillSpool, openSpool } from "../support/damaged-spool.ts";
import { tempDir } from "../support/temp-dir.ts";

const sqliteError = (): Error => new Sqlite.SqliteError("database disk image is malformed", "SQLITE_CORRUPT");

test("errors of every kind have a readable text", () => {
  const cases: [unknown, string][] = [
    [new Error("broken"), "broken"],
    [sqliteError(), "database disk image is malformed (SQLITE_CORRUPT)"],
    [{ code: "SQLITE_CORRUPT" }, "(SQLITE_CORRUPT)"],
    [{ a: 1 }, '{"a":1}'],
    ["words", "words"],
    [undefined, "undefined"],
    [null, "null"],
  ];
  for (const [error, text] of cases) {
    assert.equal(errorText(error), text);
    assert.ok(!String(toCloneableError(error)).includes("[object Object]"));
  }
});

test("a cloneable SQLite error keeps its message and code across threads", () => {
  const crossed = structuredClone(toCloneableError(sqliteError()));
  assert.equal(crossed.message, "database disk image is malformed");
  assert.equal((toCloneableError(sqliteError()) as NodeJS.ErrnoException).code, "SQLITE_CORRUPT");
});

test("the writer's thread reports why it cannot open a file", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSpool(dataDir);
  await fillSpool(spool, { count: 1 });
  await spool.close();
  // The page of the schema.
  edit(dataDir, (db) => db.pragma("wal_checkpoint(TRUNCATE)"));
  damagePage(dataDir, { number: 1 });
  const onFatal = (error: Error): never => assert.fail(error);
  await assert.rejects(
    openSqliteSpool({ dataDir, role: "service", onFatal }),
    /^Error: (file is not a database|database disk)/,
  );
});
