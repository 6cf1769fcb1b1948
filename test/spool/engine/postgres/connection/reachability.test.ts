/** The wait for a database at the start. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { systemClock } from "../../../../../src/lib/clock.ts";
import { createLog, silentLog } from "../../../../../src/lib/log.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { untilReachable } from "../../../../../src/spool/engine/postgres/connection/reachability.ts";
import { until } from "../../../../support/peers.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { type PostgresServer, startPostgres } from "../../../../support/postgres/server.ts";

const clock = systemClock;

async function start(t: TestContext): Promise<PostgresServer> {
  const server = await startPostgres();
  t.after(() => server.close());
  return server;
}

describe("a start", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("waits for a database that is starting, and logs it once", async (t) => {
    const server = await start(t);
    const { config } = parseDatabaseUrl(server.url);
    await server.stop();
    const lines: { msg: string; reason: string }[] = [];
    const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
    const reached = untilReachable({ config, clock, log });
    await until("the log line", () => lines.length > 0);
    await server.restart();
    await reached;
    assert.deepEqual(
      lines.map(({ msg, reason }) => [msg, reason]),
      [["waiting for the database", "no server accepts connections there (ECONNREFUSED)"]],
    );
  });

  it("gives up after some time", async () => {
    const { config } = parseDatabaseUrl("postgres://u@127.0.0.1:1/d");
    await assert.rejects(untilReachable({ config, clock, log: silentLog, waitMaxMs: 0 }), { code: "ECONNREFUSED" });
  });

  it("does not wait for what the operator must change", async (t) => {
    const { url } = await start(t);
    const wrong = [
      ["28P01", Object.assign(new URL(url), { password: "wrong" })],
      ["3D000", Object.assign(new URL(url), { pathname: "none" })],
    ] as const;
    for (const [code, { href }] of wrong) {
      const { config } = parseDatabaseUrl(href);
      await assert.rejects(untilReachable({ config, clock, log: silentLog, waitMaxMs: 3_600_000 }), { code });
    }
  });
});
