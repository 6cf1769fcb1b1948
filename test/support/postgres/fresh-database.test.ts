/** A database per test: isolated, from a template that is migrated once, and removed although sessions are open. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { emptyDatabase, freshDatabase } from "./fresh-database.ts";
import { missingPostgres } from "./installation.ts";

/** `once` would reject at the error that precedes the end. */
function endOf(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.once("end", resolve));
}

describe("a database of a test", { skip: missingPostgres(), timeout: 180_000 }, () => {
  let formerUrl = "";
  let ended: Promise<unknown> = Promise.resolve();

  it("has the schema, and is isolated from other databases", async (t) => {
    const [one, two] = await Promise.all([freshDatabase(t), freshDatabase(t)]);
    const [first, second] = await Promise.all([one.connect(), two.connect()]);
    await first.query("DELETE FROM accounts; SELECT pg_advisory_lock(1)");
    const lock = await second.query("SELECT pg_try_advisory_lock(1) AS free, (SELECT count(*)::int FROM accounts)");
    assert.deepEqual(lock.rows, [{ free: true, count: 1 }]);

    formerUrl = one.url;
    const leftOpen = new pg.Client({ connectionString: one.url });
    leftOpen.on("error", () => {});
    await leftOpen.connect();
    ended = endOf(leftOpen);
  });

  it("is removed after its test with its open sessions", async (t) => {
    const { connect } = await emptyDatabase(t);
    await ended;
    const client = await connect();
    const name = new URL(formerUrl).pathname.slice(1);
    const find = "SELECT FROM pg_database WHERE datname = $1";
    while ((await client.query(find, [name])).rowCount !== 0);
    assert.deepEqual((await client.query("SELECT FROM pg_tables WHERE schemaname = 'public'")).rows, []);
  });
});
