/** Which works may start: windows of destinations seen through their recipient domains. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/clock.ts";
import { Destinations } from "../../src/delivery/destinations.ts";
import { type Full, Gate, type Pass, type PutOff, putOffWords } from "../../src/delivery/gate.ts";

const NOW_MS = 1_000_000;
const PROVIDER = "mx.provider.example";

function setUp({ window = 2, destinationOf = async (_: string): Promise<string | null> => PROVIDER } = {}) {
  return new Gate({ destinations: new Destinations(window), destinationOf });
}

function pass(entered: Pass | Full | PutOff): Pass {
  assert.ok(entered.type === "pass");
  return entered;
}

test("domains of one operator share its window, and a full one is named", async () => {
  const gate = setUp();
  const a = pass(await gate.enter("a.example", NOW_MS));
  pass(await gate.enter("b.example", NOW_MS));
  assert.deepEqual(await gate.enter("c.example", NOW_MS), { type: "full", destination: PROVIDER });
  assert.deepEqual(gate.allowances(NOW_MS).allowance, { [PROVIDER]: 0, "a.example": 0, "b.example": 0 });
  gate.leave(a, "neutral", NOW_MS);
  assert.deepEqual(gate.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "b.example": 1 });
  pass(await gate.enter("c.example", NOW_MS));
});

test("what a claim is told grows with the attempts under way, not with the domains ever seen", async () => {
  const gate = setUp();
  const first = pass(await gate.enter("a.example", NOW_MS));
  pass(await gate.enter("b.example", NOW_MS));
  for (let i = 0; i < 1000; i += 1) await gate.enter(`d${i}.example`, NOW_MS);
  assert.equal(Object.keys(gate.allowances(NOW_MS).allowance).length, 3);
  gate.leave(first, "accepted", NOW_MS);
  assert.equal(Object.keys(gate.allowances(NOW_MS).allowance).length, 2);
});

test("congestion at one domain narrows the window for the others of that operator", async () => {
  const gate = setUp({ window: 4 });
  const slots = await Promise.all(["a", "b", "c", "d"].map((d) => gate.enter(`${d}.example`, NOW_MS)));
  for (const slot of slots) gate.leave(pass(slot), "strained", NOW_MS + 1);
  const again = await Promise.all(["e", "f", "g"].map((d) => gate.enter(`${d}.example`, NOW_MS + 10)));
  assert.deepEqual(
    again.map(({ type }) => type),
    ["pass", "pass", "full"],
  );
});

test("a narrow destination stays narrow to a claim while it has no attempts", async () => {
  const gate = setUp({ window: 4 });
  for (const nowMs of [NOW_MS, NOW_MS + 10, NOW_MS + 20]) {
    gate.leave(pass(await gate.enter("a.example", nowMs)), "strained", nowMs + 1);
  }
  const only = pass(await gate.enter("a.example", NOW_MS + 30));
  assert.equal((await gate.enter("b.example", NOW_MS + 30)).type, "full");
  gate.leave(only, "neutral", NOW_MS + 31);
  assert.deepEqual(gate.allowances(NOW_MS + 31).allowance, { [PROVIDER]: 1 });
  for (let i = 0; i < 20; i += 1) gate.leave(pass(await gate.enter("a.example", NOW_MS + 40)), "accepted", NOW_MS + 41);
  assert.deepEqual(gate.allowances(NOW_MS + 41).allowance, {});
});

test("a domain whose mail host is being looked up is not claimed beyond a new destination's window", async () => {
  let answer: (name: string | null) => void = () => {};
  const gate = setUp({ destinationOf: () => new Promise((resolve) => (answer = resolve)) });
  const entering = gate.enter("a.example", NOW_MS);
  assert.deepEqual(gate.allowances(NOW_MS), { perDomain: 2, allowance: { "a.example": 1 } });
  answer(PROVIDER);
  await entering;
  assert.deepEqual(gate.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "a.example": 1 });
});

test("a domain without a mail host takes no window", async () => {
  const gate = setUp({ window: 1, destinationOf: async () => null });
  for (let i = 0; i < 5; i += 1) gate.leave(pass(await gate.enter("a.example", NOW_MS)), "neutral", NOW_MS);
  pass(await gate.enter("a.example", NOW_MS));
  pass(await gate.enter("a.example", NOW_MS));
  assert.deepEqual(gate.allowances(NOW_MS).allowance, {});
});

const REFUSALS = 5;

/** Closes the destination of a domain by refusals, as it would be with `probes` refused probes; returns when it is probed next. */
async function closeBy(gate: Gate, domain: string, probes = 0): Promise<number> {
  for (let i = 0; i < REFUSALS; i += 1) gate.leave(pass(await gate.enter(domain, NOW_MS)), "refused", NOW_MS);
  assert.equal((await gate.enter(domain, NOW_MS)).type, "full");
  let nowMs = gate.nextProbeMs(NOW_MS) ?? 0;
  for (let i = 0; i < probes; i += 1) {
    gate.leave(pass(await gate.enter(domain, nowMs)), "refused", nowMs);
    gate.allowances(nowMs);
    nowMs = gate.nextProbeMs(nowMs) ?? nowMs + 300_000;
  }
  return nowMs;
}

test("the mail of a closed destination waits in the spool until the next probe, which is one work", async () => {
  const gate = setUp();
  const probeMs = await closeBy(gate, "a.example");
  assert.equal(probeMs, NOW_MS + 1000);
  assert.deepEqual(gate.allowances(probeMs - 1).allowance, { [PROVIDER]: 0 });
  assert.deepEqual(gate.allowances(probeMs).allowance, { [PROVIDER]: 1 });
  assert.equal(gate.nextProbeMs(probeMs), null, "nothing more to wait for");
  const probe = pass(await gate.enter("a.example", probeMs));
  assert.equal((await gate.enter("b.example", probeMs)).type, "full");
  assert.equal(gate.allowances(probeMs).allowance[PROVIDER], 0);
  gate.leave(probe, "accepted", probeMs);
  pass(await gate.enter("b.example", probeMs));
});

test("mail does not wait for a destination that has been closed for long: it is put off, with the reason", async () => {
  const gate = setUp();
  const probeMs = await closeBy(gate, "a.example", 9);
  assert.equal(gate.nextProbeMs(probeMs - 1), null);
  assert.deepEqual(gate.allowances(probeMs - 1).allowance, {}, "a claim brings its mail");
  const entered = await gate.enter("a.example", probeMs - 1);
  assert.ok(entered.type === "put_off");
  const clock = { ...systemClock, now: () => Date.UTC(2030, 0, 1), monotonicMs: () => probeMs - 1 };
  assert.equal(
    putOffWords(entered, clock),
    "not tried: the destination has refused all mail since 2029-12-31T23:46:29.001Z, for rate, load or reputation; next probe from 2030-01-01T00:00:00.001Z",
  );
  const probe = pass(await gate.enter("a.example", probeMs));
  assert.equal(gate.allowances(probeMs).allowance[PROVIDER], 2, "its mail is claimed beside the probe too");
  assert.equal((await gate.enter("a.example", probeMs)).type, "put_off");
  gate.leave(probe, "accepted", probeMs);
  pass(await gate.enter("a.example", probeMs));
});

test("of very many closed destinations some have their mail wait, and the others' is put off", async () => {
  const gate = setUp({ destinationOf: async (domain) => `mx.${domain}` });
  for (let i = 0; i < 200; i += 1) await closeBy(gate, `d${i}.example`);
  for (let i = 0; i < REFUSALS; i += 1) gate.leave(pass(await gate.enter("e.example", NOW_MS)), "refused", NOW_MS);
  assert.equal((await gate.enter("e.example", NOW_MS)).type, "put_off");
  assert.equal((await gate.enter("d0.example", NOW_MS)).type, "full");
});

test("while DNS is in trouble a domain keeps to the destination that it had", async () => {
  let host: string | null = PROVIDER;
  const gate = setUp({ window: 1, destinationOf: async () => host });
  pass(await gate.enter("a.example", NOW_MS));
  host = null;
  assert.equal((await gate.enter("a.example", NOW_MS + 600_000)).type, "full");
});

test("a domain that moves to another host is under that host's window after ten minutes", async () => {
  let host = PROVIDER;
  const gate = setUp({ window: 1, destinationOf: async () => host });
  pass(await gate.enter("a.example", NOW_MS));
  host = "mx.elsewhere.example";
  assert.equal((await gate.enter("a.example", NOW_MS + 599_999)).type, "full");
  pass(await gate.enter("a.example", NOW_MS + 600_000));
});
