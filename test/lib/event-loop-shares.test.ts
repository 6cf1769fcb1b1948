import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import { EventLoopShares } from "../../src/lib/event-loop-shares.ts";

test("counts the time spent in one iteration, by owner", async () => {
  const shares = new EventLoopShares({ servedPerIteration: 1 });
  shares.spend("a", 3);
  shares.spend("a", 4);
  assert.deepEqual([shares.spentMs("a"), shares.spentMs("b")], [7, 0]);
  await nextIteration();
  assert.equal(shares.spentMs("a"), 0);
});

test("serves a few entries in each iteration, owners round-robin", async () => {
  const shares = new EventLoopShares({ servedPerIteration: 2 });
  const order: string[] = [];
  for (const name of ["a1", "a2", "a3", "b1"]) shares.add(name.charAt(0), () => order.push(name));
  assert.deepEqual(order, []);
  await nextIteration();
  assert.deepEqual(order, ["a1", "b1"]);
  await nextIteration();
  assert.deepEqual(order, ["a1", "b1", "a2", "a3"]);
});
