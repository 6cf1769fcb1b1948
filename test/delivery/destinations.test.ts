/** Windows of destinations, and addresses that do not answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Destinations, type Signal, signalOf } from "../../src/delivery/destinations.ts";
import { HostHealth } from "../../src/delivery/host-health.ts";
import type { Outcome, Try } from "../../src/message/outcome.ts";

const NAME = "mx.a.example";
const NOW_MS = 1_000_000;

/** Fills the window, then gives every place back with the signal; returns how many places there were. */
function round(destinations: Destinations, signal: Signal, nowMs = NOW_MS): number {
  const slots = [];
  for (let slot = destinations.enter(NAME, nowMs); slot !== null; slot = destinations.enter(NAME, nowMs)) {
    slots.push(slot);
  }
  for (const slot of slots) destinations.leave(slot, signal, nowMs + 1);
  return slots.length;
}

test("a window doubles on success up to its bound, and other destinations' stay as they are", () => {
  const destinations = new Destinations(4);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map(() => round(destinations, "success")),
    [4, 8, 16, 32, 64, 100],
  );
  assert.equal(round(destinations, "success"), 100);
  assert.equal(destinations.room("mx.b.example"), 4);
});

test("congestion halves it once for all attempts of that time, then it grows slowly", () => {
  const destinations = new Destinations(16);
  assert.equal(round(destinations, "congested"), 16);
  assert.equal(round(destinations, "success", NOW_MS + 10), 8);
  assert.equal(
    round(destinations, "success", NOW_MS + 20),
    8 + 1 - 1,
    "additive growth has not reached the next place",
  );
  assert.equal(round(destinations, "quiet", NOW_MS + 30), 9);
  for (let i = 0; i < 10; i += 1) round(destinations, "congested", NOW_MS + 100 * (i + 1));
  assert.equal(destinations.room(NAME), 1, "one place always stays");
});

test("windows survive a restart", () => {
  const before = new Destinations(4);
  round(before, "success");
  const after = new Destinations(4);
  after.restore(JSON.parse(JSON.stringify(before.states())));
  assert.equal(after.room(NAME), 8);
});

const tried = (parts: Partial<Try>): Outcome => {
  const base: Try = {
    mx: NAME,
    ip: "192.0.2.1",
    tls: null,
    stage: "final_dot",
    reply: { code: 250, enhanced_code: null, message: "ok" },
    error: null,
    note: null,
    policy: null,
  };
  return { type: "deferred", reason: "x", category: "other", smtp: null, tries: [{ ...base, ...parts }] };
};
const reply = (code: number) => ({ code, enhanced_code: null, message: "said" });

test("what counts as congestion, as success, and as neither", () => {
  const cases: [Partial<Try>, Signal][] = [
    [{}, "success"],
    [{ stage: "rcpt", reply: reply(550) }, "success"],
    [{ stage: "rcpt", reply: reply(451) }, "success"],
    [{ stage: "rcpt", reply: reply(421) }, "congested"],
    [{ stage: "greeting", reply: reply(450) }, "congested"],
    [{ stage: "greeting", reply: reply(554) }, "success"],
    [{ stage: "connect", reply: null, error: "refused" }, "congested"],
    [{ stage: "data", reply: null, error: "timeout" }, "congested"],
    [{ stage: "dns", reply: null, error: "SERVFAIL", ip: null }, "quiet"],
    [{ stage: "mail", reply: reply(450) }, "success"],
  ];
  for (const [parts, signal] of cases) assert.equal(signalOf([tried(parts)]), signal, JSON.stringify(parts));
});

test("an address that takes no connection is no congestion where another answered", () => {
  const unreachable = tried({ stage: "connect", reply: null, error: "ENETUNREACH", ip: "2001:db8::1" });
  const answered = tried({});
  const after = (second: Outcome): Outcome => ({ ...second, tries: [...unreachable.tries, ...second.tries] });
  assert.equal(signalOf([after(answered)]), "success");
  assert.equal(signalOf([after(tried({ stage: "rcpt", reply: reply(421) }))]), "congested");
  assert.equal(signalOf([after(tried({ stage: "data", reply: null, error: "timeout" }))]), "congested");
  assert.equal(signalOf([after(unreachable)]), "congested");
});

test("an address that does not answer is probed by one attempt at a time, ever more seldom, and forgiven at once", () => {
  const health = new HostHealth();
  const at = (nowMs: number) => health.refusal("192.0.2.1", 25, nowMs);
  const fail = (nowMs: number) => health.failed("192.0.2.1", 25, { error: "ECONNREFUSED", nowMs });
  fail(0);
  assert.equal(at(0), null, "one failure is no pattern");
  fail(0);
  assert.match(
    at(999) ?? "",
    /not tried: no connection since 1970-01-01T00:00:00.000Z \(ECONNREFUSED\), next probe from/,
  );
  assert.equal(at(1000), null, "the probe");
  assert.notEqual(at(1000), null, "nobody else beside the probe");
  fail(1000);
  assert.notEqual(at(2999), null);
  assert.equal(at(3000), null);
  let nowMs = 3000;
  for (const gapMs of [4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]) {
    fail(nowMs);
    assert.notEqual(at(nowMs + gapMs - 1), null, `${gapMs} ms later`);
    nowMs += gapMs;
    assert.equal(at(nowMs), null, "at least every five minutes");
  }
  health.answered("192.0.2.1", 25);
  assert.equal(at(10_001), null);
  assert.equal(health.refusal("192.0.2.1", 2525, 0), null, "another port is another address");
});

test("attempts that fail together are one sign, not many", () => {
  const health = new HostHealth();
  for (let i = 0; i < 100; i += 1) health.failed("192.0.2.1", 25, { error: "ECONNREFUSED", nowMs: 0 });
  assert.equal(health.refusal("192.0.2.1", 25, 1000), null, "the first probe comes after a second all the same");
});

test("a probe that never reports is followed by another within a minute", () => {
  const health = new HostHealth();
  for (const nowMs of [0, 0]) health.failed("192.0.2.1", 25, { error: "timeout", nowMs });
  assert.equal(health.refusal("192.0.2.1", 25, 1000), null);
  assert.notEqual(health.refusal("192.0.2.1", 25, 60_999), null);
  assert.equal(health.refusal("192.0.2.1", 25, 61_000), null);
});

test("dead addresses survive a restart", () => {
  const before = new HostHealth();
  for (const nowMs of [0, 0]) before.failed("192.0.2.1", 25, { error: "timeout", nowMs });
  const after = new HostHealth();
  after.restore(JSON.parse(JSON.stringify(before.states())));
  assert.notEqual(after.refusal("192.0.2.1", 25, 500), null);
});

test("dead addresses are counted while somebody still tries them, and busy destinations", () => {
  const health = new HostHealth();
  health.failed("192.0.2.1", 25, { error: "timeout", nowMs: 0 });
  assert.equal(health.deadCount(0), 0, "one failure is no pattern");
  health.failed("192.0.2.1", 25, { error: "timeout", nowMs: 0 });
  assert.deepEqual(
    [0, 300_999, 301_000].map((nowMs) => health.deadCount(nowMs)),
    [1, 1, 0],
  );
  health.answered("192.0.2.1", 25);
  assert.equal(health.deadCount(0), 0);
  const destinations = new Destinations();
  const slots = ["a", "a", "b"].map((name) => destinations.enter(name, 0));
  assert.equal(destinations.busy, 2);
  for (const slot of slots) if (slot !== null) destinations.leave(slot, "success", 0);
  assert.equal(destinations.busy, 0);
});
