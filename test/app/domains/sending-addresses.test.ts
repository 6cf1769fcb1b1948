/** The addresses of this server and of the other nodes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SendingAddresses, serviceSendingIps } from "../../../src/app/domains/sending-addresses.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Nodes } from "../../../src/spool/port/nodes.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";

const OWN = "198.51.100.7";

/** Nodes that have announced `others`, and a record of what this one announces. */
function setUp(others: string[]) {
  const clock = fakeClock();
  const announced: string[][] = [];
  const state = { others, fault: null as Error | null };
  const read = async <T>(value: T): Promise<T> => (state.fault === null ? value : Promise.reject(state.fault));
  const nodes = {
    own: {
      async announceSendingIps(ips: string[]) {
        await read(null);
        announced.push(ips);
      },
    },
    sendingIps: () => read(state.others),
    list: () =>
      read([
        { state: "live", sendingIps: state.others },
        { state: "expired", sendingIps: ["203.0.113.9"] },
      ]),
  } as unknown as Nodes;
  return { clock, announced, state, nodes, addresses: new SendingAddresses([OWN], { nodes, clock, log: silentLog }) };
}

test("a node announces its addresses each minute, and reads those of the others", async () => {
  const { clock, announced, state, addresses } = setUp(["192.0.2.1", OWN, "2001:db8::1"]);
  assert.deepEqual(addresses.all, [OWN]);
  await addresses.start();
  assert.deepEqual(announced, [[OWN]]);
  assert.deepEqual(addresses.all, ["192.0.2.1", OWN, "2001:db8::1"]);
  state.others = ["192.0.2.2"];
  await clock.advance(60_000);
  assert.deepEqual(addresses.all, ["192.0.2.2", OWN]);
  assert.deepEqual(addresses.own, [OWN]);
  assert.equal(announced.length, 2);
  addresses.stop();
  await clock.advance(120_000);
  assert.equal(announced.length, 2);
});

test("sending addresses that this server has are announced at once, and the live nodes' are read every ten seconds", async () => {
  const { clock, announced, state, addresses } = setUp(["192.0.2.1"]);
  await addresses.start();
  assert.deepEqual(addresses.live, ["192.0.2.1", OWN]);
  const recorded = {
    ip: "198.51.100.8",
    name: "mail1.host.example",
    bind: null,
    pool: "default",
    isPaused: false,
    warmUp: null,
  };
  const plan = { addresses: [recorded], pools: [] };
  addresses.record([recorded], plan);
  addresses.record([{ ...recorded, isPaused: true, warmUp: null }], plan);
  await clock.advance(0);
  assert.deepEqual(announced.slice(1), [[OWN, "198.51.100.8"]]);
  assert.deepEqual(addresses.all, ["192.0.2.1", OWN, "198.51.100.8"]);
  addresses.record([recorded], plan);
  assert.deepEqual(addresses.here, [{ ip: OWN }, recorded]);
  state.others = ["192.0.2.2"];
  await clock.advance(10_000);
  assert.deepEqual(addresses.live, ["192.0.2.2", OWN, "198.51.100.8"]);
  addresses.stop();
});

test("a node without a sending address of its own reads those of the others as often, from when there is one", async () => {
  const { clock, announced, state, addresses } = setUp(["192.0.2.1"]);
  await addresses.start();
  const other = { ip: "192.0.2.9", name: "mail.example", bind: null, pool: "news", isPaused: false, warmUp: null };
  const plan = { addresses: [other], pools: [] };
  state.others = ["192.0.2.9"];
  addresses.record([], plan);
  await clock.advance(0);
  assert.deepEqual(addresses.live, ["192.0.2.9", OWN]);
  addresses.record([], plan);
  state.others = [];
  await clock.advance(10_000);
  assert.deepEqual(addresses.live, [OWN]);
  assert.equal(announced.length, 3);
  addresses.stop();
});

test("an outage leaves the addresses as they are, and ends", async () => {
  const { clock, state, addresses } = setUp(["192.0.2.1"]);
  await addresses.start();
  state.fault = new SpoolUnavailable("connection lost");
  state.others = ["192.0.2.2"];
  await clock.advance(60_000);
  assert.deepEqual(addresses.all, ["192.0.2.1", OWN]);
  state.fault = null;
  await clock.advance(60_000);
  assert.deepEqual(addresses.all, ["192.0.2.2", OWN]);
});

test("without nodes they are those of this server", async () => {
  const clock = fakeClock();
  const addresses = new SendingAddresses([OWN], { nodes: null, clock, log: silentLog });
  await addresses.start();
  assert.deepEqual([addresses.own, addresses.all, clock.dueMs], [[OWN], [OWN], []]);
});

test("a process beside the service takes the nodes' addresses, not those of its own host", async () => {
  const settings = { hostname: "mta.shop.example", sendingIps: [OWN] };
  const resolver = fakeResolver({});
  assert.deepEqual(await serviceSendingIps(settings, resolver, setUp(["192.0.2.1"]).nodes), ["192.0.2.1"]);
  assert.deepEqual(await serviceSendingIps(settings, resolver, setUp([]).nodes), [OWN]);
  assert.deepEqual(await serviceSendingIps(settings, resolver, null), [OWN]);
});
