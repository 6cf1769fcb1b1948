/** Which works may start: windows of destinations seen through their recipient domains. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Destinations } from "../../src/delivery/destinations.ts";
import { type Full, Gate, type Pass } from "../../src/delivery/gate.ts";

const NOW_MS = 1_000_000;
const PROVIDER = "mx.provider.example";

function setUp({ window = 2, destinationOf = async (_: string): Promise<string | null> => PROVIDER } = {}) {
  return new Gate({ destinations: new Destinations(window), destinationOf });
}

function pass(entered: Pass | Full): Pass {
  assert.ok(entered.type === "pass");
  return entered;
}

test("domains with one mail host share its window, and who finds it full is told its name", async () => {
  const gate = setUp();
  const a = pass(await gate.enter("a.example", NOW_MS));
  pass(await gate.enter("b.example", NOW_MS));
  assert.deepEqual(await gate.enter("c.example", NOW_MS), { type: "full", destination: PROVIDER });
  assert.deepEqual(gate.allowances(NOW_MS).allowance, { [PROVIDER]: 0, "a.example": 0, "b.example": 0 });
  gate.leave(a, "quiet", NOW_MS);
  assert.deepEqual(gate.allowances(NOW_MS).allowance, { [PROVIDER]: 1, "b.example": 1 });
  pass(await gate.enter("c.example", NOW_MS));
});

test("what a claim is told grows with the attempts under way, not with the domains ever seen", async () => {
  const gate = setUp();
  const first = pass(await gate.enter("a.example", NOW_MS));
  pass(await gate.enter("b.example", NOW_MS));
  for (let i = 0; i < 1000; i += 1) await gate.enter(`d${i}.example`, NOW_MS);
  assert.equal(Object.keys(gate.allowances(NOW_MS).allowance).length, 3);
  gate.leave(first, "success", NOW_MS);
  assert.equal(Object.keys(gate.allowances(NOW_MS).allowance).length, 2);
});

test("congestion at one domain narrows the window for the others of that host, and a success widens it", async () => {
  const gate = setUp({ window: 4 });
  const slots = await Promise.all(["a", "b", "c", "d"].map((d) => gate.enter(`${d}.example`, NOW_MS)));
  for (const slot of slots) gate.leave(pass(slot), "congested", NOW_MS + 1);
  const again = await Promise.all(["e", "f", "g"].map((d) => gate.enter(`${d}.example`, NOW_MS + 10)));
  assert.deepEqual(
    again.map(({ type }) => type),
    ["pass", "pass", "full"],
  );
});

test("a narrow destination stays narrow to a claim while it has no attempts", async () => {
  const gate = setUp({ window: 4 });
  for (const nowMs of [NOW_MS, NOW_MS + 10, NOW_MS + 20]) {
    gate.leave(pass(await gate.enter("a.example", nowMs)), "congested", nowMs + 1);
  }
  const only = pass(await gate.enter("a.example", NOW_MS + 30));
  assert.equal((await gate.enter("b.example", NOW_MS + 30)).type, "full");
  gate.leave(only, "quiet", NOW_MS + 31);
  assert.deepEqual(gate.allowances(NOW_MS + 31).allowance, { [PROVIDER]: 1 });
  for (let i = 0; i < 20; i += 1) gate.leave(pass(await gate.enter("a.example", NOW_MS + 40)), "success", NOW_MS + 41);
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
  for (let i = 0; i < 5; i += 1) gate.leave(pass(await gate.enter("a.example", NOW_MS)), "quiet", NOW_MS);
  pass(await gate.enter("a.example", NOW_MS));
  pass(await gate.enter("a.example", NOW_MS));
  assert.deepEqual(gate.allowances(NOW_MS).allowance, {});
});

test("a domain that moves to another host is under that host's window after ten minutes", async () => {
  let host = PROVIDER;
  const gate = setUp({ window: 1, destinationOf: async () => host });
  pass(await gate.enter("a.example", NOW_MS));
  host = "mx.elsewhere.example";
  assert.equal((await gate.enter("a.example", NOW_MS + 599_999)).type, "full");
  pass(await gate.enter("a.example", NOW_MS + 600_000));
});
