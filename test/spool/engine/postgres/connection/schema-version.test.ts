/** Nodes of two successive versions of the schema work side by side, and no others. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { insertNode, listNodes } from "../../../../../src/spool/engine/postgres/cluster/nodes-table.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import {
  lockSchema,
  migrate,
  refuseFormerNodes,
} from "../../../../../src/spool/engine/postgres/connection/schema-version.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "../../../../../src/spool/schema/postgres.ts";
import { emptyDatabase, freshDatabase, type TestDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../../support/postgres/installation.ts";

async function open(t: TestContext): Promise<TestDatabase & { database: Database }> {
  const fresh = await freshDatabase(t);
  const database = new Database(parseDatabaseUrl(fresh.url).config);
  t.after(() => database.close());
  return { ...fresh, database };
}

const add = (database: Database, number: number, schemaVersion: number) =>
  insertNode(database, {
    number,
    schemaVersion,
    isDraining: false,
    identity: { name: `node-${number}`, address: "", version: "1" },
  });

const addVersion = statement("INSERT INTO schema_version VALUES ($1)");
const expireBy = statement("UPDATE nodes SET lease_until = clock_timestamp() - $2 * interval '1 s' WHERE number = $1");

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
    const { connect } = await open(t);
    const client = await connect();
    const add = (id: string) => client.query("INSERT INTO secrets (name, sealed) VALUES ($1, 'x')", [id]);
    await add("before");
    const next = [...MIGRATIONS, "ALTER TABLE secrets ADD COLUMN added boolean NOT NULL DEFAULT TRUE"];
    assert.equal(await migrate(client, next), SCHEMA_VERSION);
    await add("beside");
    const { rows } = await client.query("SELECT name, added FROM secrets ORDER BY name");
    assert.deepEqual(rows, [
      { name: "before", added: true },
      { name: "beside", added: true },
    ]);
    assert.equal(await migrate(client), SCHEMA_VERSION + 1);
  });

  it("gives a user the first membership, whom the version before memberships has made before or beside it", async (t) => {
    const { connect } = await emptyDatabase(t);
    const client = await connect();
    await migrate(client, MIGRATIONS.slice(0, 3));
    const add = (id: string, role: string) =>
      client.query(
        `INSERT INTO users (id, email, account_id, password_hash, operator, role, created_at_ms)
           VALUES ($1, $1, 'acc_default', 'x', FALSE, $2, 5)`,
        [id, role],
      );
    await add("usr_1", "owner");
    await migrate(client);
    await add("usr_2", "viewer");
    await client.query("UPDATE users SET role = 'developer' WHERE id = 'usr_1'");
    const { rows } = await client.query("SELECT user_id, account_id, role, by_group FROM memberships ORDER BY user_id");
    assert.deepEqual(rows, [
      { user_id: "usr_1", account_id: "acc_default", role: "developer", by_group: false },
      { user_id: "usr_2", account_id: "acc_default", role: "viewer", by_group: false },
    ]);
  });

  it("is refused with one line if a checkout before the first release made it", async (t) => {
    const { connect } = await emptyDatabase(t);
    const client = await connect();
    await client.query("CREATE TABLE schema_version AS SELECT 5 AS version");
    await assert.rejects(migrate(client), {
      name: "SchemaMismatch",
      message: /^the spool has schema 5, of a checkout/,
    });
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
