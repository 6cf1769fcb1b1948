/** The probe of /readyz on a database whose disk is full. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { watchReadiness } from "../../../../../src/app/installation/readiness.ts";
import { systemClock } from "../../../../../src/lib/clock.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { newMessage } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../../support/postgres/installation.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";
import { NOW_MS } from "../../../port/conformance/suite.ts";

/** A node, and what makes its database reject contents: a note replaces its row in place, also on a full disk. */
async function opened(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const { store } = await openNode(t, url);
  const client = await connect();
  await client.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`);
  return {
    store,
    client,
    fill: () =>
      client.query("CREATE TRIGGER full_disk BEFORE INSERT ON contents FOR EACH ROW EXECUTE FUNCTION full_disk()"),
    free: () => client.query("DROP TRIGGER full_disk ON contents"),
  };
}

const FULL = /No space left on device/;

describe("a database with a full disk", { skip: missingPostgres(), timeout: 60_000 }, () => {
  it("is not ready within five seconds, also without a send, until it would store one", async (t) => {
    const { store, client, fill, free } = await opened(t);
    await store.probe(NOW_MS);
    await fill();
    await store.probe(NOW_MS + 4999);
    await assert.rejects(store.probe(NOW_MS + 5000), FULL);
    await assert.rejects(store.probe(NOW_MS + 5001), FULL);
    await free();
    await store.probe(NOW_MS + 5002);
    await fill();
    await assert.rejects(store.probe(NOW_MS - 60_000), FULL, "the clock was set back");
    const { rows } = await client.query("SELECT FROM contents WHERE part < 0");
    assert.deepEqual(rows, [], "the probe leaves no content behind");
  });

  it("is not ready from the first send that it rejects until it would store one", async (t) => {
    const { store, fill, free } = await opened(t);
    await store.probe(NOW_MS);
    await fill();
    await assert.rejects(store.accept(newMessage()), SpoolUnavailable);
    await assert.rejects(store.probe(NOW_MS + 1), FULL);
    const readiness = await watchReadiness(store, systemClock);
    const [reason = ""] = await readiness.reasons();
    assert.match(reason, /^The spool cannot commit: the database is unavailable: could not extend file: No space left/);
    await free();
    await store.probe(NOW_MS + 2);
    await store.accept(newMessage());
  });
});
