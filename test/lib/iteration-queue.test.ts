import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import { IterationQueue } from "../../src/lib/iteration-queue.ts";

/** A queue with 3 ms of each iteration, and work that takes time on its clock. */
function startQueue() {
  let nowMs = 0;
  const queue = new IterationQueue({ clock: { monotonicMs: () => nowMs }, budgetMs: 3 });
  const order: string[] = [];
  const work = async (name: string, ms: number): Promise<void> => {
    await queue.turn(name.charAt(0));
    order.push(name);
    await Promise.resolve();
    await Promise.resolve();
    nowMs += ms;
  };
  return { queue, order, work };
}

test("an entry proceeds in the next iteration", async () => {
  const { order, work } = startQueue();
  void work("a1", 1);
  await Promise.resolve();
  assert.deepEqual(order, []);
  await nextIteration();
  assert.deepEqual(order, ["a1"]);
});

test("entries proceed until the time of the iteration is spent, also after settled promises", async () => {
  const { order, work } = startQueue();
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) void work(name, 1);
  await nextIteration();
  assert.deepEqual(order.splice(0), ["a1", "a2", "a3"]);
  await nextIteration();
  assert.deepEqual(order.splice(0), ["a4", "a5"]);
  void work("a6", 10);
  void work("a7", 10);
  await nextIteration();
  assert.deepEqual(order.splice(0), ["a6"], "one entry may exceed it");
  await nextIteration();
  assert.deepEqual(order, ["a7"]);
});

test("owners proceed round-robin", async () => {
  const { queue, order, work } = startQueue();
  for (const name of ["a1", "a2", "a3", "b1"]) void work(name, 2);
  assert.deepEqual([queue.countOf("a"), queue.countOf("b"), queue.countOf("c")], [3, 1, 0]);
  await nextIteration();
  assert.deepEqual(order, ["a1", "b1"]);
  assert.deepEqual([queue.countOf("a"), queue.countOf("b")], [2, 0]);
});

test("an entry that is added by the work of another proceeds in the same iteration if time is left", async () => {
  const { order, work } = startQueue();
  void work("a1", 1).then(() => work("a2", 2).then(() => work("a3", 1)));
  await nextIteration();
  assert.deepEqual(order, ["a1", "a2"]);
  await nextIteration();
  assert.deepEqual(order, ["a1", "a2", "a3"]);
});
