/**
 * The service process and the command line leave the spool in one file when they exit; a disk that refuses the
 * checkpoint loses nothing.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { attempted, lookUp, pollUntil, send } from "../support/api-client.ts";
import { type ChildService, startChild } from "../support/child-service.ts";
import { spawnCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

const FILE = "postrider.db";

const logFiles = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => name.startsWith(`${FILE}-`) && name !== `${FILE}-id`);

interface Running {
  world: World;
  child: ChildService;
  dataDir: string;
  ids: string[];
}

/** Starts a service process, and delivers messages with it. */
async function delivered(t: TestContext): Promise<Running> {
  const world = await startWorld(t);
  await world.service.stop();
  const child = await startChild(t, world.env);
  const target = { url: child.url, key: world.key };
  const ids = await Promise.all(Array.from({ length: 20 }, () => send(target, sendBody())));
  for (const id of ids) await pollUntil(target, id, attempted);
  return { world, child, dataDir: world.env.DATA_DIR ?? "", ids };
}

async function checkAllStored(t: TestContext, { world, ids }: Running, dataDir: string): Promise<void> {
  const child = await startChild(t, { ...world.env, DATA_DIR: dataDir });
  for (const id of ids) {
    const { recipients } = await lookUp({ url: child.url, key: world.key }, id);
    assert.deepEqual(
      recipients.map(({ result }) => result),
      ["delivered"],
    );
  }
  assert.equal((await child.kill("SIGTERM")).code, 0);
}

const skip = process.env.CI === "true" ? false : "starts several services, so it runs with CI=true";

test("after SIGTERM and after a command, postrider.db is the whole spool", { skip }, async (t) => {
  const running = await delivered(t);
  const { world, child, dataDir } = running;
  assert.equal((await child.kill("SIGTERM")).code, 0);
  assert.deepEqual(logFiles(dataDir), []);
  for (const args of [
    ["queue", "list"],
    ["accounts", "create", "other"],
    ["backup", join(tempDir(t), "backup")],
    ["messages", "show", "msg_none"],
    ["master-key", "rotate"],
  ]) {
    await spawnCli(args, world.env);
    assert.deepEqual(logFiles(dataDir), [], args.join(" "));
  }
  const copy = tempDir(t);
  copyFileSync(join(dataDir, FILE), join(copy, FILE));
  await checkAllStored(t, running, copy);
});

test("if the disk refuses the checkpoint, the stop succeeds and the log stays", {
  skip,
}, async (t) => {
  const running = await delivered(t);
  const { world, child, dataDir } = running;
  const file = join(dataDir, FILE);
  const logBytes = statSync(`${file}-wal`).size;
  // No file of the process may grow beyond the size of the database; the log is already larger.
  assert.ok(statSync(file).size < logBytes);
  execFileSync("prlimit", ["--pid", String(child.pid), `--fsize=${statSync(file).size}`]);
  const { code, stderr } = await child.kill("SIGTERM");
  assert.deepEqual([code, stderr.replace(/^postrider: there is no user yet[^\n]+\n$/, "")], [0, ""]);
  assert.ok(statSync(`${file}-wal`).size >= logBytes, "the log still exists");

  const copy = join(tempDir(t), "data");
  mkdirSync(copy);
  for (const name of [FILE, `${FILE}-wal`]) copyFileSync(join(dataDir, name), join(copy, name));
  await checkAllStored(t, running, copy);
  await checkAllStored(t, running, dataDir);
  assert.deepEqual(logFiles(dataDir), []);
  assert.equal((await spawnCli(["queue", "list"], world.env)).code, 0);
});
