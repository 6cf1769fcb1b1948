/** The pool of connections when the server, or the network to it, fails. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database, type DatabaseOptions } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { NoReply } from "../../../../../src/spool/engine/postgres/connection/database-error.ts";
import { Outage } from "../../../../../src/spool/engine/postgres/connection/outage.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { until } from "../../../../support/peers.ts";
import { emptyDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { startProxy } from "../../../../support/postgres/proxy.ts";

/** Short, because the driver's timers are real. */
const CALL_MAX_MS = 500;

const backend = statement<{ pid: number }>("SELECT pg_backend_pid() AS pid");
const sleep = statement("SELECT pg_sleep(60)");
const sleeping = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'";

function open(t: TestContext, url: string, options: DatabaseOptions = {}): Database {
  const database = new Database({ connectionString: url }, options);
  t.after(() => database.close());
  return database;
}

const pidOf = async (database: Database): Promise<number> => (await database.run(backend)).rows[0]?.pid ?? 0;

describe("the connections to the database", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are opened anew for the next call after their backends were terminated", async (t) => {
    const { url, connect } = await emptyDatabase(t);
    const database = open(t, url, { connectionsMax: 1 });
    const client = await connect();
    for (const call of [
      () => database.run(sleep),
      () => database.transaction((session) => session.run(sleep)),
      () => database.snapshot((session) => session.run(sleep)),
    ]) {
      const pid = await pidOf(database);
      const rejected = assert.rejects(call(), SpoolUnavailable);
      // It waits for the terminated connection, and must not get it.
      const next = pidOf(database);
      while ((await client.query(`${sleeping} AND pid = ${pid}`)).rowCount === 0);
      await client.query("SELECT pg_terminate_backend($1)", [pid]);
      await rejected;
      assert.notEqual(await next, pid);
    }
  });

  it("are prepared before a use, and again where the preparation has failed", async (t) => {
    const results: ("fails" | boolean)[] = ["fails", false, true];
    const prepare = async (): Promise<boolean> => {
      const result = results.shift() ?? assert.fail("a connection was prepared twice");
      if (result === "fails") throw new SpoolUnavailable("the preparation has failed");
      return result;
    };
    const database = open(t, (await emptyDatabase(t)).url, { connectionsMax: 1, prepare });
    await assert.rejects(pidOf(database), { message: "the preparation has failed" });
    await assert.rejects(pidOf(database), { message: "the database has failed over: try again" });
    assert.equal(await pidOf(database), await pidOf(database));
    assert.equal(results.length, 1);
  });

  it("are opened anew on a server that refuses all writes, because the primary may be another one", async (t) => {
    const database = open(t, (await emptyDatabase(t)).url, { connectionsMax: 1 });
    const pid = await pidOf(database);
    await database.run(statement("SET default_transaction_read_only = on"));
    await assert.rejects(
      database.transaction((session) => session.run(statement("CREATE TABLE written ()"))),
      { name: "SpoolUnavailable", message: /read-only transaction/ },
    );
    assert.notEqual(await pidOf(database), pid);
    await database.run(statement("CREATE TABLE written ()"));
  });

  it("are opened anew after a heartbeat without a reply: the network may have forgotten them", async (t) => {
    const outage = new Outage();
    const database = open(t, (await emptyDatabase(t)).url, { outage, connectionsMax: 2 });
    const pids = await Promise.all([pidOf(database), pidOf(database)]);
    outage.heartbeatFailed(new NoReply("no reply"));
    const later = [await pidOf(database), await pidOf(database)];
    assert.ok(!pids.includes(later[0] as number) && !pids.includes(later[1] as number));
    assert.equal(later[1], later[0], "the new one stays in use");
  });

  it("stay in use after a statement that the server has ended because it took too long", async (t) => {
    const database = open(t, (await emptyDatabase(t)).url, { connectionsMax: 1, callMaxMs: CALL_MAX_MS });
    const pid = await pidOf(database);
    await assert.rejects(database.run(sleep), { name: "SpoolUnavailable", message: /statement timeout/ });
    assert.equal(await pidOf(database), pid);
  });

  it("are closed when the network is cut, with all calls that wait, and opened anew when it is back", async (t) => {
    const { url } = await emptyDatabase(t);
    const proxy = await startProxy(t, url);
    const outage = new Outage();
    const options = { outage, connectionsMax: 2, callMaxMs: CALL_MAX_MS };
    const [database, other] = [open(t, proxy.url, options), open(t, proxy.url, options)];
    const pids = await Promise.all([database, database, other].map(pidOf));
    proxy.cut();
    let begun = 0;
    outage.onBegin(() => {
      begun += 1;
    });
    const calls = [
      ...Array.from({ length: 20 }, () => database.run(backend)),
      database.transaction((session) => session.run(backend)),
      other.snapshot((session) => session.run(backend)),
    ];
    const results = await Promise.allSettled(calls);
    assert.ok(results.every((each) => each.status === "rejected" && each.reason instanceof SpoolUnavailable));
    assert.equal(begun, 1);
    await assert.rejects(database.run(backend), SpoolUnavailable);
    proxy.restore();
    for (const each of [database, other]) {
      let pid = 0;
      await until("a connection", () => {
        pidOf(each).then(
          (found) => {
            pid = found;
          },
          () => {},
        );
        return pid !== 0;
      });
      assert.ok(!pids.includes(pid));
    }
  });

  it("are closed in the middle of a call when an outage begins", async (t) => {
    const { url, connect } = await emptyDatabase(t);
    const outage = new Outage();
    const database = open(t, url, { outage });
    const rejected = assert.rejects(database.run(sleep), SpoolUnavailable);
    const client = await connect();
    while ((await client.query(sleeping)).rowCount === 0);
    const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    await assert.rejects(
      outage.connect(
        () => Promise.reject(refused),
        () => {},
      ),
    );
    await rejected;
    assert.notEqual(await pidOf(database), 0);
  });

  it("do not keep the database from being closed while the network is cut", async (t) => {
    const { url } = await emptyDatabase(t);
    const proxy = await startProxy(t, url);
    const database = new Database({ connectionString: proxy.url }, { callMaxMs: CALL_MAX_MS });
    await pidOf(database);
    proxy.cut();
    const call = assert.rejects(database.run(backend), SpoolUnavailable);
    await database.close();
    await call;
    await assert.rejects(database.run(backend), SpoolUnavailable);
  });
});
