import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import { openStore } from "../../../../../src/spool/engine/sqlite/connection/writer-store.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

/** Compares a column with a parameter that is no part of an expression. */
const BARE = /= \?/;

test("no statement of the writer that joins tables compares a column with a bare parameter", (t) => {
  const db = openDatabase(tempDir(t), "write");
  t.after(() => db.close());
  const texts: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = ((text: string) => {
    texts.push(text);
    return prepare(text);
  }) as typeof db.prepare;
  openStore(db, () => {});
  const joins = texts.filter((text) => /\bJOIN\b/.test(text));
  assert.ok(joins.length > 5, "the statements of the writer join tables");
  assert.deepEqual(
    joins.filter((text) => BARE.test(text)),
    [],
  );
});
