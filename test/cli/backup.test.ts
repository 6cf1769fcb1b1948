/** A backup made beside the running service and restored elsewhere: nothing is sent again without a request. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { lockBackup } from "../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { attempted, lookUp, pollUntil, send } from "../support/api-client.ts";
import { apiTarget, startExchanger, until } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

interface MovedBackup {
  world: World;
  file: string;
  /** The environment of the installation that the backup is restored into. */
  env: Record<string, string>;
}

async function backedUp(
  t: TestContext,
  before: (world: World) => Promise<void>,
  options: string[] = [],
): Promise<MovedBackup> {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  await before(world);
  const dir = tempDir(t);
  const file = join(dir, "postrider.backup");
  const { code, stderr, stdout } = await runCli(["backup", file, ...options], world.env);
  assert.equal(code, 0, stderr);
  assert.match(stdout, options.length > 0 ? /does not hold the master key/ : /holds the master key/);
  return { world, file, env: { ...world.env, DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs") } };
}

async function restore({ file, env }: MovedBackup): Promise<void> {
  const { code, stderr, stdout } = await runCli(["restore", file], env);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Delivery is paused/);
}

test("a restored backup delivers nothing until queue resume", async (t) => {
  let [delivered, waiting, held] = ["", "", ""];
  let answerDot = (): void => {};
  const moved = await backedUp(t, async (world) => {
    const exchanger = await startExchanger(t, world, {
      domain: "held.example",
      script: { dot: () => ({ silent: true }) },
    });
    const door = apiTarget(world);
    delivered = await send(door, sendBody({ to: "ann@customers.example" }));
    waiting = await send(door, sendBody({ to: ["4xx-451@customers.example", "greylist-1@customers.example"] }));
    held = await send(door, sendBody({ to: "bob@held.example" }));
    await pollUntil(door, delivered, attempted);
    await pollUntil(door, waiting, attempted);
    await until("the dot", () => exchanger.transactions.length === 1);
    answerDot = () => exchanger.say("250 2.0.0 queued after all\r\n");
  });
  const { world, env, file } = moved;
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await restore(moved);
  assert.equal(statSync(join(env.DATA_DIR ?? "", "postrider.db")).mode & 0o777, 0o600);
  assert.equal(
    readFileSync(join(env.CERTS_DIR ?? "", "master.key"), "utf8"),
    readFileSync(join(world.env.CERTS_DIR ?? "", "master.key"), "utf8"),
  );
  assert.ok(
    !readFileSync(join(env.DATA_DIR ?? "", "postrider.db")).includes(
      readFileSync(join(env.CERTS_DIR ?? "", "master.key"), "utf8").trim(),
    ),
  );

  // Otherwise the stop would wait for it.
  answerDot();
  await world.service.stop();
  const receivedBefore = world.sink.entries.length;
  const child = await startSecondService(t, env);
  const door = { url: child.url, key: world.key };
  const ready = await fetch(`${child.url}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(JSON.stringify(await ready.json()), /paused.*restored from a backup/);

  assert.deepEqual(
    (await lookUp(door, delivered)).recipients.map((r) => r.result),
    ["delivered"],
  );
  const [inFlight] = (await lookUp(door, held)).recipients;
  assert.deepEqual([inFlight?.result, inFlight?.reason], ["unknown", "interrupted_after_final_dot"]);
  const fresh = await send(door, sendBody({ to: "carl@customers.example" }));
  assert.equal((await lookUp(door, fresh)).recipients[0]?.attempts, 0);

  assert.equal((await runCli(["queue", "resume"], env)).code, 2);
  const resumed = await runCli(["queue", "resume", "--hold"], env);
  assert.deepEqual(
    [resumed.code, resumed.stdout],
    [0, "Delivery resumed. 2 recipients became unknown; see queue resolve and queue retry.\n"],
  );
  const [carl] = (await pollUntil(door, fresh, attempted)).recipients;
  assert.equal(carl?.result, "delivered");
  for (const recipient of (await lookUp(door, waiting)).recipients) {
    assert.deepEqual([recipient.result, recipient.reason], ["unknown", "restored_from_backup"]);
    assert.equal(recipient.events.at(-1)?.type, "unknown");
  }
  assert.equal(world.sink.entries.length, receivedBefore + 1, "only the new mail was sent");
  assert.equal((await fetch(`${child.url}/readyz`)).status, 200);
  assert.equal((await runCli(["queue", "resume", "--send"], env)).stderr, "postrider: delivery is not paused\n");
});

test("queue resume --send sends to waiting recipients, also when the file was copied into place", async (t) => {
  let waiting = "";
  const { world, env, file } = await backedUp(t, async (world) => {
    waiting = await send(apiTarget(world), sendBody({ to: "greylist-1@customers.example" }));
    await pollUntil(apiTarget(world), waiting, attempted);
  });
  await world.service.stop();
  for (const name of ["postrider.db", "postrider.db-wal", "postrider.db-shm"]) {
    const old = join(world.env.DATA_DIR ?? "", name);
    if (existsSync(old)) writeFileSync(old, name === "postrider.db" ? readFileSync(file) : "");
  }
  const child = await startSecondService(t, {
    ...env,
    DATA_DIR: world.env.DATA_DIR ?? "",
    CERTS_DIR: world.env.CERTS_DIR ?? "",
  });
  const door = { url: child.url, key: world.key };
  const at = { ...env, DATA_DIR: world.env.DATA_DIR ?? "" };
  assert.equal((await fetch(`${child.url}/readyz`)).status, 503);
  assert.equal((await runCli(["queue", "retry", waiting], at)).code, 0);
  assert.equal((await lookUp(door, waiting)).recipients[0]?.attempts, 1);
  assert.equal((await runCli(["queue", "resume", "--send"], at)).code, 0);
  const [recipient] = (await pollUntil(door, waiting, (r) => r.attempts === 2)).recipients;
  assert.equal(recipient?.result, "delivered");
});

test("files left by a killed backup do not prevent the next one of that name", async (t) => {
  const world = await startWorld(t);
  const file = join(tempDir(t), "postrider.backup");
  writeFileSync(`${file}.partial`, "half a copy");
  writeFileSync(`${file}.partial-journal`, "and its journal");
  const { code, stderr } = await runCli(["backup", file], world.env);
  assert.equal(code, 0, stderr);
  assert.ok(statSync(file).size > 10_000);
  assert.deepEqual(readdirSync(dirname(file)), ["postrider.backup"]);
});

test("impossible backups and restores are refused in one line, and leave nothing", async (t) => {
  const moved = await backedUp(t, async () => {}, ["--without-master-key"]);
  const { world, env, file } = moved;
  const refused = async (args: string[], at: Record<string, string>, words: RegExp): Promise<void> => {
    const { code, stdout, stderr } = await runCli(args, at);
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, words);
    assert.match(stderr, /^postrider: [^\n]+\n$/);
  };
  await refused(["backup", file], world.env, /already exists/);
  await refused(["backup", "/proc/nowhere/backup"], world.env, /ENOENT/);
  await refused(["backup", "x"], env, /there is no spool/);
  await refused(["restore", `${file}.not`], env, /there is no file/);
  await refused(["restore", file], world.env, /there is a spool in/);
  const rubbish = `${file}.rubbish`;
  writeFileSync(rubbish, "not a database at all, whatever its name says".repeat(30));
  await refused(["restore", rubbish], env, /file is not a database/);
  const other = `${file}.other`;
  new Sqlite(other).exec("CREATE TABLE t (a)").close();
  await refused(["restore", other], env, /is not a backup/);
  assert.ok(!existsSync(join(env.DATA_DIR ?? "", "postrider.db")));
  assert.ok(!existsSync(`${file}.partial`));
  const unlock = lockBackup(world.env.DATA_DIR ?? "");
  await refused(["backup", `${file}.second`], world.env, /another backup is under way/);
  unlock();

  const { code, stdout } = await runCli(["restore", file], env);
  assert.equal(code, 0);
  assert.match(stdout, /It has no master key/);
  assert.ok(!existsSync(join(env.CERTS_DIR ?? "", "master.key")));
});
