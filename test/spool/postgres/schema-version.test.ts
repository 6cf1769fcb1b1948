/** Nodes of two successive versions of the schema work side by side, and no others. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type pg from "pg";
import { Database } from "../../../src/spool/postgres/database.ts";
import { parseDatabaseUrl } from "../../../src/spool/postgres/database-url.ts";
import { insertNode, listNodes } from "../../../src/spool/postgres/nodes-table.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "../../../src/spool/postgres/schema.ts";
import { lockSchema, migrate, refuseFormerNodes } from "../../../src/spool/postgres/schema-version.ts";
import { statement } from "../../../src/spool/postgres/statement.ts";
import { emptyDatabase, freshDatabase, type TestDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";

async function open(t: TestContext): Promise<TestDatabase & { database: Database }> {
  const fresh = await freshDatabase(t);
  const database = new Database(parseDatabaseUrl(fresh.url).config);
  t.after(() => database.close());
  return { ...fresh, database };
}

const add = (database: Database, number: number, schemaVersion: number) =>
  insertNode(database, {
    ...{ number, schemaVersion, isDraining: false },
    identity: { name: `node-${number}`, address: "", version: "1" },
  });

const addVersion = statement("INSERT INTO schema_version VALUES ($1)");
const expireBy = statement("UPDATE nodes SET lease_until = clock_timestamp() - $2 * interval '1 s' WHERE number = $1");

/** Adds a key and a message with the columns that schema 1 has. */
async function addAsVersion1(client: pg.Client, number: number): Promise<void> {
  await client.query(
    `INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms)
       VALUES ('key_' || $1, 'acc_default', 'website', $2, 'abcd', 1)`,
    [number, Buffer.alloc(32, number)],
  );
  await client.query(
    `INSERT INTO messages (seq, id, account_id, key_id, domain_id, created_at_ms, expires_at_ms, sender, subject, message_id,
         size_bytes)
       VALUES ($1::bigint, 'msg_' || $1::text, 'acc_default', 'key_' || $1::text, 'dom', 1, 2, 'a@b.example', '', '', 0)`,
    [number],
  );
}

describe("a schema and the nodes that use it", { skip: missingPostgres(), timeout: 60_000 }, () => {
  it("rejects a migration that breaks a registered node, unless that has been silent for long", async (t) => {
    const { database } = await open(t);
    const refuse = () => database.transaction((session) => refuseFormerNodes(session, 5));
    await add(database, 1, 5);
    await refuse();
    await add(database, 2, 4);
    const fault = {
      name: "SchemaMismatch",
      message: `the node node-2 knows schemas up to 4, and schema ${SCHEMA_VERSION} needs nodes that know 5: upgrade it to the version before this one first, or stop it`,
    };
    await assert.rejects(refuse(), fault);
    await database.run(expireBy, [2, 5]);
    await assert.rejects(refuse(), fault);
    await database.run(expireBy, [2, 7]);
    await database.run(expireBy, [1, 7]);
    await refuse();
    assert.deepEqual(
      (await listNodes(database)).map(({ number, state }) => [number, state]),
      [
        [1, "expired"],
        [2, "ended"],
      ],
    );
  });

  it("keeps rows of the former version, which writes on beside it", async (t) => {
    const { connect } = await emptyDatabase(t);
    const client = await connect();
    for (const sql of MIGRATIONS.slice(0, SCHEMA_VERSION - 1)) await client.query(sql);
    await client.query("CREATE TABLE schema_version (version integer PRIMARY KEY)");
    await client.query("INSERT INTO schema_version VALUES ($1)", [SCHEMA_VERSION - 1]);
    await addAsVersion1(client, 1);
    assert.equal(await migrate(client), SCHEMA_VERSION - 1);
    await addAsVersion1(client, 2);
    const { rows } = await client.query(
      "SELECT m.seq::int, m.test, m.eight_bit, k.test AS key FROM messages m JOIN api_keys k ON k.id = m.key_id ORDER BY seq",
    );
    assert.deepEqual(rows, [
      { seq: 1, test: false, eight_bit: false, key: false },
      { seq: 2, test: false, eight_bit: false, key: false },
    ]);
  });

  it("may be one version ahead, and not two", async (t) => {
    const { database, connect } = await open(t);
    const client = await connect();
    assert.equal(await migrate(client), SCHEMA_VERSION);
    await database.run(addVersion, [SCHEMA_VERSION + 1]);
    assert.equal(await migrate(client), SCHEMA_VERSION + 1);
    await database.run(addVersion, [SCHEMA_VERSION + 2]);
    await assert.rejects(migrate(client), { name: "SchemaMismatch", message: /run the newer version$/ });
    await assert.rejects(database.transaction(lockSchema), { name: "SchemaMismatch" });
  });
});
