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
import type { ProbeRequest } from "../../../src/spool/port/probe-requests.ts";

const jobAt = (domain: string, messageId = "msg_1") => ({ domain, messageId });

const NOW_MS = 1_000_000;
const PROVIDER = "mx.provider.example";

const gateOf = (window = 2): DestinationThrottle => new DestinationThrottle(new CongestionWindows(window));

function pass(entered: Permit | Full | Deferral): Permit {
  assert.ok(entered.type === "permit");
  return entered;
}

test("domains of one operator share its window, and a full destination is named", () => {
  const throttle = gateOf();
  const a = pass(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS));
  pass(throttle.acquire(jobAt("b.example"), PROVIDER, NOW_MS));
  assert.deepEqual(throttle.acquire(jobAt("c.example"), PROVIDER, NOW_MS), { type: "full", destination: PROVIDER });
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 0, "a.example": 0, "b.example": 0 });
  throttle.release(a, "neutral", NOW_MS);
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "b.example": 1 });
  pass(throttle.acquire(jobAt("c.example"), PROVIDER, NOW_MS));
});

test("the limits of a claim grow with the attempts under way, not with the domains ever seen", () => {
  const throttle = gateOf();
  const first = pass(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS));
  pass(throttle.acquire(jobAt("b.example"), PROVIDER, NOW_MS));
  for (let i = 0; i < 1000; i += 1) throttle.acquire(jobAt(`d${i}.example`), PROVIDER, NOW_MS);
  assert.equal(Object.keys(throttle.allowances(NOW_MS).allowance).length, 3);
  throttle.release(first, "accepted", NOW_MS);
  assert.equal(Object.keys(throttle.allowances(NOW_MS).allowance).length, 2);
});

test("congestion at one domain narrows the window of its operator's other domains", () => {
  const throttle = gateOf(4);
  const slots = ["a", "b", "c", "d"].map((d) => throttle.acquire(jobAt(`${d}.example`), PROVIDER, NOW_MS));
  for (const slot of slots) throttle.release(pass(slot), "strained", NOW_MS + 1);
  const again = ["e", "f", "g"].map((d) => throttle.acquire(jobAt(`${d}.example`), PROVIDER, NOW_MS + 10));
  assert.deepEqual(
    again.map(({ type }) => type),
    ["permit", "permit", "full"],
  );
});

test("a constrained destination stays limited in claims while it has no attempts", () => {
  const throttle = gateOf(4);
  for (const nowMs of [NOW_MS, NOW_MS + 10, NOW_MS + 20]) {
    throttle.release(pass(throttle.acquire(jobAt("a.example"), PROVIDER, nowMs)), "strained", nowMs + 1);
  }
  const only = pass(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS + 30));
  assert.equal(throttle.acquire(jobAt("b.example"), PROVIDER, NOW_MS + 30).type, "full");
  throttle.release(only, "neutral", NOW_MS + 31);
  assert.deepEqual(throttle.allowances(NOW_MS + 31).allowance, { [PROVIDER]: 1 });
  for (let i = 0; i < 20; i += 1)
    throttle.release(pass(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS + 40)), "accepted", NOW_MS + 41);
  assert.deepEqual(throttle.allowances(NOW_MS + 41).allowance, {});
});

test("jobs in preparation count for their domain and for its last destination", () => {
  const throttle = gateOf();
  const ends = [throttle.trackPreparation("a.example", NOW_MS), throttle.trackPreparation("a.example", NOW_MS)];
  assert.deepEqual(throttle.allowances(NOW_MS), { perDomain: 2, allowance: { "a.example": 0 }, elsewhere: [] });
  assert.equal(throttle.nextCapacityMs(NOW_MS), null, "nothing is known of its destination");
  for (const end of ends) end();
  throttle.release(pass(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS)), "neutral", NOW_MS);
  const end = throttle.trackPreparation("a.example", NOW_MS);
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "a.example": 1 });
  end();
  pass(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS));
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "a.example": 1 });
});

test("jobs that take long to prepare do not keep other domains' mail from their destination", () => {
  const throttle = gateOf();
  for (const domain of ["slow.example", "slow.example", "other.example"])
    throttle.release(pass(throttle.acquire(jobAt(domain), PROVIDER, NOW_MS)), "neutral", NOW_MS);
  for (let i = 0; i < 2; i += 1) throttle.trackPreparation("slow.example", NOW_MS);
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, { [PROVIDER]: 0, "slow.example": 0 });
  assert.equal(throttle.nextCapacityMs(NOW_MS), NOW_MS + 1000);
  assert.deepEqual(throttle.allowances(NOW_MS + 1000).allowance, { "slow.example": 0 });
  pass(throttle.acquire(jobAt("other.example"), PROVIDER, NOW_MS + 1000));
});

test("a domain without a mail host uses no window", () => {
  const throttle = gateOf(1);
  for (let i = 0; i < 5; i += 1) pass(throttle.acquire(jobAt("a.example"), null, NOW_MS));
  assert.deepEqual(throttle.allowances(NOW_MS).allowance, {});
});

const REFUSALS = 5;

/** Closes the destination of a domain by refusals and `probes` refused probes; returns the time of the next probe. */
function closeBy(
  throttle: DestinationThrottle,
  { domain = "a.example", destination = PROVIDER, probes = 0 } = {},
): number {
  for (let i = 0; i < REFUSALS; i += 1)
    throttle.release(pass(throttle.acquire(jobAt(domain), destination, NOW_MS)), "refused", NOW_MS);
  assert.equal(throttle.acquire(jobAt(domain), destination, NOW_MS).type, "full");
  let nowMs = throttle.nextCapacityMs(NOW_MS) ?? 0;
  for (let i = 0; i < probes; i += 1) {
    throttle.release(pass(throttle.acquire(jobAt(domain), destination, nowMs)), "refused", nowMs);
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
  const probe = pass(throttle.acquire(jobAt("a.example"), PROVIDER, probeMs));
  assert.equal(throttle.acquire(jobAt("b.example"), PROVIDER, probeMs).type, "full");
  assert.equal(throttle.allowances(probeMs).allowance[PROVIDER], 0);
  throttle.release(probe, "accepted", probeMs);
  pass(throttle.acquire(jobAt("b.example"), PROVIDER, probeMs));
});

test("the jobs of a destination wait in the spool however long it has been closed, and expired ones are deferred", () => {
  const throttle = gateOf();
  const probeMs = closeBy(throttle, { probes: 9 });
  assert.equal(throttle.nextCapacityMs(probeMs - 1), probeMs);
  assert.deepEqual(throttle.allowances(probeMs - 1).allowance, { [PROVIDER]: 0 });
  assert.equal(throttle.acquire(jobAt("a.example"), PROVIDER, probeMs - 1).type, "full");
  const deferral = throttle.deferralAt(PROVIDER, probeMs - 1);
  assert.ok(deferral !== null);
  const clock = { ...systemClock, now: () => Date.UTC(2030, 0, 1), monotonicMs: () => probeMs - 1 };
  assert.equal(
    deferralText(deferral, clock),
    "not tried: Postrider closed delivery to the recipient's server 2029-12-31T23:46:29.001Z. The next probe, with one message, is due 2030-01-01T00:00:00.001Z.",
  );
  const probe = pass(throttle.acquire(jobAt("a.example"), PROVIDER, probeMs));
  assert.equal(throttle.allowances(probeMs).allowance[PROVIDER], 0, "nothing is claimed beside the probe");
  throttle.release(probe, "accepted", probeMs);
  assert.equal(throttle.deferralAt(PROVIDER, probeMs), null);
  pass(throttle.acquire(jobAt("a.example"), PROVIDER, probeMs));
});

test("dead addresses close the destination of one recipient domain, and not one of several", () => {
  const closedAfter = (domains: string[]): boolean => {
    const throttle = gateOf();
    for (const domain of domains)
      throttle.release(pass(throttle.acquire(jobAt(domain), PROVIDER, NOW_MS)), "unreachable", NOW_MS);
    return throttle.deferralAt(PROVIDER, NOW_MS) !== null;
  };
  const dead = Array.from({ length: REFUSALS }, () => "dead.example");
  assert.equal(closedAfter(dead), true);
  assert.equal(closedAfter(dead.slice(1)), false);
  assert.equal(closedAfter(["alive.example", ...dead]), false);
});

/** Closes destinations whose names take 32 KiB: those whose mail waits. */
function closeMany(throttle: DestinationThrottle): void {
  for (let i = 0; i < 128; i += 1)
    closeBy(throttle, { domain: `d${i}.example`, destination: `mx.d${i}.`.padEnd(256, "x") });
}

test("of very many closed destinations, some have their jobs wait and the others' are deferred", () => {
  const throttle = gateOf();
  closeMany(throttle);
  const enter = () => throttle.acquire(jobAt("e.example"), "mx.e.example", NOW_MS);
  for (let i = 0; i < REFUSALS; i += 1) throttle.release(pass(enter()), "refused", NOW_MS);
  assert.equal(enter().type, "deferred");
  assert.equal(throttle.acquire(jobAt("d0.example"), "mx.d0.".padEnd(256, "x"), NOW_MS).type, "full");
});

test("jobs of a closed destination whose queues have other mail are deferred", () => {
  const windows = Object.assign(new CongestionWindows(2), { hasMixedQueues: (name: string) => name === PROVIDER });
  const throttle = new DestinationThrottle(windows);
  closeBy(throttle, { domain: "b.example", destination: "mx.b.example" });
  const enter = () => throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS);
  for (let i = 0; i < REFUSALS; i += 1) throttle.release(pass(enter()), "refused", NOW_MS);
  assert.equal(enter().type, "deferred");
  assert.equal(throttle.acquire(jobAt("b.example"), "mx.b.example", NOW_MS).type, "full");
});

test("the jobs of a thousand closed destinations with usual names wait, and none is deferred", () => {
  const throttle = gateOf();
  for (let i = 0; i < 1000; i += 1)
    closeBy(throttle, { domain: `destination${i}.example`, destination: `mx.destination${i}.example` });
  assert.equal(Object.values(throttle.allowances(NOW_MS).allowance).filter((left) => left === 0).length, 1000);
});

test("a domain that moves to another operator uses that operator's window from then on", () => {
  const throttle = gateOf(1);
  pass(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS));
  assert.equal(throttle.acquire(jobAt("a.example"), PROVIDER, NOW_MS).type, "full");
  pass(throttle.acquire(jobAt("a.example"), "mx.elsewhere.example", NOW_MS));
});

/** A request for a probe of a.example's destination. */
const askedFor = (messageId: string | null = null): ProbeRequest => {
  return { id: "probe_1", accountId: null, domain: "a.example", messageId, atMs: 1 };
};

test("a person's request lets one job of a closed destination be claimed and tried before its time", () => {
  const throttle = gateOf();
  const nowMs = closeBy(throttle) - 1;
  assert.equal(throttle.hasClosed(nowMs), true);
  assert.equal(throttle.acquire(jobAt("a.example"), PROVIDER, nowMs).type, "full");
  assert.equal(throttle.ask([askedFor()], nowMs), true);
  assert.deepEqual(throttle.allowances(nowMs).allowance, { [PROVIDER]: 1 });
  const probe = pass(throttle.acquire(jobAt("a.example"), PROVIDER, nowMs));
  assert.equal(throttle.allowances(nowMs).allowance[PROVIDER], 0);
  assert.equal(throttle.acquire(jobAt("a.example", "msg_2"), PROVIDER, nowMs).type, "full");
  throttle.release(probe, "refused", nowMs);
  assert.equal(throttle.ask([askedFor()], nowMs), false, "it was served");
  assert.equal(throttle.acquire(jobAt("a.example"), PROVIDER, nowMs).type, "full");
});

/** What 40 probes of others' mail, as soon as they may begin, meet beside a person who asks every 15 s, each with the result. */
function scheduledProbes(askedResult: "refused" | "neutral" | null): number[] {
  const throttle = gateOf();
  const beganMs: number[] = [];
  let nowMs = closeBy(throttle);
  const endMs = nowMs + 3_600_000;
  for (let id = 0; nowMs < endMs; nowMs += 1000) {
    const isAskedNow = askedResult !== null && nowMs % 15_000 < 1000;
    if (isAskedNow) {
      id += 1;
      throttle.ask([{ ...askedFor("msg_asked"), id: `probe_${id}` }], nowMs);
      const asked = throttle.acquire(jobAt("a.example", "msg_asked"), PROVIDER, nowMs);
      if (asked.type === "permit") throttle.release(asked, askedResult, nowMs);
      throttle.ask([], nowMs);
    }
    const scheduled = throttle.acquire(jobAt("b.example", `msg_${nowMs}`), PROVIDER, nowMs);
    if (scheduled.type !== "permit") continue;
    beganMs.push(nowMs);
    throttle.release(scheduled, "refused", nowMs);
  }
  return beganMs;
}

test("probes that a person asks for neither delay those of others' mail nor bring them forward", () => {
  const alone = scheduledProbes(null);
  assert.ok(alone.length > 10);
  for (const result of ["refused", "neutral"] as const) {
    const beside = scheduledProbes(result);
    assert.ok(Math.abs(beside.length - alone.length) <= 1, `${result}: ${beside.length} instead of ${alone.length}`);
  }
});

test("the message that a person wants now is the probe, others are passed over a few times", () => {
  const throttle = gateOf();
  const nowMs = closeBy(throttle) - 1;
  throttle.ask([askedFor("msg_9")], nowMs);
  const typeOf = (messageId: string, domain = "a.example") =>
    throttle.acquire(jobAt(domain, messageId), PROVIDER, nowMs).type;
  for (const messageId of ["msg_1", "msg_1", "msg_1", "msg_1", "msg_2", "msg_3"])
    assert.equal(typeOf(messageId), "full");
  throttle.ask([askedFor("msg_9")], nowMs);
  assert.equal(typeOf("msg_9", "b.example"), "full", "at another domain");
  for (const messageId of ["msg_4", "msg_5", "msg_6", "msg_7"]) assert.equal(typeOf(messageId), "full");
  assert.equal(typeOf("msg_8"), "permit", "the message may wait for something else");
});

test("a request for a domain without mail, or whose destination is open, allows nothing", () => {
  const throttle = gateOf();
  const nowMs = closeBy(throttle) - 1;
  assert.equal(throttle.ask([{ ...askedFor(), domain: "other.example" }], nowMs), false);
  pass(throttle.acquire(jobAt("other.example"), "mx.other.example", nowMs));
  assert.equal(throttle.ask([{ ...askedFor(), domain: "other.example" }], nowMs), false);
});

const GAP_MAX_MS = 300_000;

/** Closes the destination of a.example for long, beside so many others that its mail is deferred; returns the time of the next probe. */
function closeAmongMany(throttle: DestinationThrottle): number {
  closeMany(throttle);
  let nowMs = NOW_MS;
  for (let i = 0; i < REFUSALS + 9; i += 1) {
    throttle.release(pass(throttle.acquire(jobAt("a.example"), PROVIDER, nowMs)), "refused", nowMs);
    if (i >= REFUSALS - 1) nowMs += GAP_MAX_MS;
  }
  return nowMs;
}

test("a message that is always refused does not take every probe of a destination whose mail is deferred", () => {
  const throttle = gateOf();
  const gapMs = GAP_MAX_MS;
  let nowMs = closeAmongMany(throttle);
  const [poison, other] = [jobAt("a.example", "msg_poison"), jobAt("b.example", "msg_other")];
  const probe = (): Permit => pass(throttle.acquire(poison, PROVIDER, nowMs));
  throttle.release(probe(), "refused", nowMs);
  nowMs += gapMs;
  throttle.release(probe(), "refused", nowMs);
  // From now on another message is due halfway between two probes, whenever the first one is due with the probe.
  assert.equal(throttle.acquire(other, PROVIDER, nowMs + gapMs / 2).type, "deferred");
  nowMs += gapMs;
  const left = throttle.acquire(poison, PROVIDER, nowMs);
  assert.ok(left.type === "deferred" && left.givesWay);
  assert.match(deferralText(left, systemClock), /leaves the next probe to another message/);
  throttle.release(pass(throttle.acquire(other, PROVIDER, nowMs + gapMs / 2)), "accepted", nowMs + gapMs / 2);
  throttle.release(pass(throttle.acquire(poison, PROVIDER, nowMs + gapMs)), "neutral", nowMs + gapMs);
});

test("a message gives way for a time, and not where a person wants it tried", () => {
  const throttle = gateOf();
  let nowMs = closeAmongMany(throttle);
  const poison = jobAt("a.example", "msg_poison");
  throttle.release(pass(throttle.acquire(poison, PROVIDER, nowMs)), "refused", nowMs);
  throttle.acquire(jobAt("b.example", "msg_cancelled"), PROVIDER, nowMs + 1);
  nowMs += 300_000;
  assert.equal(throttle.acquire(poison, PROVIDER, nowMs).type, "deferred");
  throttle.ask([askedFor()], nowMs);
  const asked = pass(throttle.acquire(poison, PROVIDER, nowMs));
  throttle.release(asked, "refused", nowMs);
  nowMs += 300_001;
  throttle.release(pass(throttle.acquire(poison, PROVIDER, nowMs)), "refused", nowMs);
  assert.equal(throttle.acquire(jobAt("a.example", "msg_2"), PROVIDER, nowMs + 1).type, "deferred");
  nowMs += 20_000;
  throttle.ask([{ ...askedFor(), id: "probe_2" }], nowMs);
  assert.equal(
    throttle.acquire(poison, PROVIDER, nowMs).type,
    "deferred",
    "another message at the domain was turned away",
  );
  throttle.ask([{ ...askedFor("msg_poison"), id: "probe_3" }], nowMs);
  pass(throttle.acquire(poison, PROVIDER, nowMs));
});
