/** A session on SQLite: how it binds values, and that an operation runs without a pause. */
import assert from "node:assert/strict";
import { it } from "node:test";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { SqliteSession } from "../../../../../src/spool/engine/sqlite/connection/sqlite-session.ts";
import { migrate } from "../../../../../src/spool/schema/sqlite.ts";
import { unlistedStatement } from "../../../../support/unlisted-statement.ts";

const add = unlistedStatement("INSERT INTO flags (id, isSet) VALUES ($2, $1)");
const find = unlistedStatement<{ id: string; isSet: boolean; again: string }>(
  "SELECT id, isSet, $2 AS again FROM flags WHERE isSet = $1 AND id = $2",
  ["isSet"],
);

function openSession(): SqliteSession {
  const db = new Sqlite(":memory:");
  migrate(db);
  db.exec("CREATE TABLE flags (id TEXT, isSet INTEGER) STRICT");
  return new SqliteSession(db, { avoid: (_place, run) => run(), note() {} });
}

it("binds parameters by their numbers, in any order and more than once, and booleans as 0 and 1", async () => {
  const session = openSession();
  assert.equal((await session.run(add, [true, "a"])).count, 1);
  assert.deepEqual((await session.run(find, [true, "a"])).rows, [{ id: "a", isSet: true, again: "a" }]);
  assert.deepEqual((await session.run(find, [false, "a"])).rows, []);
});

it("rejects an operation that lets the event loop turn, at its next statement or at its end", async () => {
  const session = openSession();
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const fault = /waited for something other than its session/;
  const atEnd = async () => {
    await session.run(add, [true, "a"]);
    await turn();
  };
  const atStatement = async () => {
    await turn();
    await session.run(add, [true, "b"]);
  };
  await assert.rejects(session.runAtOnce(atEnd, []), fault);
  await assert.rejects(session.runAtOnce(atStatement, []), fault);
  assert.deepEqual((await session.run(find, [true, "b"])).rows, []);
  assert.equal(await session.runAtOnce(async () => (await session.run(find, [true, "a"])).count, []), 1);
});
