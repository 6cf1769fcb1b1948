/** How a spool of one schema becomes one of the next, and which ones are refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import Sqlite from "../../../src/spool/engine/sqlite/connection/driver.ts";
import { MIGRATIONS, migrate, SCHEMA_VERSION } from "../../../src/spool/schema/sqlite.ts";
import { FIRST_VERSION } from "../../../src/spool/schema/version.ts";

const FIRST = "CREATE TABLE kept (name TEXT PRIMARY KEY) STRICT; INSERT INTO kept VALUES ('before');";
const SECOND = "ALTER TABLE kept ADD COLUMN added INTEGER NOT NULL DEFAULT 1;";
const BROKEN = "UPDATE kept SET added = 2; CREATE TABLE kept (name TEXT);";

const versionOf = (db: InstanceType<typeof Sqlite>) => db.pragma("user_version", { simple: true });

test("each step is applied once, in its order, and rows are kept", () => {
  const db = new Sqlite(":memory:");
  migrate(db, [FIRST]);
  assert.equal(versionOf(db), FIRST_VERSION);
  migrate(db, [FIRST, SECOND]);
  migrate(db, [FIRST, SECOND]);
  assert.equal(versionOf(db), FIRST_VERSION + 1);
  assert.deepEqual(db.prepare("SELECT * FROM kept").all(), [{ name: "before", added: 1 }]);
});

test("a step that fails changes nothing", () => {
  const db = new Sqlite(":memory:");
  assert.throws(() => migrate(db, [FIRST, SECOND, BROKEN]), /already exists/);
  assert.equal(versionOf(db), FIRST_VERSION + 1);
  assert.deepEqual(db.prepare("SELECT added FROM kept").all(), [{ added: 1 }]);
});

test("a spool of a newer Postrider, or of a checkout before the first release, is refused with one line", () => {
  for (const [version, words] of [
    [SCHEMA_VERSION + 1, /^Error: the spool has schema \d+, this Postrider knows schemas up to .*$/],
    [15, /^Error: the spool has schema 15, of a checkout before the first release, and cannot be used any more: .*$/],
  ] as const) {
    const db = new Sqlite(":memory:");
    db.pragma(`user_version = ${version}`);
    assert.throws(() => migrate(db), words);
  }
});

test("a user of the schema before memberships has the account and the role as the first one", () => {
  const db = new Sqlite(":memory:");
  migrate(db, MIGRATIONS.slice(0, 3));
  const add = (id: string, role: string) =>
    db
      .prepare(
        `INSERT INTO users (id, email, account_id, password_hash, operator, role, created_at_ms)
           VALUES (?, ?, 'acc_default', 'x', 0, ?, 5)`,
      )
      .run(id, `${id}@shop.example`, role);
  add("usr_1", "owner");
  add("usr_2", "viewer");
  migrate(db);
  const first = { account_id: "acc_default", by_group: 0, joined_at_ms: 5, place: 0 };
  assert.deepEqual(db.prepare("SELECT * FROM memberships ORDER BY user_id").all(), [
    { user_id: "usr_1", role: "owner", ...first },
    { user_id: "usr_2", role: "viewer", ...first },
  ]);
});
