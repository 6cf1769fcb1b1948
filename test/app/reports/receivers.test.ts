/** The receivers: which there are, the limits in effect, and their state. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  closedAt,
  failuresByReceiver,
  type ReceiverReport,
  readReceivers,
} from "../../../src/app/reports/receivers.ts";
import type { ClosedDestination, TroubleCause } from "../../../src/message/result/closed-destination.ts";
import { PROFILES } from "../../../src/receivers/profiles.ts";
import type { DestinationTraffic, NodeTraffic } from "../../../src/spool/port/node-traffic.ts";
import { readReceiverOverrides, writeReceiverOverride } from "../../../src/spool/port/receiver-limits.ts";
import { encodeCounts, newCounts } from "../../../src/spool/port/receiver-results.ts";

const closedAfter = (cause: TroubleCause): ClosedDestination => ({
  sinceMs: 1,
  probeAtMs: 2,
  isProbing: false,
  causes: [cause],
  last: { cause, text: "421 no", atMs: 1 },
});

const destination = (name: string, more: Partial<DestinationTraffic> = {}): DestinationTraffic => ({
  name,
  attempts: 1,
  window: 5,
  limit: null,
  connections: 2,
  usedAtMs: 1,
  closed: null,
  ...more,
});

const node = (destinations: DestinationTraffic[]): NodeTraffic => ({
  node: "n1",
  atMs: 0,
  attempts: 0,
  attemptsMax: 500,
  accountsAtShare: [],
  hasAcceptPriority: false,
  domains: [],
  destinations,
  destinationOf: {},
});

function memoryStore() {
  const values = new Map<string, string>();
  return {
    values,
    readValue: async (name: string) => values.get(name) ?? null,
    writeValue: async (name: string, text: string) => void values.set(name, text),
    readLiveNodeValues: async (name: string) => [values.get(name) ?? []].flat(),
  };
}

const byName = (reports: ReceiverReport[]) => new Map(reports.map((report) => [report.name, report]));

test("those with a profile, those with mail and those with limits of their own, without sinks", async () => {
  const spool = memoryStore();
  await writeReceiverOverride(spool, "set.example", { connections: 3 });
  const counts = { ...newCounts(), delivered: 4 };
  spool.values.set("receiver-hours", encodeCounts(new Map([[0, new Map([["past.example", counts]])]])));
  const traffic = [
    node([destination("*.mail.example"), destination("*.gmail+*.own.example"), destination("127.0.0.1:2525")]),
  ];
  const reports = await readReceivers({ spool, traffic, configured: new Map([["google.com", 9]]), nowMs: 1 });
  const names = reports.map(({ name }) => name);
  assert.deepEqual(names, [...names].sort());
  assert.deepEqual(
    new Set(names),
    new Set([...PROFILES.map(({ name }) => name), "set.example", "mail.example", "own.example", "past.example"]),
  );
  const found = byName(reports);
  assert.equal(found.get("past.example")?.lastDay.delivered, 4);
  assert.deepEqual(found.get("set.example")?.overridden, ["connections"]);
  assert.deepEqual(found.get("gmail")?.limits, { connections: 9, messagesPerConnection: 50 });
  assert.deepEqual([found.get("gmail")?.connections, found.get("yahoo")?.connections], [2, 0]);
});

test("the state says why nothing is sent, by the node that knows it last", async () => {
  const cases = [
    ["gmail", "rate_limited", "paused"],
    ["outlook", "reputation", "blocked"],
    ["yahoo", "authentication", "blocked"],
    ["icloud", "timeout", "closed"],
  ] as const;
  const older = node(cases.map(([name]) => destination(`*.${name}`, { usedAtMs: 0 })));
  const newer = node(cases.map(([name, cause]) => destination(`*.${name}`, { closed: closedAfter(cause) })));
  const mixed = node([destination("*.gmx+*.orange", { closed: closedAfter("reputation") })]);
  const sources = {
    spool: memoryStore(),
    traffic: [older, newer, mixed],
    configured: new Map<string, number>(),
    nowMs: 1,
  };
  const found = byName(await readReceivers(sources));
  for (const [name, , state] of cases) assert.equal(found.get(name)?.state, state, name);
  assert.equal(found.get("gmx")?.state, "open", "a destination of several receivers shows nothing of one");
  assert.equal(found.get("gmail")?.attempts, 2, "of all nodes");
});

test("what is stored and cannot be read counts for nothing, and an empty override removes one", async () => {
  const spool = memoryStore();
  assert.equal(await writeReceiverOverride(spool, "gmail", { connections: 2 }), true);
  assert.equal(await writeReceiverOverride(spool, "yahoo", { pauseSeconds: 60 }), true);
  assert.equal(await writeReceiverOverride(spool, "gmail", {}), true);
  assert.deepEqual([...(await readReceiverOverrides(spool))], [["yahoo", { pauseSeconds: 60 }]]);
  for (const text of ["{", "[1]", '{"gmail":{"connections":"many","pauseSeconds":-1}}', "null"]) {
    spool.values.set([...spool.values.keys()][0] ?? "", text);
    for (const override of (await readReceiverOverrides(spool)).values()) assert.deepEqual(override, {}, text);
  }
});

test("each sending address has a state of its own; the receiver is closed once it is from all", async () => {
  const blocked = { closed: closedAfter("reputation") };
  const [one, two] = ["*.gmail@192.0.2.1", "*.gmail@192.0.2.2"];
  const reportOf = async (destinations: DestinationTraffic[]) => {
    const sources = { spool: memoryStore(), traffic: [node(destinations)], configured: new Map(), nowMs: 0 };
    const gmail = byName(await readReceivers(sources)).get("gmail");
    assert.ok(gmail);
    return gmail;
  };
  const idle = { attempts: 0, connections: 0 };
  const some = await reportOf([destination("*.gmail", idle), destination(one, blocked), destination(two)]);
  assert.deepEqual([some.state, some.attempts, some.connections], ["open", 2, 4]);
  assert.deepEqual(
    some.addresses.map(({ address, state }) => [address, state]),
    [
      ["192.0.2.1", "blocked"],
      ["192.0.2.2", "open"],
    ],
  );
  assert.deepEqual(
    closedAt(some).map(({ address }) => address),
    ["192.0.2.1"],
  );
  const all = await reportOf([
    destination("*.gmail@news", { ...idle, ...blocked }),
    destination(one, blocked),
    destination(two, blocked),
  ]);
  assert.equal(all.state, "blocked");
  assert.equal(closedAt(all).length, 2);
  const plain = await reportOf([destination("*.gmail", blocked)]);
  assert.deepEqual([plain.state, plain.addresses, closedAt(plain)[0]?.address], ["blocked", [], null]);
});

test("failures by receiver, the most first, with labels", async () => {
  const spool = memoryStore();
  const failed = (count: number) => ({ ...newCounts(), delivered: 5, failed: count });
  const hour = new Map([
    ["gmail", failed(2)],
    ["mail.example", failed(7)],
    ["icloud", failed(0)],
    ["yahoo", failed(2)],
  ]);
  spool.values.set("receiver-hours", encodeCounts(new Map([[0, hour]])));
  assert.deepEqual(await failuresByReceiver(spool, { nowMs: 0, days: 1, limit: 2 }), [
    { name: "mail.example", label: "mail.example", failed: 7 },
    { name: "gmail", label: "Gmail and Google Workspace", failed: 2 },
  ]);
});
