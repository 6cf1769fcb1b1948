/** A service with a damaged spool: it starts, delivers what it can read, and reports what it cannot. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runToExit, startChild } from "../support/child-service.ts";
import { damagePage, edit, pagesOf } from "../support/damaged-spool.ts";
import { runCli } from "../support/run-cli.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

interface Message {
  recipients: { email: string; result: string }[];
}

/** Creates three waiting messages in a spool without a service. Returns their ids and the environment for a service. */
async function worldWithPending(t: TestContext): Promise<{ world: World; env: Record<string, string>; ids: string[] }> {
  // The exchanger is down at first.
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  world.zone.set(`mx.${RECIPIENT_DOMAIN}`, "A", ["127.0.0.2"]);
  const ids: string[] = [];
  for (const name of ["ann", "ben", "cat"]) {
    const answer = await world.post(sendBody({ to: `${name}@${RECIPIENT_DOMAIN}` }));
    ids.push(((await answer.json()) as { id: string }).id);
  }
  await world.lookUp(ids[2] ?? "", "?wait=1");
  await world.service.stop();
  world.zone.set(`mx.${RECIPIENT_DOMAIN}`, "A", ["127.0.0.1"]);
  edit(world.env.DATA_DIR ?? "", (db) => db.exec("UPDATE work SET due_ms = 1 WHERE mark IS NULL"));
  return { world, env: world.env, ids };
}

const look = ({ key }: World, url: string, id: string): Promise<Response> =>
  fetch(`${url}/api/sending/messages/${id}`, { headers: { authorization: `Bearer ${key}` } });

async function results(world: World, url: string, ids: string[]): Promise<string[]> {
  const bodies = await Promise.all(ids.map(async (id) => (await look(world, url, `${id}?wait=20`)).json()));
  return (bodies as Message[]).map(({ recipients }) => recipients[0]?.result ?? "none");
}

describe("a damaged spool", { timeout: 120_000 }, () => {
  it("a damaged row: the other messages are delivered, and lookup, metrics and log report it", async (t) => {
    const { world, env, ids } = await worldWithPending(t);
    edit(env.DATA_DIR ?? "", (db) => db.exec("UPDATE recipients SET email = 'x' WHERE seq = 2"));
    const service = await startChild(t, env);
    assert.deepEqual(await results(world, service.url, [ids[0] ?? "", ids[2] ?? ""]), ["delivered", "delivered"]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^postrider_quarantined_messages 1$/m);
    const damaged = ids[1] ?? "";
    assert.equal(
      ((await (await look(world, service.url, damaged)).json()) as Message).recipients[0]?.result,
      "pending",
    );
    edit(env.DATA_DIR ?? "", (db) => db.exec(`UPDATE recipients SET email = 'ben@${RECIPIENT_DOMAIN}' WHERE seq = 2`));
    // The command line releases the message, and the running service sees the change.
    const retried = await runCli(["queue", "retry", damaged], env);
    // The service may have read the message again by itself just before.
    if (retried.code !== 0) assert.match(retried.stderr, /reached the final dot|is final \(1 delivered\)/);
    assert.deepEqual(await results(world, service.url, [damaged]), ["delivered"]);
    const { code, stdout, stderr } = await service.kill("SIGTERM");
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`"place":"the message ${ids[1]}","error":"recipient 0 is not an address`));
    assert.doesNotMatch(stdout + stderr, /\[object Object\]/);
  });

  it("a damaged page of messages: the service starts, and a lookup that fails names the message", async (t) => {
    const { world, env, ids } = await worldWithPending(t);
    const dataDir = env.DATA_DIR ?? "";
    damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "recipients") ?? assert.fail());
    const service = await startChild(t, env);
    const answer = await look(world, service.url, ids[0] ?? "");
    const { code, detail } = (await answer.json()) as { code: string; detail: string };
    assert.deepEqual([answer.status, code], [500, "internal_error"]);
    assert.ok(detail.includes(ids[0] ?? "?"));
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${service.url}/metrics`)).status, 200);
    assert.equal((await service.kill("SIGTERM")).code, 0);
  });

  it("a damaged schema: the start exits with 1 and one line, and leaves the file unchanged", async (t) => {
    const { env } = await worldWithPending(t);
    const dataDir = env.DATA_DIR ?? "";
    pagesOf(dataDir);
    damagePage(dataDir, { number: 1 });
    const file = join(dataDir, "postrider.db");
    const before = readFileSync(file);
    const { code, stderr } = await runToExit(t, env);
    assert.equal(code, 1);
    assert.match(stderr, /^postrider: DATA_DIR=[^\n]+ postrider\.db is damaged and was not changed: [^\n]+\n$/);
    assert.ok(readFileSync(file).equals(before));
  });
});
