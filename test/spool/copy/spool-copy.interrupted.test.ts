/** Copies that are refused or do not end: no service uses what they leave, and the next copy starts over. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import type pg from "pg";
import { lockDataDir } from "../../../src/spool/engine/sqlite/connection/database.ts";
import { copyFiles, withFiles } from "../../support/copied-spool.ts";
import { edit, fillSpool } from "../../support/damaged-spool.ts";
import { freshDatabase, type TestDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../support/postgres/installation.ts";
import { openNode } from "../../support/postgres/open-node.ts";
import { programArgs } from "../../support/program.ts";
import { fillRichSpool } from "../../support/rich-spool.ts";
import { viewOf } from "../../support/spool-view.ts";
import { tempDir } from "../../support/temp-dir.ts";

const UNFINISHED = /the database has an unfinished copy of a spool: run "postrider spool copy" again/;

const newFiles = async (t: TestContext): Promise<{ dataDir: string }> => {
  const dataDir = tempDir(t);
  await withFiles(dataDir, fillRichSpool);
  return { dataDir };
};

/** Databases made of one template have the same oids of tables. */
const OF_DATABASE = "database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/** Resolves once another session waits for a lock on the table or sequence. */
async function waitedFor(client: pg.Client, name: string): Promise<void> {
  const sql = `SELECT FROM pg_locks WHERE ${OF_DATABASE} AND relation = $1::regclass AND NOT granted`;
  while ((await client.query(sql, [name])).rowCount === 0);
}

/** The copy waits for this lock before it empties the tables. */
const LOCK_TABLE = "LOCK TABLE messages IN ACCESS SHARE MODE";

/** Holds the lock that a statement takes until the returned function is called. */
async function hold({ connect }: TestDatabase, sql: string): Promise<() => Promise<void>> {
  const client = await connect();
  await client.query(`BEGIN; ${sql}`);
  return async () => {
    await client.query("COMMIT");
  };
}

describe("an interrupted copy", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("that was killed with everything written leaves a database that no service uses, and is repeated", async (t) => {
    // Without sealed values, so that there need be no master key.
    const dataDir = tempDir(t);
    const messageIds = await withFiles(dataDir, (files) => fillSpool(files, { count: 50 }));
    const shown = { accountIds: ["acc_default"], messageIds, keyHashes: [] };
    const before = await withFiles(dataDir, (files) => viewOf(files, shown));
    const database = await freshDatabase(t);
    const client = await database.connect();
    // The copy sets the sequence last.
    const release = await hold(database, "ALTER SEQUENCE event_numbers CACHE 1");
    const child = spawn(process.execPath, [...programArgs("src/cli.ts"), "spool", "copy", "--to", database.url], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, CERTS_DIR: tempDir(t) },
      stdio: "inherit",
    });
    await waitedFor(client, "event_numbers");
    child.kill("SIGKILL");
    await once(child, "exit");
    await release();
    await assert.rejects(openNode(t, database.url), UNFINISHED);
    await assert.rejects(openNode(t, database.url, "client"), UNFINISHED);
    while ((await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")).rowCount !== 0);
    assert.equal((await copyFiles(dataDir, database.url)).isComplete, true);
    const { store } = await openNode(t, database.url, "client");
    assert.deepEqual(await viewOf(store, shown), before);
  });

  it("whose connection was lost rejects with the address and without the password", async (t) => {
    const { dataDir } = await newFiles(t);
    const database = await freshDatabase(t);
    const client = await database.connect();
    const release = await hold(database, LOCK_TABLE);
    const copied = copyFiles(dataDir, database.url).catch((error: Error) => error);
    await waitedFor(client, "messages");
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
         WHERE ${OF_DATABASE} AND relation = 'messages'::regclass AND NOT granted`,
    );
    await release();
    const error = await copied;
    assert.ok(error instanceof Error);
    assert.match(error.message, /^--to postgres:\/\/[^ ]+: /);
    assert.ok(!error.message.includes(new URL(database.url).password));
    await assert.rejects(openNode(t, database.url), UNFINISHED);
  });

  it("does not end beside another copy, or a command that changes the files", async (t) => {
    const { dataDir } = await newFiles(t);
    const database = await freshDatabase(t);
    const client = await database.connect();
    const release = await hold(database, LOCK_TABLE);
    const copied = copyFiles(dataDir, database.url).catch((error: Error) => error.message);
    await waitedFor(client, "messages");
    const other = await newFiles(t);
    await assert.rejects(copyFiles(other.dataDir, database.url), /another copy into this database is under way/);
    await withFiles(dataDir, (files) => files.writeValue("name", "text"));
    await release();
    assert.equal(await copied, "a command has changed the spool during the copy: run spool copy again");
    await assert.rejects(openNode(t, database.url), UNFINISHED);
  });
});

describe("a refused copy", { skip: missingPostgresOrTime() }, () => {
  it("is one from a data directory that a service holds, or of another version", async (t) => {
    const dataDir = tempDir(t);
    await withFiles(dataDir, (files) => files.accounts());
    const { url } = await freshDatabase(t);
    const unlock = lockDataDir(dataDir);
    await assert.rejects(copyFiles(dataDir, url), /^Error: another Postrider service is running on /);
    unlock();
    edit(dataDir, (db) => db.pragma("user_version = 3"));
    await assert.rejects(
      copyFiles(dataDir, url),
      /^Error: the spool has schema 3, of a checkout before the first release/,
    );
    // The lock is free again, and the database is unchanged.
    edit(dataDir, (db) => db.pragma("user_version = 1000"));
    await assert.rejects(copyFiles(dataDir, url), /run spool copy of the version that made it/);
    await openNode(t, url, "client");
  });

  it("is one into a database with a running node", async (t) => {
    const { dataDir } = await newFiles(t);
    const { url } = await freshDatabase(t);
    await openNode(t, url);
    await assert.rejects(copyFiles(dataDir, url), /the node node\d+ is running: stop all nodes first/);
  });

  it("is one into a database with data, or with another master key", async (t) => {
    const { dataDir } = await newFiles(t);
    const { url, connect } = await freshDatabase(t);
    await (await openNode(t, url, "client")).store.close();
    await assert.rejects(
      copyFiles(dataDir, url, "other"),
      /is used with another master\.key than the one in CERTS_DIR/,
    );
    const client = await connect();
    await client.query("INSERT INTO accounts VALUES ('acc_a', 'a', 0, NULL)");
    await assert.rejects(copyFiles(dataDir, url), /the database has accounts already: name an empty database/);
    await client.query("DELETE FROM accounts WHERE id = 'acc_a'");
    await copyFiles(dataDir, url);
    await assert.rejects(
      copyFiles(dataDir, url),
      /the database has messages, accounts, users, API keys, domains, webhook endpoints, events already/,
    );
    // It is still the copy.
    await openNode(t, url, "client");
  });

  it("is one whose counts differ: it is not committed", async (t) => {
    const { dataDir } = await newFiles(t);
    const { url, connect } = await freshDatabase(t);
    const client = await connect();
    await client.query(
      `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER lose BEFORE INSERT ON paused_domains FOR EACH ROW EXECUTE FUNCTION lose()`,
    );
    const report = await copyFiles(dataDir, url);
    assert.equal(report.isComplete, false);
    assert.deepEqual(
      report.counts.filter(({ differs }) => differs),
      [{ name: "paused_domains", source: 1, target: 0, differs: true }],
    );
    await assert.rejects(openNode(t, url), UNFINISHED);
  });
});
