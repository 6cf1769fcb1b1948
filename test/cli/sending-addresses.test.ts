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
  warmUpAddress,
} from "../../src/cli/sending-addresses.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY_MS } from "../../src/lib/units.ts";
import type { WarmUpDay } from "../../src/receivers/warm-up.ts";
import { ADDRESSES_MAX, readSendingPlan } from "../../src/spool/port/sending-addresses.ts";

interface Node {
  name: string;
  state: string;
  sendingIps: string[];
}

function setUp(nodes: Node[] | null = null) {
  const values = new Map<string, string>();
  const warmUps = new Map<string, WarmUpDay & { receiver: string }>();
  const store = {
    warmUpsOf: async () => [...warmUps.values()],
    moveWarmUp: async ({ receiver }: { receiver: string | null }, to: { place: number; day: number }) => {
      const moved = receiver === null ? [...warmUps.keys()] : [receiver];
      for (const name of moved) {
        const before = warmUps.get(name) ?? { receiver: name, taken: 0, accepted: 0, isBlocked: false };
        warmUps.set(name, { ...before, ...to });
      }
    },
    forgetWarmUps: async () => warmUps.clear(),
    readValue: async (name: string) => values.get(name) ?? null,
    writeValue: async (name: string, text: string) => void values.set(name, text),
    accounts: async () => [{ id: "acc_1", name: "shop" }],
    nodes: nodes && { list: async () => nodes },
  };
  const context = { store, account: { id: "acc_1", name: "shop" } } as unknown as CommandContext;
  const run = async (
    { run: command }: Implementation,
    name?: string,
    options: Record<string, string | boolean> = {},
  ) => {
    const result = await command(context, { positionals: name === undefined ? [] : [name], options });
    assert.ok(result);
    return result.json as Record<string, unknown>;
  };
  return { run, warmUps, plan: () => readSendingPlan(store) };
}

const NAME = { name: "mail1.host.example" };

test("an address is added, shown, paused, resumed and removed", async () => {
  const { run, plan } = setUp();
  assert.deepEqual(await run(listAddresses), []);
  const shown = {
    address: "127.0.0.1",
    name: NAME.name,
    bind: null,
    pool: "default",
    warm_up: false,
    nodes: null,
    state: "active",
  };
  assert.deepEqual(await run(addAddress, "127.0.0.1", NAME), shown);
  assert.deepEqual(await run(listAddresses), [shown]);
  assert.equal((await run(pauseAddress, "127.0.0.1")).state, "paused");
  assert.equal((await run(showAddress, "127.0.0.1")).state, "paused");
  assert.equal((await run(resumeAddress, "127.0.0.1")).state, "active");
  assert.deepEqual(await run(removeAddress, "127.0.0.1"), { address: "127.0.0.1", removed: true });
  assert.deepEqual(await plan(), { addresses: [], pools: [] });
});

test("the warm-up of an address begins, is shown, moved and ended", async () => {
  const { run, plan, warmUps } = setUp();
  const setting = async () => {
    const { changedAtMs: _, ...rest } = (await plan()).addresses[0]?.warmUp ?? {};
    return (await plan()).addresses[0]?.warmUp && rest;
  };
  assert.equal((await run(addAddress, "127.0.0.1", { ...NAME, "warm-up": true })).warm_up, true);
  assert.deepEqual(await setting(), { schedule: null, firstPlace: 0 });
  const today = Math.floor(systemClock.now() / DAY_MS);
  warmUps.set("*.gmail", { receiver: "*.gmail", place: 1, day: today, taken: 60, accepted: 55, isBlocked: false });
  warmUps.set("*.cold", { receiver: "*.cold", place: 1, day: today - 31, taken: 9, accepted: 9, isBlocked: false });
  const shown = (await run(showAddress, "127.0.0.1")) as { schedule: number[]; receivers: object[] };
  assert.equal(shown.schedule[1], 100);
  const gmail = { receiver: "gmail", day: 2, limit: 100, sent_today: 60, accepted_today: 55, blocked_today: false };
  assert.deepEqual(shown.receivers, [gmail]);

  await run(warmUpAddress, "127.0.0.1", { day: "end", receiver: "gmail" });
  assert.equal(warmUps.get("*.gmail")?.place, shown.schedule.length);
  assert.deepEqual(await setting(), { schedule: null, firstPlace: 0 });
  await run(warmUpAddress, "127.0.0.1", { schedule: "5, 10,10", day: "2" });
  assert.deepEqual(await setting(), { schedule: [5, 10, 10], firstPlace: 1 });
  assert.equal(warmUps.get("*.gmail")?.place, 1);
  await run(warmUpAddress, "127.0.0.1", { schedule: "default" });
  assert.deepEqual(await setting(), { schedule: null, firstPlace: 1 });
  await run(warmUpAddress, "127.0.0.1", { off: true });
  assert.equal(await setting(), null);
  await run(removeAddress, "127.0.0.1");
  assert.equal(warmUps.size, 0);
});

test("texts of a warm-up that are not valid are refused by name", async () => {
  const { run } = setUp();
  await run(addAddress, "127.0.0.1", NAME);
  const faults: [Record<string, string>, RegExp][] = [
    [{ schedule: "10,5" }, /--schedule/],
    [{ schedule: "0" }, /--schedule/],
    [{ schedule: "" }, /--schedule/],
    [{ schedule: Array.from({ length: 101 }, () => "9").join() }, /--schedule/],
    [{ day: "0" }, /--day 0/],
    [{ day: "30" }, /--day 30: it must be from 1 to 29, or end/],
    [{ receiver: "no receiver", day: "1" }, /--receiver/],
  ];
  for (const [options, message] of faults)
    await assert.rejects(run(warmUpAddress, "127.0.0.1", options), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  for (const options of [{ receiver: "gmail" }, { off: true, day: "2" }, { receiver: "gmial", day: "2" }])
    await assert.rejects(run(warmUpAddress, "127.0.0.1", options), UsageError);
  await assert.rejects(run(warmUpAddress, "192.0.2.9"), Refusal);
});

test("an address that this server does not have is added, and shown as such", async () => {
  const { run } = setUp();
  assert.equal((await run(addAddress, "192.0.2.1", NAME)).state, "absent");
  assert.equal((await run(showAddress, "192.0.2.1")).state, "absent");
  assert.equal((await run(pauseAddress, "192.0.2.1")).state, "paused");
});

test("an IPv6 address has one form, and a bound address must be of the same family", async () => {
  const { run, plan } = setUp();
  await run(addAddress, "2001:DB8:0:0::1", { ...NAME, bind: "fd00::2" });
  const [added] = (await plan()).addresses;
  assert.deepEqual([added?.ip, added?.bind], ["2001:db8::1", "fd00::2"]);
  assert.equal((await run(pauseAddress, "2001:db8::0001")).address, "2001:db8::1");
  await assert.rejects(run(addAddress, "127.0.0.1", { ...NAME, bind: "fd00::2" }), UsageError);
});

test("what is wrong is named, and nothing is stored", async () => {
  const { run, plan } = setUp();
  for (const [ip, options, why] of [
    ["192.0.2", NAME, /192\.0\.2 is not an IP address/],
    ["fe80::1%eth0", NAME, /is not an IP address/],
    ["127.0.0.1", {}, /needs --name/],
    ["127.0.0.1", { name: "localhost" }, /must be a host name/],
    ["127.0.0.1", { name: "-x.example" }, /must be a host name/],
    ["127.0.0.1", { ...NAME, bind: "here" }, /--bind here/],
    ["127.0.0.1", { ...NAME, pool: "news" }, /pools create news/],
  ] as const)
    await assert.rejects(run(addAddress, ip, options), { message: why });
  for (const command of [pauseAddress, showAddress, removeAddress])
    await assert.rejects(run(command, "192.0.2.9"), (error) => error instanceof Refusal);
  assert.deepEqual(await plan(), { addresses: [], pools: [] });
  await run(addAddress, "127.0.0.1", NAME);
  await assert.rejects(run(addAddress, "127.0.0.1", NAME), { message: /added already/ });
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
    { accounts: ["acc_1"], domains: [], name: "bulk", tags: [] },
    { accounts: [], domains: ["news.example"], name: "news", tags: [] },
  ]);
  await run(addAddress, "127.0.0.1", { ...NAME, pool: "bulk" });
  const pools = (await run(listPools)) as unknown as Record<string, unknown>[];
  assert.deepEqual(pools[1], { name: "bulk", addresses: ["127.0.0.1"], accounts: ["shop"], domains: [], tags: [] });
  await assert.rejects(run(removePool, "default"), { message: /cannot be removed/ });
  await assert.rejects(run(removePool, "bulk"), { message: /127\.0\.0\.1/ });
  await run(assignPool, "default", { account: "shop" });
  assert.deepEqual((await plan()).pools[0]?.accounts, []);
  await run(removePool, "news");
  for (const [command, name, options] of [
    [createPool, "bulk", {}],
    [createPool, "default", {}],
    [createPool, "127.0.0.1", {}],
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
    { name: "n1", state: "live", sendingIps: ["127.0.0.1"] },
    { name: "n2", state: "expired", sendingIps: ["192.0.2.2"] },
  ]);
  for (const ip of ["127.0.0.1", "192.0.2.2"]) await run(addAddress, ip, NAME);
  const listed = (await run(listAddresses)) as unknown as { nodes: string[]; state: string }[];
  assert.deepEqual(
    listed.map(({ nodes, state }) => [nodes, state]),
    [
      [["n1"], "active"],
      [[], "absent"],
    ],
  );
});

test("a tag of an account is assigned to one pool at a time, and taken back", async () => {
  const { run, plan } = setUp();
  await run(createPool, "bulk");
  await run(createPool, "news");
  assert.deepEqual(await run(assignPool, "bulk", { tag: "newsletter" }), {
    pool: "bulk",
    account: "shop",
    tag: "newsletter",
  });
  await run(assignPool, "news", { tag: "newsletter" });
  const tags = async () => (await plan()).pools.map((pool) => [pool.name, pool.tags]);
  assert.deepEqual(await tags(), [
    ["bulk", []],
    ["news", [{ account: "acc_1", tag: "newsletter" }]],
  ]);
  const shown = (await run(listPools)) as unknown as { name: string; tags: object[] }[];
  assert.deepEqual(shown.find(({ name }) => name === "news")?.tags, [{ account: "shop", tag: "newsletter" }]);
  await run(assignPool, "default", { tag: "newsletter" });
  assert.deepEqual(await tags(), [
    ["bulk", []],
    ["news", []],
  ]);
  await assert.rejects(run(assignPool, "news", { tag: "" }), UsageError);
  await assert.rejects(run(assignPool, "news", { tag: "x".repeat(129) }), UsageError);
  await assert.rejects(run(assignPool, "news", { tag: "a", domain: "a.example" }), UsageError);
});
