/** `spool copy`: a service moves from SQLite to PostgreSQL, and goes on there. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { attempted, isFinal, lookUp, pollUntil, send } from "../support/api-client.ts";
import { damagePage, pagesOf } from "../support/damaged-spool.ts";
import { apiTarget } from "../support/peers.ts";
import { emptyDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { tempDir } from "../support/temp-dir.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

const copyTo = (url: string, { env }: Pick<World, "env">, ...more: string[]) =>
  runCli(["spool", "copy", "--to", url, ...more], env);

/** The URL with a password that the server does not ask for, or rejects. */
const withPassword = (url: string): string => Object.assign(new URL(url), { password: "secret-word" }).href;

describe("spool copy", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("moves a stopped service: its keys, results and waiting messages are those of the new one", async (t) => {
    const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
    const door = apiTarget(world);
    const delivered = await send(door, sendBody({ to: "ann@customers.example" }));
    const waiting = await send(door, sendBody({ to: "greylist-1@customers.example" }));
    await pollUntil(door, delivered, isFinal);
    await pollUntil(door, waiting, attempted);
    const before = [await lookUp(door, delivered), await lookUp(door, waiting)];
    const { url } = await emptyDatabase(t);
    const running = await copyTo(url, world);
    assert.equal(running.code, 1);
    assert.match(running.stderr, /another Postrider service is running/);
    await world.service.stop();

    const copied = await copyTo(url, world);
    assert.deepEqual([copied.code, copied.stderr], [0, ""]);
    assert.match(copied.stdout, /^messages +2 +2$/m);
    assert.match(copied.stdout, /^recipients pending +1 +1$/m);
    assert.match(copied.stdout, /Set DATABASE_URL to the database/);

    const service = await startSecondService(t, { ...world.env, DATABASE_URL: url, NODE_NAME: "a" });
    const other = { url: service.url, key: world.key };
    assert.deepEqual([await lookUp(other, delivered), await lookUp(other, waiting)], before);
    const again = await runCli(["queue", "retry", waiting], { ...world.env, DATABASE_URL: url });
    assert.equal(again.code, 0, again.stderr);
    const { recipients } = await pollUntil(other, waiting, isFinal);
    assert.equal(recipients[0]?.result, "delivered");
    assert.equal(world.sink.entries.at(-1)?.dkim.result, "pass");
    await service.stop();
  });

  it("prints one JSON document, and fails where a part of the files cannot be read", async (t) => {
    const world = await startWorld(t);
    const door = apiTarget(world);
    await pollUntil(door, await send(door, sendBody()), isFinal);
    await world.service.stop();
    const page = pagesOf(world.env.DATA_DIR ?? "").find(({ name }) => name === "contents");
    assert.ok(page);
    damagePage(world.env.DATA_DIR ?? "", page);
    const { url } = await emptyDatabase(t);
    const { code, stdout, stderr } = await copyTo(url, world, "--json");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^postrider: the copy is complete except for 1 place of the files .* the database can be used\n$/,
    );
    const { complete, counts, unreadable_count, unreadable, quarantined } = JSON.parse(stdout);
    assert.deepEqual([complete, unreadable_count, quarantined], [true, 1, 1]);
    assert.match(unreadable[0].place, /^the content of the message msg_/);
    const count = (name: string) => counts.find((each: { name: string }) => each.name === name);
    assert.deepEqual(count("messages"), { name: "messages", sqlite: 1, postgresql: 1, differs: false });
    assert.deepEqual(count("content bytes"), { name: "content bytes", sqlite: null, postgresql: 0, differs: false });
  });

  it("never shows the password", async (t) => {
    const world = await startWorld(t);
    await world.service.stop();
    const { url } = await emptyDatabase(t);
    const wrong = new URL(withPassword(url));
    for (const to of [
      "postgres://user:secret-word@127.0.0.1:1/none",
      "postgres://user:secret-word@a@b/none",
      "mysql://user:secret-word@a/none",
      wrong.href,
    ]) {
      const { code, stdout, stderr } = await copyTo(to, world);
      assert.equal(code, 1, to);
      assert.match(stderr, /^postrider: --to /);
      assert.ok(!`${stdout}${stderr}`.includes("secret-word"), stderr);
    }
  });

  it("needs files, a URL, and the master key that opens their secrets", async (t) => {
    const world = await startWorld(t);
    await world.service.stop();
    const { url } = await emptyDatabase(t);
    const bare = await runCli(["spool", "copy"], world.env);
    assert.deepEqual([bare.code, bare.stderr.includes("spool copy needs --to URL")], [2, true]);
    const elsewhere = await copyTo(url, { env: { ...world.env, DATA_DIR: tempDir(t) } });
    assert.match(elsewhere.stderr, /there is no spool in .*: set DATA_DIR to the service's/);
    const file = join(world.env.CERTS_DIR ?? "", "master.key");
    writeFileSync(file, `${Buffer.alloc(32, 9).toString("base64")}\n`);
    assert.match((await copyTo(url, world)).stderr, /CERTS_DIR=\S+ has another master\.key than the service/);
    rmSync(file);
    assert.match((await copyTo(url, world)).stderr, /CERTS_DIR=\S+ has no master\.key, but DATA_DIR=\S+ holds secrets/);
  });
});
