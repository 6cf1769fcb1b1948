/** Which jobs may start: the windows of destinations as seen by recipient domains. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import {
  type Deferral,
  DestinationThrottle,
  deferralText,
  type Full,
  type Permit,
} from "../../../src/delivery/throttle/destination-throttle.ts";
import { systemClock } from "../../../src/lib/clock.ts";

const NOW_MS = 1_000_000;
const PROVIDER = "mx.provider.example";

const gateOf = (window = 2): DestinationThrottle => new DestinationThrottle(new CongestionWindows(window));

function pass(entered: Permit | Full | Deferral): Permit {
  assert.ok(entered.type === "permit");
  return entered;
}

test("domains of one operator share its window, and a full destination is named", () => {
  const throttle = gateOf();
  const a = pass(throttle.acquire("a.example", PROVIDER, NOW_MS));
  pass(throttle.acquire("b.example", PROVIDER, NOW_MS));
  assert.deepEqual(throttle.acquire("c.example", PROVIDER, NOW_MS), { type: "full", destination: PROVIDER });
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 0, "a.example": 0, "b.example": 0 });
  throttle.release(a, "neutral", NOW_MS);
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "b.example": 1 });
  pass(throttle.acquire("c.example", PROVIDER, NOW_MS));
});

test("the limits of a claim grow with the attempts under way, not with the domains ever seen", () => {
  const throttle = gateOf();
  const first = pass(throttle.acquire("a.example", PROVIDER, NOW_MS));
  pass(throttle.acquire("b.example", PROVIDER, NOW_MS));
  for (let i = 0; i < 1000; i += 1) throttle.acquire(`d${i}.example`, PROVIDER, NOW_MS);
  assert.equal(Object.keys(throttle.allowances(NOW_MS).allowance).length, 3);
  throttle.release(first, "accepted", NOW_MS);
  assert.equal(Object.keys(throttle.allowances(NOW_MS).allowance).length, 2);
});

test("congestion at one domain narrows the window of its operator's other domains", () => {
  const throttle = gateOf(4);
  const slots = ["a", "b", "c", "d"].map((d) => throttle.acquire(`${d}.example`, PROVIDER, NOW_MS));
  for (const slot of slots) throttle.release(pass(slot), "strained", NOW_MS + 1);
  const again = ["e", "f", "g"].map((d) => throttle.acquire(`${d}.example`, PROVIDER, NOW_MS + 10));
  assert.deepEqual(
    again.map(({ type }) => type),
    ["permit", "permit", "full"],
  );
});

test("a constrained destination stays limited in claims while it has no attempts", () => {
  const throttle = gateOf(4);
  for (const nowMs of [NOW_MS, NOW_MS + 10, NOW_MS + 20]) {
    throttle.release(pass(throttle.acquire("a.example", PROVIDER, nowMs)), "strained", nowMs + 1);
  }
  const only = pass(throttle.acquire("a.example", PROVIDER, NOW_MS + 30));
  assert.equal(throttle.acquire("b.example", PROVIDER, NOW_MS + 30).type, "full");
  throttle.release(only, "neutral", NOW_MS + 31);
  assert.deepEqual(throttle.allowances(NOW_MS + 31).allowance, { [PROVIDER]: 1 });
  for (let i = 0; i < 20; i += 1)
    throttle.release(pass(throttle.acquire("a.example", PROVIDER, NOW_MS + 40)), "accepted", NOW_MS + 41);
  assert.deepEqual(throttle.allowances(NOW_MS + 41).allowance, {});
});

test("jobs in preparation count for their domain and for its last destination", () => {
  const throttle = gateOf();
  const ends = [throttle.trackPreparation("a.example", NOW_MS), throttle.trackPreparation("a.example", NOW_MS)];
  assert.deepEqual(throttle.allowances(NOW_MS), { perDomain: 2, allowance: { "a.example": 0 }, elsewhere: [] });
  assert.equal(throttle.nextCapacityMs(NOW_MS), null, "nothing is known of its destination");
  for (const end of ends) end();
  throttle.release(pass(throttle.acquire("a.example", PROVIDER, NOW_MS)), "neutral", NOW_MS);
  const end = throttle.trackPreparation("a.example", NOW_MS);
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "a.example": 1 });
  end();
  pass(throttle.acquire("a.example", PROVIDER, NOW_MS));
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "a.example": 1 });
});

test("jobs that take long to prepare do not keep other domains' mail from their destination", () => {
  const throttle = gateOf();
  for (const domain of ["slow.example", "slow.example", "other.example"])
    throttle.release(pass(throttle.acquire(domain, PROVIDER, NOW_MS)), "neutral", NOW_MS);
  for (let i = 0; i < 2; i += 1) throttle.trackPreparation("slow.example", NOW_MS);
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 0, "slow.example": 0 });
  assert.equal(throttle.nextCapacityMs(NOW_MS), NOW_MS + 1000);
  assert.deepEqual(throttle.allowances(NOW_MS + 1000).allowance, { "slow.example": 0 });
  pass(throttle.acquire("other.example", PROVIDER, NOW_MS + 1000));
});

test("a domain without a mail host uses no window", () => {
  const throttle = gateOf(1);
  for (let i = 0; i < 5; i += 1) pass(throttle.acquire("a.example", null, NOW_MS));
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, {});
});

const REFUSALS = 5;

/** Closes the destination of a domain by refusals and `probes` refused probes; returns the time of the next probe. */
function closeBy(
  throttle: DestinationThrottle,
  { domain = "a.example", destination = PROVIDER, probes = 0 } = {},
): number {
  for (let i = 0; i < REFUSALS; i += 1)
    throttle.release(pass(throttle.acquire(domain, destination, NOW_MS)), "refused", NOW_MS);
  assert.equal(throttle.acquire(domain, destination, NOW_MS).type, "full");
  let nowMs = throttle.nextCapacityMs(NOW_MS) ?? 0;
  for (let i = 0; i < probes; i += 1) {
    throttle.release(pass(throttle.acquire(domain, destination, nowMs)), "refused", nowMs);
    throttle.allowances(nowMs);
    nowMs = throttle.nextCapacityMs(nowMs) ?? nowMs + 300_000;
  }
  return nowMs;
}

test("the jobs of a closed destination wait in the spool until the next probe, which is one job", () => {
  const throttle = gateOf();
  const probeMs = closeBy(throttle);
  assert.equal(probeMs, NOW_MS + 1000);
  assert.deepEqual(throttle.allowances(probeMs - 1).allowance, { [PROVIDER]: 0 });
  assert.deepEqual(throttle.allowances(probeMs).allowance, { [PROVIDER]: 1 });
  assert.equal(throttle.nextCapacityMs(probeMs), null, "nothing more is expected");
  const probe = pass(throttle.acquire("a.example", PROVIDER, probeMs));
  assert.equal(throttle.acquire("b.example", PROVIDER, probeMs).type, "full");
  assert.equal(throttle.allowances(probeMs).allowance[PROVIDER], 0);
  throttle.release(probe, "accepted", probeMs);
  pass(throttle.acquire("b.example", PROVIDER, probeMs));
});

test("jobs do not wait for a destination that has been closed for long: they are deferred with a reason", () => {
  const throttle = gateOf();
  const probeMs = closeBy(throttle, { probes: 9 });
  assert.equal(throttle.nextCapacityMs(probeMs - 1), null);
  assert.deepEqual(throttle.allowances(probeMs - 1).allowance, {}, "its jobs are claimed");
  const entered = throttle.acquire("a.example", PROVIDER, probeMs - 1);
  assert.ok(entered.type === "deferred");
  const clock = { ...systemClock, now: () => Date.UTC(2030, 0, 1), monotonicMs: () => probeMs - 1 };
  assert.equal(
    deferralText(entered, clock),
    "not tried: the destination has refused all mail since 2029-12-31T23:46:29.001Z, for rate, load or reputation; next probe from 2030-01-01T00:00:00.001Z",
  );
  const probe = pass(throttle.acquire("a.example", PROVIDER, probeMs));
  assert.equal(throttle.allowances(probeMs).allowance[PROVIDER], 2, "its jobs are claimed beside the probe too");
  assert.equal(throttle.acquire("a.example", PROVIDER, probeMs).type, "deferred");
  throttle.release(probe, "accepted", probeMs);
  pass(throttle.acquire("a.example", PROVIDER, probeMs));
});

test("of very many closed destinations, some have their jobs wait and the others' are deferred", () => {
  const throttle = gateOf();
  for (let i = 0; i < 200; i += 1) closeBy(throttle, { domain: `d${i}.example`, destination: `mx.d${i}.example` });
  const enter = () => throttle.acquire("e.example", "mx.e.example", NOW_MS);
  for (let i = 0; i < REFUSALS; i += 1) throttle.release(pass(enter()), "refused", NOW_MS);
  assert.equal(enter().type, "deferred");
  assert.equal(throttle.acquire("d0.example", "mx.d0.example", NOW_MS).type, "full");
});

test("a domain that moves to another operator uses that operator's window from then on", () => {
  const throttle = gateOf(1);
  pass(throttle.acquire("a.example", PROVIDER, NOW_MS));
  assert.equal(throttle.acquire("a.example", PROVIDER, NOW_MS).type, "full");
  pass(throttle.acquire("a.example", "mx.elsewhere.example", NOW_MS));
});
