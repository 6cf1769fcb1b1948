/** Windows of destinations, and addresses that do not answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Destinations, type Signal, signalOf } from "../../src/delivery/destinations.ts";
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

test("busy destinations are counted", () => {
  const destinations = new Destinations();
  const slots = ["a", "a", "b"].map((name) => destinations.enter(name, 0));
  assert.equal(destinations.busy, 2);
  for (const slot of slots) if (slot !== null) destinations.leave(slot, "success", 0);
  assert.equal(destinations.busy, 0);
});
