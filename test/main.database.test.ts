/** The service as a node of a database that refuses it while it runs, or that has failed over while it starts. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { text } from "node:stream/consumers";
import { it, type TestContext } from "node:test";
import { MASTER_KEY_ENTRY } from "../src/spool/engine/postgres/connection/server-checks.ts";
import { freshDatabase } from "./support/postgres/fresh-database.ts";
import { missingPostgres } from "./support/postgres/installation.ts";
import { programArgs } from "./support/program.ts";
import { startWorld } from "./support/world.ts";

/** Starts the service on its own. */
async function startChild(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const world = await startWorld(t, { DATABASE_URL: url });
  await world.service.stop();
  const client = await connect();
  return {
    client,
    start() {
      const env = { PATH: process.env.PATH ?? "", ...world.env, LOG_LEVEL: "info" };
      const child = spawn(process.execPath, programArgs("src/main.ts"), { env, stdio: ["ignore", "pipe", "pipe"] });
      t.after(() => child.kill("SIGKILL"));
      return { child, stderr: text(child.stderr), closed: once(child, "close"), log: createInterface(child.stdout) };
    },
  };
}

async function untilListening(log: Interface): Promise<void> {
  for await (const line of log) if (JSON.parse(line).msg === "listening") break;
  log.on("line", () => {});
}

it("a node that the database no longer accepts ends with one line", {
  skip: missingPostgres(),
  timeout: 60_000,
}, async (t) => {
  const { client, start } = await startChild(t);
  const { stderr, closed, log } = start();
  await untilListening(log);
  await client.query("UPDATE key_values SET text = 'of another key' WHERE name = $1", [MASTER_KEY_ENTRY]);
  await client.query("UPDATE nodes SET ended_at = clock_timestamp(), slot = NULL WHERE ended_at IS NULL");
  assert.equal((await closed)[0], 1);
  // After the link of the first user.
  assert.match(await stderr, /\npostrider: CERTS_DIR has another master\.key than the nodes[^\n]+\n$/);
});

it("a node that starts during a failover waits until the others have agreed", {
  skip: missingPostgres(),
  timeout: 60_000,
}, async (t) => {
  const { client, start } = await startChild(t);
  const { rows } = await client.query("SELECT text FROM key_values WHERE name = 'timeline'");
  await client.query("UPDATE key_values SET text = '1 00000001 1' WHERE name = 'timeline'");
  // A node that has worked with the database before, and has not looked yet.
  await client.query(`INSERT INTO nodes (number, slot, name, address, version, schema_version, lease_until)
    VALUES (1, 63, 'other', '', '', 0, clock_timestamp() + interval '1 hour')`);
  const { child, log } = start();
  const looks = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT text FROM key_values%'
    AND state = 'idle' AND clock_timestamp() > state_change + interval '50 ms'`;
  while ((await client.query(looks)).rowCount === 0 && child.exitCode === null);
  await client.query("UPDATE key_values SET text = $1 WHERE name = 'timeline'", [rows[0].text]);
  await untilListening(log);
  assert.equal(child.exitCode, null, "it has ended");
});
