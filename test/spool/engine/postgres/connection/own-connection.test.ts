/** A connection outside of the pool: it is opened again after a loss, and gives up on a server that does not reply. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import {
  OwnConnection,
  type OwnConnectionOptions,
  REPLY_MAX_MS,
} from "../../../../../src/spool/engine/postgres/connection/own-connection.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { type FakeClock, fakeClock } from "../../../../support/fake-clock.ts";
import { until } from "../../../../support/peers.ts";
import { emptyDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { startProxy } from "../../../../support/postgres/proxy.ts";

const backend = statement<{ pid: number }>("SELECT pg_backend_pid() AS pid");
const wait = statement("SELECT pg_sleep(60)");

interface Opened {
  clock: FakeClock;
  connection: OwnConnection;
  /** `prepared` and `lost`, in their order. */
  events: string[];
  pid(): Promise<number>;
}

function open(t: TestContext, url: string, options: Partial<OwnConnectionOptions> = {}): Opened {
  const clock = fakeClock();
  const events: string[] = [];
  const connection = new OwnConnection({
    config: parseDatabaseUrl(url).config,
    clock,
    prepare: async () => void events.push("prepared"),
    onLost: () => void events.push("lost"),
    ...options,
  });
  t.after(() => connection.close());
  return { clock, connection, events, pid: async () => (await connection.run(backend)).rows[0]?.pid ?? 0 };
}

describe("a connection outside of the pool", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("is prepared once, and opened again after its backend was terminated", async (t) => {
    const database = await emptyDatabase(t);
    const { events, pid } = open(t, database.url);
    const first = await pid();
    assert.equal(await pid(), first);
    await (await database.connect()).query("SELECT pg_terminate_backend($1)", [first]);
    await until("the loss", () => events.includes("lost"));
    assert.notEqual(await pid(), first);
    assert.deepEqual(events, ["prepared", "lost", "prepared"]);
  });

  it("rejects a statement whose backend is terminated meanwhile, and runs the next one", async (t) => {
    const database = await emptyDatabase(t);
    const { events, connection, pid } = open(t, database.url);
    const first = await pid();
    const waiting = assert.rejects(connection.run(wait), SpoolUnavailable);
    await (await database.connect()).query("SELECT pg_terminate_backend($1)", [first]);
    await waiting;
    assert.notEqual(await pid(), first);
    assert.deepEqual(events, ["prepared", "lost", "prepared"]);
  });

  it("gives up after its time limit when the network is cut, in a statement and while connecting", async (t) => {
    const database = await emptyDatabase(t);
    const proxy = await startProxy(t, database.url);
    const { clock, connection, events, pid } = open(t, proxy.url);
    const first = await pid();
    proxy.cut();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const rejected = assert.rejects(connection.run(backend), {
        name: "SpoolUnavailable",
        message: `the database has not replied within ${REPLY_MAX_MS} ms`,
      });
      await clock.advance(REPLY_MAX_MS);
      await rejected;
    }
    assert.deepEqual(events, ["prepared", "lost"]);
    proxy.restore();
    assert.notEqual(await pid(), first);
  });

  it("makes the server end what it no longer waits for", async (t) => {
    const { connection } = open(t, (await emptyDatabase(t)).url);
    await assert.rejects(connection.run(wait), /statement timeout/);
  });

  it("keeps the connection after an error of a statement, and rolls its transaction back", async (t) => {
    const { connection, events, pid } = open(t, (await emptyDatabase(t)).url);
    const first = await pid();
    const failing = connection.transaction(async (session) => {
      await session.run(statement("CREATE TABLE begun ()"));
      await session.run(statement("SELECT 1 / 0"));
    });
    await assert.rejects(failing, /division by zero/);
    assert.equal(await pid(), first);
    const { rows } = await connection.run(statement("SELECT to_regclass('begun') AS begun"));
    assert.deepEqual(rows, [{ begun: null }]);
    assert.deepEqual(events, ["prepared"]);
  });

  it("is not used if it could not be prepared", async (t) => {
    const faults = [new Error("not this server")];
    const { connection, events, pid } = open(t, (await emptyDatabase(t)).url, {
      async prepare() {
        const fault = faults.pop();
        if (fault !== undefined) throw fault;
      },
    });
    await assert.rejects(connection.run(backend), /^Error: not this server$/);
    assert.notEqual(await pid(), 0);
    assert.deepEqual(events, []);
  });

  it("is not opened again after it was closed", async (t) => {
    const { connection, pid } = open(t, (await emptyDatabase(t)).url);
    await pid();
    await connection.close();
    await assert.rejects(connection.run(backend), SpoolUnavailable);
  });
});
