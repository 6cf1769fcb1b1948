/** Maintenance of a database: the sealed values and their master key, beside nodes and commands. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import { postgresMaintenance } from "../../../../../src/spool/engine/postgres/cluster/maintenance.ts";
import { endNode, insertNode } from "../../../../../src/spool/engine/postgres/cluster/nodes-table.ts";
import { sessionOn } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { migrate } from "../../../../../src/spool/engine/postgres/connection/schema-version.ts";
import { checkMasterKey, storedMasterKey } from "../../../../../src/spool/engine/postgres/connection/server-checks.ts";
import type { SealedValue, SpoolMaintenance } from "../../../../../src/spool/port/maintenance.ts";
import { SCHEMA_VERSION } from "../../../../../src/spool/schema/postgres.ts";
import { emptyDatabase, freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

interface Spool {
  maintenance: SpoolMaintenance;
  client: Client;
  connect(): Promise<Client>;
}

async function emptySpool(t: TestContext): Promise<Spool> {
  const { url, connect } = await freshDatabase(t);
  return { maintenance: postgresMaintenance(url), client: await connect(), connect };
}

/** A value of each kind; "lost.example" is a domain that was removed. */
async function filledSpool(t: TestContext): Promise<Spool> {
  const spool = await emptySpool(t);
  await spool.client.query(`
    INSERT INTO domains SELECT id, 'acc_default', name, 't', 1, removed, true, '{}', 1, 's', 'p', name::bytea
      FROM (VALUES ('dom_1', 'shop.example', NULL), ('dom_2', 'lost.example', 5)) AS d (id, name, removed);
    INSERT INTO rotations VALUES ('dom_1', 'next', 'p', 'next key', 1);
    INSERT INTO secrets VALUES ('feedback', 'service');
    INSERT INTO users (id, email, account_id, password_hash, operator, created_at_ms, sealed_totp)
    VALUES ('usr_1', 'a@b.example', 'acc_default', 'x', true, 1, 'factor'),
      ('usr_2', 'b@b.example', 'acc_default', 'x', true, 1, NULL);
    INSERT INTO endpoints (id, account_id, url, created_at_ms, sealed_secret, former_sealed_secret, position, version)
      VALUES ('end_1', 'acc_default', 'u', 1, 'secret', 'former', 0, 0), ('end_2', 'acc_default', 'u', 2, 'other', NULL, 0, 0)`);
  return spool;
}

const textOf = (value: SealedValue): string => {
  const former = "isFormer" in value && value.isFormer ? "former " : "";
  return `${former}${value.kind} ${value.bytes}`;
};

/** The texts of all values, in the order of an exchange. */
async function allValues({ maintenance }: Spool): Promise<string[]> {
  const texts: string[] = [];
  const stop = new Error("only read");
  const read = (all: SealedValue[]): never => {
    texts.push(...all.map(textOf));
    throw stop;
  };
  await assert.rejects(
    maintenance.exchangeKey(({ resealAll }) => resealAll(read)),
    stop,
  );
  return texts;
}

const VALUES = [
  "dkim shop.example",
  "former dkim lost.example",
  "dkim next key",
  "totp factor",
  "webhook secret",
  "webhook other",
  "former webhook former",
  "secret service",
];

/** Waits until a session of the database waits for a lock. */
async function untilBlocked(client: Client): Promise<void> {
  const sql =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'";
  while ((await client.query(sql)).rowCount === 0) await delay(5);
}

describe("the sealed values of a database", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are read the newest first, those in use alone", async (t) => {
    const { maintenance } = await filledSpool(t);
    const values = (await maintenance.sealedValues(10)).map(textOf);
    assert.deepEqual(values, ["dkim shop.example", "totp factor", "webhook other", "webhook secret"]);
    assert.equal((await maintenance.sealedValues(1)).length, 3);
  });

  it("are replaced together with the fingerprint, except those that the exchange keeps", async (t) => {
    const spool = await filledSpool(t);
    await checkMasterKey(sessionOn(spool.client), "old");
    await spool.maintenance.exchangeKey(({ resealAll }) =>
      resealAll((all) => ({
        values: all.map((value) => (textOf(value).startsWith("former") ? null : Buffer.from(`new ${value.bytes}`))),
        fingerprint: "new",
      })),
    );
    const expected = VALUES.map((text) => (text.startsWith("former") ? text : text.replace(" ", " new ")));
    assert.deepEqual(await allValues(spool), expected);
    assert.equal(await spool.maintenance.keyInUse(), "new");
  });

  it("stay as they are if the exchange fails, also after it has replaced some", async (t) => {
    const spool = await filledSpool(t);
    await checkMasterKey(sessionOn(spool.client), "old");
    await spool.client.query("ALTER TABLE endpoints ADD CHECK (sealed_secret <> 'refused')");
    const resealed = spool.maintenance.exchangeKey(({ resealAll }) =>
      resealAll((all) => ({ values: all.map(() => Buffer.from("refused")), fingerprint: "new" })),
    );
    await assert.rejects(resealed, /^Error: DATABASE_URL=.* violates check constraint/);
    assert.deepEqual(await allValues(spool), VALUES);
    assert.equal(await spool.maintenance.keyInUse(), "old");
  });

  it("are none without tables", async (t) => {
    const { url } = await emptyDatabase(t);
    const maintenance = postgresMaintenance(url);
    assert.deepEqual(await maintenance.sealedValues(10), []);
    assert.deepEqual([await maintenance.exists(), await maintenance.keyInUse()], [false, null]);
  });
});

describe("the master key of a database", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("is made once, by one of those that need it at the same time", async (t) => {
    const { url, connect } = await emptyDatabase(t);
    const made: string[] = [];
    const make = (fingerprint: string) =>
      postgresMaintenance(url).makeFirstKey(() => {
        made.push(fingerprint);
        return fingerprint;
      });
    const results = await Promise.all(["a", "b", "c"].map(make));
    assert.deepEqual([results.filter((isMade) => isMade).length, made.length], [1, 1]);
    assert.equal(await storedMasterKey(sessionOn(await connect())), made[0]);
    assert.equal(await make("d"), false);
  });

  it("is not made where values are sealed and no fingerprint is stored", async (t) => {
    const { maintenance } = await filledSpool(t);
    assert.equal(await maintenance.keyInUse(), null);
    assert.equal(await maintenance.makeFirstKey(assert.fail), false);
  });

  it("is not recorded if it could not be made", async (t) => {
    const { maintenance } = await emptySpool(t);
    const full = new Error("no space left on device");
    const fail = (): never => {
      throw full;
    };
    await assert.rejects(maintenance.makeFirstKey(fail), full);
    assert.equal(await maintenance.makeFirstKey(() => "a"), true);
  });

  it("may be another one once the key in use is lost", async (t) => {
    const { maintenance, client } = await emptySpool(t);
    await checkMasterKey(sessionOn(client), "lost");
    await maintenance.exchangeKey(({ forgetKey }) => forgetKey());
    assert.equal(await maintenance.keyInUse(), null);
  });

  it("is not exchanged while a node is registered, even if it has died, until its lease is long over", async (t) => {
    const { maintenance, client } = await emptySpool(t);
    const session = sessionOn(client);
    const identity = { name: "a", address: "10.0.0.1", version: "1" };
    const node = { number: 7, identity, schemaVersion: SCHEMA_VERSION, isDraining: false };
    const exchange = () => maintenance.exchangeKey(async () => "exchanged");
    assert.equal(await maintenance.isServed(), false);
    await insertNode(session, node);
    assert.equal(await maintenance.isServed(), true);
    await assert.rejects(exchange(), /^Error: the node a is running: stop all nodes first; .* 12 s$/);
    await client.query("UPDATE nodes SET lease_until = clock_timestamp() - interval '7 s'");
    assert.equal(await maintenance.isServed(), false);
    assert.equal(await exchange(), "exchanged");
    await insertNode(session, { ...node, number: 8 });
    await endNode(session, 8);
    assert.equal(await exchange(), "exchanged");
  });

  it("is not exchanged while a command seals, and commands and nodes wait for the exchange", async (t) => {
    const { maintenance, client, connect } = await emptySpool(t);
    const unlock = [await maintenance.lockSealing(), await maintenance.lockSealing()];
    const refused = /^Error: another command uses the master key: try again$/;
    await assert.rejects(
      maintenance.exchangeKey(async () => {}),
      refused,
    );
    for (const release of unlock) await release();
    const order: string[] = [];
    const command = async (): Promise<void> => {
      const release = await maintenance.lockSealing();
      order.push("command");
      await release();
    };
    const node = async (): Promise<void> => {
      await migrate(await connect());
      order.push("node");
    };
    for (const run of [command, node]) {
      let waiting = Promise.resolve();
      await maintenance.exchangeKey(async () => {
        waiting = run();
        await untilBlocked(client);
        order.push("exchange");
      });
      await waiting;
    }
    assert.deepEqual(order, ["exchange", "command", "exchange", "node"]);
  });
});

describe("a database", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("reports its size, the server's version and whether it has checksums", async (t) => {
    const { maintenance } = await emptySpool(t);
    const found = await maintenance.check();
    assert.ok(found.type === "database" && found.sizeBytes > 1e6 && typeof found.hasChecksums === "boolean");
    assert.match(found.serverVersion, /^\d+\.\d+/);
  });
});
