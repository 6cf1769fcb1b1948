/** The master key of several nodes on one database: its rotation, and its replacement after a loss. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { sealNameOf } from "../../src/app/installation/master-key.ts";
import { readConfig } from "../../src/config.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openVault } from "../../src/security/vault.ts";
import { tryStartService } from "../../src/service/start-errors.ts";
import { postgresMaintenance } from "../../src/spool/engine/postgres/cluster/maintenance.ts";
import { isFinal, pollUntil, send } from "../support/api-client.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

type Environment = Record<string, string>;

const rotate = (env: Environment) => runCli(["master-key", "rotate"], env);
const keyFile = ({ CERTS_DIR = "" }: Environment): string => join(CERTS_DIR, "master.key");
const keyOf = (env: Environment): string => readFileSync(keyFile(env), "utf8");

/** A world on a database whose only node is stopped. */
async function stopped(t: TestContext): Promise<World> {
  const { url } = await freshDatabase(t);
  const world = await startWorld(t, { DATABASE_URL: url, NODE_NAME: "a" });
  await world.service.stop();
  return world;
}

/** The environment of another node: its own directories with a copy of the master key as it is now. */
function otherNode(t: TestContext, world: World): Environment {
  const dir = tempDir(t);
  cpSync(world.env.CERTS_DIR ?? "", join(dir, "certs"), { recursive: true });
  return { ...world.env, NODE_NAME: "b", DATA_DIR: join(dir, "data"), CERTS_DIR: join(dir, "certs") };
}

/** How many sealed values there are; each opens with the key of `env`. */
async function openedBy(env: Environment): Promise<number> {
  const vault = openVault(env.CERTS_DIR ?? "");
  const values = await postgresMaintenance(env.DATABASE_URL ?? "").sealedValues(1000);
  for (const value of values) vault.open(sealNameOf(value), value.bytes);
  return values.length;
}

/** Sends a message through a new node of `env`, which must sign it. */
async function delivers(t: TestContext, world: World, env: Environment): Promise<void> {
  const service = await startSecondService(t, env);
  const door = { url: service.url, key: world.key };
  const id = await send(door, sendBody());
  assert.equal((await pollUntil(door, id, isFinal)).recipients[0]?.result, "delivered");
  assert.equal(world.sink.entries.at(-1)?.dkim.result, "pass");
  await service.stop();
}

async function refusal(env: Environment): Promise<string> {
  const onFatal = (error: Error): void => {
    throw error;
  };
  const started = await tryStartService(readConfig(env), silentLog, { onFatal });
  return typeof started === "string" ? started : assert.fail("it started");
}

const ANOTHER = /^CERTS_DIR=\S+ has another master\.key than the nodes that use .*: copy master\.key from one of them$/;

describe("the master key of several nodes", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("is not rotated while a node runs; after the rotation, the others need the new one", async (t) => {
    const world = await stopped(t);
    const other = otherNode(t, world);
    const before = keyOf(world.env);
    const node = await startSecondService(t, other);
    const refused = await rotate(world.env);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /^postrider: the node b is running: stop all nodes first; [^\n]+\n$/);
    assert.equal(keyOf(world.env), before);
    await node.stop();

    const { code, stdout, stderr } = await rotate(world.env);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^2 secrets sealed with a new master key/);
    assert.equal(await openedBy(world.env), 1);
    await delivers(t, world, world.env);
    assert.match(await refusal(other), ANOTHER);
    assert.match((await rotate(other)).stderr, /has another master\.key/);
    writeFileSync(keyFile(other), keyOf(world.env));
    await delivers(t, world, other);
  });

  it("is not rotated while a command seals", async (t) => {
    const { env } = await stopped(t);
    const before = keyOf(env);
    const unlock = await postgresMaintenance(env.DATABASE_URL ?? "").lockSealing();
    const { code, stderr } = await rotate(env);
    assert.deepEqual([code, stderr], [1, "postrider: another command uses the master key: try again\n"]);
    assert.equal(keyOf(env), before);
    await unlock();
    assert.equal((await rotate(env)).code, 0);
  });

  it("after a rotation that was killed before its commit, all nodes seal with the old one until it is repeated", async (t) => {
    const world = await stopped(t);
    const other = otherNode(t, world);
    const fresh = `${randomBytes(32).toString("base64")}\n`;
    writeFileSync(keyFile(world.env), fresh + keyOf(world.env));
    assert.equal((await runCli(["domains", "add", "new.example"], world.env)).code, 0);
    assert.equal(await openedBy(other), 2);
    await delivers(t, world, world.env);
    await delivers(t, world, other);
    assert.match((await rotate(world.env)).stdout, /^3 secrets/);
    assert.equal(keyOf(world.env), fresh);
    assert.equal(await openedBy(world.env), 2);
    assert.match(await refusal(other), ANOTHER);
  });

  it("after a rotation that was killed after its commit, nodes seal with the new one", async (t) => {
    const world = await stopped(t);
    const old = keyOf(world.env);
    assert.equal((await rotate(world.env)).code, 0);
    const other = otherNode(t, world);
    writeFileSync(keyFile(world.env), keyOf(world.env) + old);
    assert.equal((await runCli(["domains", "add", "new.example"], world.env)).code, 0);
    assert.equal(await openedBy(other), 2);
    assert.equal((await rotate(world.env)).code, 0);
    assert.equal(await openedBy(world.env), 2);
  });

  it("is replaced once it is lost, with the nodes stopped", async (t) => {
    const world = await stopped(t);
    const other = otherNode(t, world);
    rmSync(keyFile(world.env));
    const renew = () => runCli(["master-key", "new"], world.env);
    const node = await startSecondService(t, other);
    assert.match((await renew()).stderr, /^postrider: the node b is running/);
    await node.stop();
    assert.match(await refusal(world.env), /has no master\.key, .*master-key new"$/);

    const { code, stdout, stderr } = await renew();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /DKIM keys of 1 domain/);
    assert.match((await renew()).stderr, /has a master\.key: to replace it, run/);
    await startSecondService(t, world.env);
    assert.match(await refusal(other), ANOTHER);
  });
});
