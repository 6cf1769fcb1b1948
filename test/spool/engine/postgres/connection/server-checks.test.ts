/** What a node refuses to start with: a server that loses data, a standby, a clock that is off, another master key. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import pg, { type QueryResultRow } from "pg";
import { systemClock } from "../../../../../src/lib/clock.ts";
import { Database, sessionOn } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import {
  checkClock,
  checkMasterKey,
  checkServer,
  forgetMasterKey,
  replaceMasterKey,
  requireMasterKey,
  storedMasterKey,
  withSynchronousCommit,
} from "../../../../../src/spool/engine/postgres/connection/server-checks.ts";
import type { Result, Session, Statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { emptyDatabase, freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../../../support/postgres/installation.ts";
import { type PostgresServer, startPostgres } from "../../../../support/postgres/server.ts";

async function check(url: string, config = parseDatabaseUrl(url).config): Promise<string> {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await checkServer(sessionOn(client));
  } finally {
    await client.end();
  }
}

async function reloaded(server: PostgresServer, setting: string): Promise<void> {
  await server.query(`ALTER SYSTEM SET ${setting}`);
  await server.query("SELECT pg_reload_conf()");
  const [name = "", value = ""] = setting.split(" = ");
  while ((await server.query<{ value: string }>(`SELECT current_setting('${name}') AS value`))[0]?.value !== value);
}

const refusal = (fault: RegExp) => ({ message: new RegExp(`^the database cannot be used: ${fault.source}.*$`) });

describe("the settings of a server", { skip: missingPostgres(), timeout: 120_000 }, () => {
  it("must not lose data in a crash", async (t) => {
    const server = await startPostgres();
    t.after(() => server.close());
    assert.equal(await check(server.url), "on");
    await reloaded(server, "full_page_writes = off");
    await assert.rejects(check(server.url), refusal(/full_page_writes is off/));
    await reloaded(server, "fsync = off");
    await assert.rejects(check(server.url), refusal(/fsync is off, .*: set fsync = on in postgresql.conf/));
  });

  it("must be those of a primary", async (t) => {
    const server = await startPostgres();
    t.after(() => server.close());
    await server.stop();
    writeFileSync(join(server.dir, "data", "standby.signal"), "");
    await server.restart();
    await assert.rejects(check(server.url), refusal(/it is a standby server: DATABASE_URL must lead to the primary/));
  });

  it("include a synchronous_commit that waits for the disk, here and at synchronous standbys", async (t) => {
    const { url, connect } = await emptyDatabase(t);
    const client = await connect();
    const name = client.database;
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = remote_apply`);
    assert.equal(await check(url), "remote_apply");
    for (const level of ["local", "remote_write"]) {
      await client.query(`ALTER DATABASE ${name} SET synchronous_commit = ${level}`);
      const fault = new RegExp(
        `synchronous_commit is ${level}, so a failover can lose accepted messages: set it to on`,
      );
      await assert.rejects(check(url), refusal(fault));
    }
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await assert.rejects(check(url), refusal(/synchronous_commit is off, so a crash can lose/));
    await client.query(`ALTER DATABASE ${name} RESET synchronous_commit`);
    for (const level of ["off", "local"]) {
      const inUrl = `${url}?options=-c%20synchronous_commit=${level}`;
      await assert.rejects(check(inUrl), refusal(new RegExp(`synchronous_commit is ${level}`)));
    }
    await client.query(`ALTER ROLE CURRENT_USER IN DATABASE ${name} SET synchronous_commit = local`);
    await assert.rejects(check(url), refusal(/synchronous_commit is local/));
    const fixed = withSynchronousCommit(parseDatabaseUrl(`${url}?options=-c%20jit=off`).config, "on");
    assert.equal(await check(url, fixed), "on");
    assert.match(fixed.options ?? "", /-c jit=off/);
  });

  it("must reach it: a pooler that drops them is named", async (t) => {
    const { url } = await emptyDatabase(t);
    // As PgBouncer does with parameters of ignore_startup_parameters.
    const { idle_in_transaction_session_timeout: _, ...dropped } = parseDatabaseUrl(url).config;
    await assert.rejects(
      check(url, dropped),
      refusal(/the settings of the session do not reach it, .* PgBouncer: DATABASE_URL/),
    );
  });

  it("include writable transactions and UTF-8", async (t) => {
    const { url, connect } = await emptyDatabase(t);
    const client = await connect();
    await client.query(`ALTER DATABASE ${client.database} SET default_transaction_read_only = on`);
    await assert.rejects(check(url), refusal(/default_transaction_read_only is on: .* database test_\w+ and the role/));

    const ascii = `${client.database}_ascii`;
    await client.query(`SET default_transaction_read_only = off`);
    await client.query(
      `CREATE DATABASE ${ascii} ENCODING 'SQL_ASCII' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
    );
    const asciiUrl = Object.assign(new URL(url), { pathname: ascii }).href;
    await assert.rejects(check(asciiUrl), refusal(/the database test_\w+ has the encoding SQL_ASCII: create one/));
    await client.query(`DROP DATABASE ${ascii} WITH (FORCE)`);
  });

  it("include a version", async (t) => {
    const session = sessionOn(await (await emptyDatabase(t)).connect());
    const former: Session = {
      async run<Row extends QueryResultRow>(query: Statement<Row>): Promise<Result<Row>> {
        const { rows, count } = await session.run(query);
        return { rows: rows.map((row) => ({ ...row, versionNumber: 140_011, version: "14.11" })), count };
      },
    };
    await assert.rejects(checkServer(former), refusal(/it runs PostgreSQL 14.11: upgrade it to 15 or newer/));
  });
});

describe("the clock of this server", { skip: missingPostgres(), timeout: 60_000 }, () => {
  async function database(t: TestContext): Promise<Session> {
    return sessionOn(await (await emptyDatabase(t)).connect());
  }
  const skewed = (ms: number) => ({ ...systemClock, now: () => Date.now() + ms });

  it("may differ from the database's by 30 s", async (t) => {
    const session = await database(t);
    await checkClock(session, skewed(0));
    await checkClock(session, skewed(-29_000));
    await checkClock(session, skewed(29_000));
    await assert.rejects(checkClock(session, skewed(32_000)), {
      message: "this server's clock is 32 s ahead of the database's, more than 30 s: synchronize both hosts with NTP",
    });
    await assert.rejects(checkClock(session, skewed(-3_600_000)), /is 3600 s behind the database's/);
  });

  it("is compared by the fastest reply, at the middle of its way", async () => {
    const durationsMs = [20_000, 4000, 20_000];
    let atMs = 1_000_000;
    const clock = { ...systemClock, now: () => atMs + 31_000, monotonicMs: () => atMs };
    const slow = (share: number): Session => ({
      async run() {
        const durationMs = durationsMs.shift() ?? 0;
        atMs += durationMs;
        return { rows: [{ nowMs: atMs - durationMs * share }] as never[], count: 1 };
      },
    });
    // The clock is 31 s ahead. With 3 s of 4 on the way back it cannot be told from 30 s.
    await checkClock(slow(0.25), clock);
    durationsMs.push(20_000, 4000, 20_000);
    await assert.rejects(checkClock(slow(0.5), clock), /is 31 s ahead/);
  });
});

describe("the master key of the nodes", { skip: missingPostgres(), timeout: 60_000 }, () => {
  const other = /^MasterKeyMismatch: CERTS_DIR has another master.key than the nodes that use this database: copy/;

  it("is the one of the first node, also when two start at the same time", async (t) => {
    const database = new Database(parseDatabaseUrl((await freshDatabase(t)).url).config);
    t.after(() => database.close());
    const starts = ["one", "two", "three", "four"].map((key) => checkMasterKey(database, key));
    const results = await Promise.allSettled(starts);
    const refused = results.filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 3);
    for (const { reason } of refused as PromiseRejectedResult[]) assert.match(String(reason), other);
    const again = results.findIndex(({ status }) => status === "fulfilled");
    await checkMasterKey(database, ["one", "two", "three", "four"][again] ?? "");
  });

  it("is another one after a rotation, and none until the next start once it is lost", async (t) => {
    const database = new Database(parseDatabaseUrl((await freshDatabase(t)).url).config);
    t.after(() => database.close());
    await checkMasterKey(database, "old");
    await assert.rejects(checkMasterKey(database, "new"), other);
    await replaceMasterKey(database, "new");
    await checkMasterKey(database, "new");
    await assert.rejects(checkMasterKey(database, "old"), other);
    await forgetMasterKey(database);
    assert.equal(await storedMasterKey(database), null);
    await assert.rejects(requireMasterKey(database, "new"), other);
    await checkMasterKey(database, "next");
    await requireMasterKey(database, "next");
  });
});
