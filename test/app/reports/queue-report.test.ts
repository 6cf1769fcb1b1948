/** What waits is split into due, deferred and in flight, and each recipient domain has the reason why it waits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closedAmong, type QueueSources, queueReport } from "../../../src/app/reports/queue-report.ts";
import { waitSentence } from "../../../src/app/reports/queue-wait-text.ts";
import type { ClosedDestination } from "../../../src/message/result/closed-destination.ts";
import type { DestinationTraffic, NodeTraffic } from "../../../src/spool/port/node-traffic.ts";
import type { WaitingDomain } from "../../../src/spool/port/reports.ts";

const DOMAIN: WaitingDomain = {
  domain: "a.example",
  waiting: 10,
  due: 6,
  oldestAtMs: 1,
  accountIds: ["acc_1"],
  nextAttemptAtMs: 2000,
  reason: null,
  category: null,
  smtp: null,
  pausedAtMs: null,
};

const MX: DestinationTraffic = {
  name: "mx.example",
  attempts: 2,
  window: 5,
  limit: null,
  connections: 3,
  usedAtMs: 1,
  closed: null,
};

const CLOSED: ClosedDestination = {
  sinceMs: 1000,
  probeAtMs: 3000,
  isProbing: false,
  causes: ["rate_limited"],
  last: { cause: "rate_limited", text: "421 jo@a.example sends too much", atMs: 2000 },
};

const NODE: NodeTraffic = {
  node: "n1",
  atMs: 0,
  attempts: 2,
  attemptsMax: 500,
  accountsAtShare: [],
  hasAcceptPriority: false,
  domains: [
    { accountId: "acc_1", domain: "a.example", inFlight: 2, deliveredLastMinute: 7 },
    { accountId: "acc_2", domain: "a.example", inFlight: 1, deliveredLastMinute: 5 },
  ],
  destinations: [MX],
  destinationOf: { "a.example": "mx.example" },
};

function reportOf(domain: Partial<WaitingDomain>, sources: Partial<QueueSources> = {}) {
  const waiting = { domains: [{ ...DOMAIN, ...domain }], waiting: 10, unknown: 0, oldestAtMs: 1 };
  return queueReport({ waiting, traffic: [NODE], accountId: null, isDeliveryPaused: false, ...sources });
}

const entryOf = (...args: Parameters<typeof reportOf>) => {
  const [entry] = reportOf(...args).domains;
  assert.ok(entry);
  return entry;
};

test("splits what waits, and adds up the nodes", () => {
  const other = { ...NODE, node: "n2", destinations: [{ ...MX, window: 9, usedAtMs: 2, attempts: 1, connections: 1 }] };
  const entry = entryOf({}, { traffic: [NODE, other] });
  assert.deepEqual([entry.due, entry.deferred, entry.inFlight, entry.deliveredLastMinute], [0, 4, 6, 24]);
  assert.deepEqual(entry.destination, { name: "mx.example", attempts: 3, window: 9, connections: 4, limit: null });
  const { due, deferred, inFlight } = reportOf({});
  assert.deepEqual([due, deferred, inFlight], [3, 4, 3]);
});

test("counts only its own attempts for an account, and none that the spool has ended already", () => {
  const own = entryOf({}, { accountId: "acc_1" });
  assert.deepEqual([own.due, own.inFlight, own.deliveredLastMinute], [4, 2, 7]);
  const ended = entryOf({ waiting: 1, due: 1 });
  assert.deepEqual([ended.due, ended.deferred, ended.inFlight], [0, 0, 1]);
});

test("knows no rate and no attempts while no node reports", () => {
  const entry = entryOf({}, { traffic: [] });
  assert.deepEqual([entry.due, entry.inFlight, entry.deliveredLastMinute, entry.destination], [6, 0, null, null]);
  assert.deepEqual(entry.wait, { type: "next" });
});

test("names the reason that keeps a domain waiting", () => {
  const withMx = (mx: Partial<DestinationTraffic>) => ({ traffic: [{ ...NODE, destinations: [{ ...MX, ...mx }] }] });
  const withNode = (node: Partial<NodeTraffic>) => ({ traffic: [{ ...NODE, ...node }] });
  const closed: ClosedDestination = CLOSED;
  const cases: [Partial<WaitingDomain>, Partial<QueueSources>, object][] = [
    [{}, {}, { type: "next" }],
    [{ pausedAtMs: 5 }, withMx({ closed }), { type: "domain_paused", sinceMs: 5 }],
    [{ waiting: 0, due: 0 }, {}, { type: "nothing_waits" }],
    [{}, { isDeliveryPaused: true }, { type: "delivery_paused" }],
    [{}, withMx({ closed }), { type: "closed", closed }],
    [{ due: 0 }, withMx({ closed }), { type: "closed", closed }],
    [{}, withMx({ attempts: 5 }), { type: "window", attempts: 5 }],
    [{}, withMx({ attempts: 1, connections: 2, limit: 2 }), { type: "connection_limit", limit: 2 }],
    [{}, withNode({ attempts: 500 }), { type: "attempts_max", max: 500 }],
    [{}, withNode({ accountsAtShare: ["acc_1"] }), { type: "account_share" }],
    [{ accountIds: ["acc_1", "acc_3"] }, withNode({ accountsAtShare: ["acc_1"] }), { type: "next" }],
    [{}, withNode({ hasAcceptPriority: true }), { type: "accept_priority" }],
    [{ waiting: 3, due: 3 }, {}, { type: "in_attempt" }],
    [{ due: 0 }, {}, { type: "deferred", nextAttemptAtMs: 2000 }],
    [{ due: 3 }, {}, { type: "deferred", nextAttemptAtMs: 2000 }],
  ];
  for (const [domain, sources, wait] of cases) {
    const entry = entryOf(domain, sources);
    assert.deepEqual(entry.wait, wait, JSON.stringify([domain, sources]));
    assert.equal(waitSentence(entry.wait).join("") === "", entry.wait.type === "nothing_waits");
  }
});

test("a recipient domain named like a property of every object has no destination", () => {
  assert.equal(entryOf({ domain: "constructor" }).destination, null);
});

test("only operators read what a closed destination replied: it may name another account's recipient", () => {
  const traffic = [{ ...NODE, destinations: [{ ...MX, closed: CLOSED }] }];
  const { wait } = entryOf({}, { traffic, accountId: "acc_1" });
  assert.deepEqual(wait, { type: "closed", closed: { ...CLOSED, last: null } });
  const domains = ["a.example", "open.example"];
  assert.deepEqual([...closedAmong(traffic, domains, { isOperator: true })], [["a.example", CLOSED]]);
  assert.deepEqual(
    [...closedAmong(traffic, domains, { isOperator: false })],
    [["a.example", { ...CLOSED, last: null }]],
  );
});

test("a closed destination for which nothing waits is in the report of all accounts", () => {
  const traffic = [{ ...NODE, destinations: [{ ...MX, closed: CLOSED }] }];
  const empty = { domains: [], waiting: 0, unknown: 0, oldestAtMs: null };
  const of = (accountId: string | null, waiting = empty) =>
    queueReport({ waiting, traffic, accountId, isDeliveryPaused: true });
  assert.deepEqual(of(null).idleClosings, [{ name: "mx.example", domains: ["a.example"], closed: CLOSED }]);
  assert.equal(of(null).isDeliveryPaused, true);
  assert.deepEqual(of("acc_1").idleClosings, []);
  const paused = { ...DOMAIN, waiting: 0, due: 0, pausedAtMs: 5 };
  assert.equal(queueReport({ ...SOURCES(traffic), waiting: { ...empty, domains: [paused] } }).idleClosings.length, 1);
  assert.deepEqual(reportOf({}, { traffic }).idleClosings, [], "the row of the domain says it");
});

test("an address that is refused alone is not idle while recipients wait for the receiver", () => {
  const from = (source: string) => ({ ...MX, name: `${MX.name}@${source}`, closed: CLOSED });
  const traffic = [{ ...NODE, destinations: [MX, from("192.0.2.1"), from("news")] }];
  const idle = reportOf({}, { traffic }).idleClosings.map(({ name }) => name);
  assert.deepEqual(idle, ["mx.example@news"], "a pool is a destination of its own");
  const empty = { domains: [], waiting: 0, unknown: 0, oldestAtMs: null };
  const unused = queueReport({ ...SOURCES(traffic), waiting: empty }).idleClosings.map(({ name }) => name);
  assert.deepEqual(unused, ["mx.example@192.0.2.1", "mx.example@news"]);
});

const SOURCES = (traffic: NodeTraffic[]) => ({ traffic, accountId: null, isDeliveryPaused: false });
