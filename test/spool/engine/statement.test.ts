/** Both databases accept every statement of the store, and few have a text of their own for one. */
import assert from "node:assert/strict";
import { it } from "node:test";
import Sqlite from "../../../src/spool/engine/sqlite/connection/driver.ts";
import { type Statement, statements, withoutRowLocks } from "../../../src/spool/engine/statement.ts";
import { migrate } from "../../../src/spool/schema/sqlite.ts";
import { WRITES } from "../../../src/spool/store/operations.ts";
import "../../../src/spool/store/reports/message-report.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";

const OWN_TEXTS_MAX = 10;
const all: readonly Statement[] = statements();

it("SQLite prepares every statement", () => {
  assert.ok(WRITES.size > 20 && all.length > 50);
  const db = new Sqlite(":memory:");
  migrate(db);
  for (const { text } of all) assert.doesNotThrow(() => db.prepare(text), text);
});

it("PostgreSQL prepares every statement", { skip: missingPostgres() }, async (t) => {
  const { connect } = await freshDatabase(t);
  const client = await connect();
  for (const { postgres } of all) {
    // A lock is no statement that can be prepared.
    if (postgres.text.startsWith("LOCK TABLE")) continue;
    await client.query(`PREPARE "${postgres.name}" AS ${postgres.text}`).catch((error: Error) => {
      assert.fail(`${error.message}: ${postgres.text}`);
    });
    await client.query(`DEALLOCATE "${postgres.name}"`);
  }
});

it(`at most ${OWN_TEXTS_MAX} statements have a text of their own for PostgreSQL`, () => {
  const own = all.filter(({ text, postgres }) => text !== withoutRowLocks(postgres.text));
  assert.ok(own.length <= OWN_TEXTS_MAX, `${own.length}`);
});
