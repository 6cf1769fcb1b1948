/** `nodes`: listing, draining and resuming the nodes of a database, and what the command says without one. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import packageJson from "../../package.json" with { type: "json" };
import { isFinal, pollUntil, send } from "../support/api-client.ts";
import { startExchanger, until } from "../support/peers.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { sendBody, startWorld, type World } from "../support/world.ts";

interface ListedNode {
  name: string;
  state: string;
  draining: boolean;
  leases: number;
}

/** A world on a database, whose service is the node `a`. */
async function startNode(t: TestContext): Promise<World> {
  const { url } = await freshDatabase(t);
  return startWorld(t, { DATABASE_URL: url, NODE_NAME: "a", SENDING_IPS: "127.0.0.1" });
}

const startOther = (t: TestContext, { env }: World) =>
  startSecondService(t, { ...env, NODE_NAME: "b", SENDING_IPS: "127.0.0.1,::1" });

async function listed(world: World): Promise<ListedNode[]> {
  return JSON.parse((await runCli(["nodes", "list", "--json"], world.env)).stdout);
}

async function refused(world: Pick<World, "env">, args: string[], line: string): Promise<void> {
  const outcome = await runCli(["nodes", ...args], world.env);
  assert.deepEqual(outcome, { code: 1, stdout: "", stderr: `postrider: ${line}\n` });
}

describe("nodes on a database", { skip: missingPostgresOrTime(), timeout: 120_000 }, () => {
  it("are listed for people and as JSON", async (t) => {
    const world = await startNode(t);
    await startOther(t, world);
    const nodes = JSON.parse((await runCli(["nodes", "list", "--json"], world.env)).stdout);
    for (const { started_at, heartbeat_at } of nodes) {
      assert.ok(Date.parse(started_at) <= Date.parse(heartbeat_at));
      assert.match(heartbeat_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    const common = {
      version: packageJson.version,
      address: "127.0.0.1",
      state: "live",
      started_at: "",
      heartbeat_at: "",
    };
    const idle = { ...common, draining: false, leases: 0, delivered_last_minute: 0 };
    assert.deepEqual(
      nodes.map((node: ListedNode) => ({ ...node, started_at: "", heartbeat_at: "" })),
      [
        { name: "a", ...idle, sending_ips: ["127.0.0.1"] },
        { name: "b", ...idle, sending_ips: ["127.0.0.1", "::1"] },
      ],
    );
    const { stdout } = await runCli(["nodes", "list"], world.env);
    const [heading, a, b] = stdout.split("\n").map((line) => line.split(/ {2,}/));
    assert.deepEqual(heading, "NAME STATE VERSION ADDRESS HEARTBEAT LEASES DELIVERED".split(" ").concat("SENDS FROM"));
    assert.deepEqual(
      a?.filter((_, i) => i !== 4),
      ["a", "live", packageJson.version, "127.0.0.1", "0", "0/min", "127.0.0.1"],
    );
    assert.equal(b?.at(-1), "127.0.0.1, ::1");
  });

  it("are drained: they complete what is in progress, accept, and are not ready, until they are resumed", async (t) => {
    const world = await startNode(t);
    const other = await startOther(t, world);
    let reply = (): void => {};
    const replied = new Promise<string>((resolve) => {
      reply = () => resolve("250 2.0.0 at last");
    });
    const slow = await startExchanger(t, world, { domain: "slow.example", script: { dot: () => replied } });
    const door = { url: world.service.url, key: world.key };
    const inProgress = await send(door, sendBody({ to: "ann@slow.example" }));
    await until("the dot", () => slow.transactions.length === 1);

    const early = await runCli(["nodes", "drain", "a", "--timeout", "2s"], world.env);
    assert.deepEqual(early, {
      code: 1,
      stdout: "draining: 1 lease\n",
      stderr: "postrider: a is not drained yet: nodes list shows what it leases, and nodes resume ends the draining\n",
    });
    const ready = await fetch(`${world.service.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(((await ready.json()) as { reasons: string[] }).reasons.join(), /^This node is draining: /);
    assert.equal((await fetch(`${other.url}/readyz`)).status, 200);
    assert.equal((await fetch(`${world.service.url}/healthz`)).status, 200);

    const accepted = await send(door, sendBody());
    assert.equal((await pollUntil(door, accepted, isFinal)).recipients[0]?.result, "delivered");
    await refused(
      world,
      ["drain", "b"],
      "no node would deliver without b: start another node first, or stop b as it is",
    );

    const drained = runCli(["nodes", "drain", "a", "--json"], world.env);
    reply();
    const { code, stdout, stderr } = await drained;
    assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { name: "a", state: "drained", leases: 0 }, ""]);
    assert.equal((await pollUntil(door, inProgress, isFinal)).recipients[0]?.result, "delivered");
    const states = (await listed(world)).map(({ name, state, draining, leases }) => [name, state, draining, leases]);
    assert.deepEqual(states[0], ["a", "drained", true, 0]);

    const resumed = await runCli(["nodes", "resume", "a"], world.env);
    assert.deepEqual(resumed, { code: 0, stdout: "a claims again.\n", stderr: "" });
    await refused(world, ["resume", "a"], "a is not draining");
    while ((await fetch(`${world.service.url}/readyz`)).status !== 200);
    const again = await runCli(["nodes", "drain", "b"], world.env);
    const text = "drained: 0 leases\nIt claims again after nodes resume b, or a restart.\n";
    assert.deepEqual(again, { code: 0, stdout: text, stderr: "" });
  });

  it("are named when there is none of the name", async (t) => {
    const world = await startNode(t);
    await refused(world, ["drain", "web"], "there is no node web: there is a");
    await refused(
      world,
      ["drain", "a"],
      "no node would deliver without a: start another node first, or stop a as it is",
    );
    const other = await startOther(t, world);
    await refused(world, ["resume", "web"], "there is no node web: there are a and b");
    await other.stop();
    await world.service.stop();
    await refused(world, ["drain", "a"], "there is no node a: no node is running");
    const none = await runCli(["nodes", "list"], world.env);
    assert.deepEqual(none, { code: 0, stdout: "No node is running.\n", stderr: "" });
  });

  it("are drained for a duration", async (t) => {
    const world = await startNode(t);
    const { code, stderr } = await runCli(["nodes", "drain", "a", "--timeout", "soon"], world.env);
    assert.deepEqual([code, stderr], [2, "postrider: --timeout 'soon' is not a duration such as 30s or 10m\n"]);
    assert.equal((await listed(world))[0]?.draining, false);
  });
});

it("a spool in files has no nodes, and says so", async (t) => {
  const world = await startWorld(t);
  const { code, stdout } = await runCli(["nodes", "list"], world.env);
  const text = "The spool in DATA_DIR belongs to one service, so there are no nodes. With DATABASE_URL there are.\n";
  assert.deepEqual([code, stdout], [0, text]);
  assert.deepEqual(await listed(world), []);
  const line =
    "the spool in DATA_DIR belongs to one service, which cannot be drained: stop it, and it completes what is in progress";
  for (const verb of ["drain", "resume"]) await refused(world, [verb, "a"], line);
});
