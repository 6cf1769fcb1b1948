/** The report of a node's traffic: destinations in use, closed and full, with times of the wall clock, without test messages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { trafficReport } from "../../../src/delivery/dispatch/traffic-report.ts";
import { SendingSources } from "../../../src/delivery/routing/sending-sources.ts";
import { DestinationThrottle } from "../../../src/delivery/throttle/destination-throttle.ts";
import { NodeWindows } from "../../../src/delivery/throttle/node-windows.ts";
import { SourceWindows } from "../../../src/delivery/throttle/source-windows.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";
import { UNSHARED_SLOTS } from "../../../src/spool/port/destination-slots.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { warmUpQuota } from "../throttle/warm-up-stage.ts";

const jobAt = (domain: string, messageId = "msg_1") => ({ domain, messageId });

test("reports destinations with attempts, closed ones first, and where recipient domains go", () => {
  const clock = fakeClock(1_700_000_000_000);
  const limitOf = (name: string) => (name === "limited.example" ? 2 : null);
  const connections = { count: (name: string) => (name === "limited.example" ? 2 : 0), quitIdle: () => {} };
  const windows = new NodeWindows({ slots: UNSHARED_SLOTS, connections, limitOf, clock, log: silentLog });
  const throttle = new DestinationThrottle(windows);
  const nowMs = clock.monotonicMs();
  const trouble = { cause: "timeout", text: "no reply within 300000 ms" } as const;
  const enter = (domain: string, destination: string) => {
    const permit = throttle.acquire(jobAt(domain), destination, nowMs);
    assert.ok(permit.type === "permit");
    return permit;
  };
  for (let i = 0; i < 5; i += 1)
    throttle.release(enter("closed.example", "closed-mx.example"), "refused", nowMs, trouble);
  enter("a.example", "limited.example");
  enter("b.example", "limited.example");
  enter(testRouteOf("acc_1"), testRouteOf("acc_1"));
  const last = { ...trouble, atMs: clock.now() };
  const times = { sinceMs: clock.now(), probeAtMs: clock.now() + 1000 };
  const closed = { ...times, isProbing: false, causes: ["timeout"], last };
  const report = trafficReport({
    attemptsMax: 500,
    clock,
    throttle,
    destinations: windows,
    windows: new SourceWindows({
      windows,
      sources: new SendingSources({ live: () => [] }),
      warmUp: warmUpQuota(),
      now: () => nowMs,
    }),
    dispatcher: { attemptsInShares: 3, accountsAtShare: ["acc_1"] },
    domains: { list: () => [{ accountId: "acc_1", domain: "a.example", inFlight: 1, deliveredLastMinute: 4 }] },
    connections: { ...connections, destinations: ["limited.example"] },
    acceptPriority: { isActive: false },
  });
  assert.deepEqual([report.atMs, report.attempts, report.attemptsMax], [clock.now(), 3, 500]);
  assert.deepEqual(
    report.destinations.map((d) => [d.name, d.attempts, d.window, d.limit, d.connections, d.closed]),
    [
      ["closed-mx.example", 0, 0, null, 0, closed],
      ["limited.example", 2, 2, 2, 2, null],
    ],
  );
  assert.deepEqual(report.destinationOf, {
    "a.example": "limited.example",
    "b.example": "limited.example",
    "closed.example": "closed-mx.example",
  });
});

test("a destination with several sending addresses has the attempts of all of them", () => {
  const clock = fakeClock(1_700_000_000_000);
  const connections = { count: () => 0, quitIdle: () => {}, destinations: [] };
  const windows = new NodeWindows({ slots: UNSHARED_SLOTS, connections, limitOf: () => null, clock, log: silentLog });
  const sources = new SendingSources({ live: () => [] });
  const address = { name: "mail.host.example", bind: null, pool: "default", isPaused: false, warmUp: null };
  const ips = ["127.0.0.1", "127.0.0.2"];
  sources.set({ addresses: ips.map((ip) => ({ ...address, ip })), pools: [] });
  const now = () => clock.monotonicMs();
  const bySource = new SourceWindows({ windows, sources, warmUp: warmUpQuota(), now });
  const throttle = new DestinationThrottle(bySource);
  const start = windows.start;
  for (let i = 0; i <= start; i += 1) {
    const permit = throttle.acquire(jobAt("gmail.com", `msg_${i}`), "*.gmail", now());
    assert.equal(permit.type, "permit");
  }
  const { destinations } = trafficReport({
    attemptsMax: 500,
    clock,
    throttle,
    destinations: windows,
    windows: bySource,
    dispatcher: { attemptsInShares: 0, accountsAtShare: [] },
    domains: { list: () => [] },
    connections,
    acceptPriority: { isActive: false },
  });
  const byName = new Map(destinations.map(({ name, attempts, window }) => [name, [attempts, window]]));
  assert.deepEqual(byName.get("*.gmail"), [start + 1, 2 * start]);
  assert.deepEqual(ips.map((ip) => byName.get(`*.gmail@${ip}`)?.[0]).sort(), [1, start]);
});
