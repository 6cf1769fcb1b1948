/** One account's backlog and another account's single message: which one waits. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BACKLOG, backlogWhen, fill, loadFor, SKIP_LOAD, SMALL_BACKLOG } from "../support/load.ts";
import { publish, startPeer, until } from "../support/peers.ts";
import { startWorld, type World } from "../support/world.ts";

const DOMAINS = 500;

/** A world in which one peer is the mail host of all these domains, or each domain has its own host. */
async function startMailHost(t: TestContext, domains: string[], hosts: "one" | "many"): Promise<World> {
  const world = await startWorld(t);
  const peer = await startPeer(t, world);
  for (const domain of domains) publish(world, domain, [peer.host]);
  if (hosts === "one") for (const domain of domains) world.zone.set(domain, "MX", [`10 mx1.${domains[0]}.`]);
  return world;
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `d${i}.example`);

/**
 * With the backlog in progress, sends another account's message to a quiet destination and to the busiest one, and
 * then the account's own next message.
 */
async function checkNoDelay(
  t: TestContext,
  world: World,
  { domains, backlog }: { domains: string[]; backlog: number },
): Promise<void> {
  const big = { ...(await loadFor(world, "")), domainOf: (i: number) => domains[i % domains.length] ?? "" };
  await fill(world, backlog, big);
  const other = { ...big, accountId: "acc_other" };
  for (const [label, mailing] of [
    ["another account's message to another host", { ...other, domainOf: () => "quiet.example" }],
    ["another account's message to the same host", { ...other, domainOf: () => domains[0] ?? "" }],
    ["the account's own message, accepted last", { ...big, domainOf: () => domains.at(-1) ?? "" }],
  ] as const) {
    const sentMs = performance.now();
    const [id = ""] = await fill(world, 1, mailing);
    const left = await backlogWhen(world, id, "delivered");
    t.diagnostic(`${label}: ${left} of ${backlog} pending after ${Math.round(performance.now() - sentMs)} ms`);
    assert.ok(left > backlog / 2, `${label}: ${left} of ${backlog} were pending`);
  }
}

test("a backlog for one destination delays no other account", { skip: SKIP_LOAD }, async (t) => {
  const world = await startMailHost(t, ["d0.example"], "one");
  publish(world, "quiet.example", ["127.0.0.1"]);
  await checkNoDelay(t, world, { domains: ["d0.example"], backlog: BACKLOG });
});

test(`a backlog for ${DOMAINS} destinations delays no other account`, { skip: SKIP_LOAD }, async (t) => {
  const world = await startMailHost(t, names(DOMAINS), "many");
  publish(world, "quiet.example", ["127.0.0.1"]);
  await checkNoDelay(t, world, { domains: names(DOMAINS), backlog: SMALL_BACKLOG });
});

test(`a backlog for ${DOMAINS} domains of one destination delays no other account`, { skip: SKIP_LOAD }, async (t) => {
  const world = await startMailHost(t, names(DOMAINS), "one");
  publish(world, "quiet.example", ["127.0.0.1"]);
  await checkNoDelay(t, world, { domains: names(DOMAINS), backlog: SMALL_BACKLOG });
});

test("an account whose destinations all stop responding delays no other account", { skip: SKIP_LOAD }, async (t) => {
  const world = await startWorld(t);
  const silent = await startPeer(t, world, { script: { greeting: () => ({ silent: true }) } });
  for (const domain of names(600)) publish(world, domain, [silent.host]);
  publish(world, "quiet.example", ["127.0.0.1"]);
  const { spool } = world.service;
  const { claim } = spool;
  let lastClaimed = 0;
  spool.claim = async (request) => {
    const claimed = await claim.call(spool, request);
    lastClaimed = claimed.jobs.length;
    return claimed;
  };
  const stuck = { ...(await loadFor(world, "")), domainOf: (i: number) => `d${i}.example` };
  await fill(world, 600, stuck);
  // Its first 64 attempts are not brief.
  await until("the account to use its whole share", () => silent.open >= 64 && lastClaimed === 0);
  const [id = ""] = await fill(world, 1, { ...stuck, accountId: "acc_other", domainOf: () => "quiet.example" });
  assert.equal(await backlogWhen(world, id, "delivered"), 600);
  assert.ok(silent.open >= 50, "the others are still silent");
  // Otherwise the end of the test would wait for them.
  await silent.close();
});
