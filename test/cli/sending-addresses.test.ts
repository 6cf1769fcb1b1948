/** `addresses` and `pools`: what is refused, what is stored, and what is shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommandContext, type Implementation, Refusal, UsageError } from "../../src/cli/command.ts";
import {
  addAddress,
  assignPool,
  createPool,
  listAddresses,
  listPools,
  pauseAddress,
  removeAddress,
  removePool,
  resumeAddress,
  showAddress,
} from "../../src/cli/sending-addresses.ts";
import { ADDRESSES_MAX, readSendingPlan } from "../../src/spool/port/sending-addresses.ts";

interface Node {
  name: string;
  state: string;
  sendingIps: string[];
}

function setUp(nodes: Node[] | null = null) {
  const values = new Map<string, string>();
  const store = {
    readValue: async (name: string) => values.get(name) ?? null,
    writeValue: async (name: string, text: string) => void values.set(name, text),
    accounts: async () => [{ id: "acc_1", name: "shop" }],
    nodes: nodes && { list: async () => nodes },
  };
  const context = { store, account: { id: "acc_1", name: "shop" } } as unknown as CommandContext;
  const run = async ({ run: command }: Implementation, name?: string, options: Record<string, string> = {}) => {
    const result = await command(context, { positionals: name === undefined ? [] : [name], options });
    assert.ok(result);
    return result.json as Record<string, unknown>;
  };
  return { run, plan: () => readSendingPlan(store) };
}

const NAME = { name: "mail1.host.example" };

test("an address is added, shown, paused, resumed and removed", async () => {
  const { run, plan } = setUp();
  assert.deepEqual(await run(listAddresses), []);
  const shown = { address: "192.0.2.1", name: NAME.name, bind: null, pool: "default", nodes: null, state: "active" };
  assert.deepEqual(await run(addAddress, "192.0.2.1", NAME), shown);
  assert.deepEqual(await run(listAddresses), [shown]);
  assert.equal((await run(pauseAddress, "192.0.2.1")).state, "paused");
  assert.equal((await run(showAddress, "192.0.2.1")).state, "paused");
  assert.equal((await run(resumeAddress, "192.0.2.1")).state, "active");
  assert.deepEqual(await run(removeAddress, "192.0.2.1"), { address: "192.0.2.1", removed: true });
  assert.deepEqual(await plan(), { addresses: [], pools: [] });
});

test("an IPv6 address has one form, and a bound address must be of the same family", async () => {
  const { run, plan } = setUp();
  await run(addAddress, "2001:DB8:0:0::1", { ...NAME, bind: "fd00::2" });
  const [added] = (await plan()).addresses;
  assert.deepEqual([added?.ip, added?.bind], ["2001:db8::1", "fd00::2"]);
  assert.equal((await run(pauseAddress, "2001:db8::0001")).address, "2001:db8::1");
  await assert.rejects(run(addAddress, "192.0.2.1", { ...NAME, bind: "fd00::2" }), UsageError);
});

test("what is wrong is named, and nothing is stored", async () => {
  const { run, plan } = setUp();
  for (const [ip, options, why] of [
    ["192.0.2", NAME, /192\.0\.2 is not an IP address/],
    ["fe80::1%eth0", NAME, /is not an IP address/],
    ["192.0.2.1", {}, /needs --name/],
    ["192.0.2.1", { name: "localhost" }, /must be a host name/],
    ["192.0.2.1", { name: "-x.example" }, /must be a host name/],
    ["192.0.2.1", { ...NAME, bind: "here" }, /--bind here/],
    ["192.0.2.1", { ...NAME, pool: "news" }, /pools create news/],
  ] as const)
    await assert.rejects(run(addAddress, ip, options), { message: why });
  for (const command of [pauseAddress, showAddress, removeAddress])
    await assert.rejects(run(command, "192.0.2.9"), (error) => error instanceof Refusal);
  assert.deepEqual(await plan(), { addresses: [], pools: [] });
  await run(addAddress, "192.0.2.1", NAME);
  await assert.rejects(run(addAddress, "192.0.2.1", NAME), { message: /added already/ });
});

test("there is a limit on addresses", async () => {
  const { run } = setUp();
  for (let i = 0; i < ADDRESSES_MAX; i += 1) await run(addAddress, `10.0.${i >> 7}.${i & 127}`, NAME);
  await assert.rejects(run(addAddress, "10.9.9.9", NAME), Refusal);
});

test("accounts and domains are in one pool at a time, and a pool with addresses is not removed", async () => {
  const { run, plan } = setUp();
  for (const name of ["news", "bulk"]) await run(createPool, name);
  await run(assignPool, "news", { account: "shop" });
  await run(assignPool, "news", { domain: "News.Example" });
  await run(assignPool, "bulk", { account: "shop" });
  assert.deepEqual((await plan()).pools, [
    { accounts: ["acc_1"], domains: [], name: "bulk" },
    { accounts: [], domains: ["news.example"], name: "news" },
  ]);
  await run(addAddress, "192.0.2.1", { ...NAME, pool: "bulk" });
  const pools = (await run(listPools)) as unknown as Record<string, unknown>[];
  assert.deepEqual(pools[1], { name: "bulk", addresses: ["192.0.2.1"], accounts: ["shop"], domains: [] });
  await assert.rejects(run(removePool, "bulk"), { message: /192\.0\.2\.1/ });
  await run(assignPool, "default", { account: "shop" });
  assert.deepEqual((await plan()).pools[0]?.accounts, []);
  await run(removePool, "news");
  for (const [command, name, options] of [
    [createPool, "bulk", {}],
    [createPool, "default", {}],
    [createPool, "192.0.2.1", {}],
    [removePool, "news", {}],
    [assignPool, "news", { domain: "a.example" }],
    [assignPool, "bulk", { domain: "a b" }],
    [assignPool, "bulk", {}],
    [assignPool, "bulk", { account: "shop", domain: "a.example" }],
  ] as const)
    await assert.rejects(
      run(command, name, options),
      (error) => error instanceof Refusal || error instanceof UsageError,
    );
});

test("in a cluster the nodes that have an address are named, expired ones not", async () => {
  const { run } = setUp([
    { name: "n1", state: "live", sendingIps: ["192.0.2.1"] },
    { name: "n2", state: "expired", sendingIps: ["192.0.2.2"] },
  ]);
  for (const ip of ["192.0.2.1", "192.0.2.2"]) await run(addAddress, ip, NAME);
  const listed = (await run(listAddresses)) as unknown as { nodes: string[]; state: string }[];
  assert.deepEqual(
    listed.map(({ nodes, state }) => [nodes, state]),
    [
      [["n1"], "active"],
      [[], "absent"],
    ],
  );
});
