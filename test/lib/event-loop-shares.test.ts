/** Whoever has spent their share of a turn waits, in turn with the others that wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EventLoopShares } from "../../src/lib/event-loop-shares.ts";
import { ResponsePacer } from "../../src/lib/response-pacer.ts";

test("what was spent counts for one turn, by name", async () => {
  const shares = new EventLoopShares({ servedPerIteration: 1 });
  shares.spend("a", 3);
  shares.spend("a", 4);
  assert.deepEqual([shares.spentMs("a"), shares.spentMs("b")], [7, 0]);
  await nextTurn();
  assert.equal(shares.spentMs("a"), 0);
});

test("a few are served in each turn, the owners in turn", async () => {
  const shares = new EventLoopShares({ servedPerIteration: 2 });
  const order: string[] = [];
  for (const name of ["a1", "a2", "a3", "b1"]) shares.add(name.charAt(0), () => order.push(name));
  assert.deepEqual(order, []);
  await nextTurn();
  assert.deepEqual(order, ["a1", "b1"]);
  await nextTurn();
  assert.deepEqual(order, ["a1", "b1", "a2", "a3"]);
});

test("large responses of one account are made one at a time, short ones and those of others at once", async () => {
  const pace = new ResponsePacer();
  assert.equal(pace.ready("a"), true);
  pace.recordResponse("a", 1_000_000);
  const waiting = [pace.ready("a"), pace.ready("a"), pace.ready("a")];
  assert.ok(waiting.every((ready) => ready !== true));
  assert.equal(pace.ready("b"), true);
  pace.recordResponse("b", 2000);
  assert.equal(pace.ready("b"), true);
  assert.deepEqual(await Promise.all(waiting), [true, true, true]);
});

test("too many that wait are refused", async () => {
  const pace = new ResponsePacer();
  pace.recordResponse("a", 1_000_000);
  const ready = await Promise.all(Array.from({ length: 250 }, () => pace.ready("a")));
  assert.deepEqual([ready.filter((is) => is).length, ready.indexOf(false)], [200, 200]);
});
