/** The service as a node of a database that refuses it while it runs. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { it } from "node:test";
import { MASTER_KEY_ENTRY } from "../src/spool/postgres/server-checks.ts";
import { freshDatabase } from "./support/postgres/fresh-database.ts";
import { missingPostgres } from "./support/postgres/installation.ts";
import { programArgs } from "./support/program.ts";
import { startWorld } from "./support/world.ts";

it("a node that the database no longer accepts ends with one line", {
  skip: missingPostgres(),
  timeout: 60_000,
}, async (t) => {
  const { url, connect } = await freshDatabase(t);
  const world = await startWorld(t, { DATABASE_URL: url });
  await world.service.stop();
  const client = await connect();
  const env = { PATH: process.env.PATH ?? "", ...world.env, LOG_LEVEL: "info" };
  const child = spawn(process.execPath, programArgs("src/main.ts"), { env, stdio: ["ignore", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const [stderr, closed] = [text(child.stderr), once(child, "close")];
  const log = createInterface(child.stdout);
  for await (const line of log) if (JSON.parse(line).msg === "listening") break;
  log.on("line", () => {});
  await client.query("UPDATE key_values SET text = 'of another key' WHERE name = $1", [MASTER_KEY_ENTRY]);
  await client.query("UPDATE nodes SET ended_at = clock_timestamp(), slot = NULL WHERE ended_at IS NULL");
  assert.equal((await closed)[0], 1);
  // After the link of the first user.
  assert.match(await stderr, /\npostrider: CERTS_DIR has another master\.key than the nodes[^\n]+\n$/);
});
