import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue } from "../../src/lib/fair-queue.ts";

const LIMITS = { ownerMax: 10, totalMax: 200 };

function drained(queue: FairQueue<string>): string[] {
  const entries: string[] = [];
  for (let entry = queue.next(); entry !== null; entry = queue.next()) entries.push(entry);
  return entries;
}

test("serves the entries of one owner in order, and owners round-robin", () => {
  const queue = new FairQueue<string>(LIMITS);
  for (const entry of ["a1", "a2", "a3", "b1", "b2", "c1"]) assert.equal(queue.add(entry.charAt(0), entry), null);
  assert.deepEqual(
    ["a", "b", "c", "d"].map((owner) => queue.countOf(owner)),
    [3, 2, 1, 0],
  );
  assert.deepEqual(drained(queue), ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("a requeued entry is its owner's next, after the other owners", () => {
  const queue = new FairQueue<string>(LIMITS);
  for (const entry of ["a1", "a2", "b1"]) queue.add(entry.charAt(0), entry);
  queue.requeue("a", queue.next() ?? "");
  assert.deepEqual(drained(queue), ["b1", "a1", "a2"]);
});

test("at most ten entries of an owner wait, and those of others are accepted", () => {
  const queue = new FairQueue<string>(LIMITS);
  for (let i = 0; i < 10; i += 1) assert.equal(queue.add("a", `a${i}`), null);
  assert.equal(queue.add("a", "one more"), "one more");
  assert.equal(queue.add("b", "b0"), null);
  assert.equal(queue.next(), "a0");
  assert.equal(queue.add("a", "again"), null);
});

test("in a full queue, an owner with few entries evicts the last entry of the owner with the most", () => {
  const queue = new FairQueue<string>({ ownerMax: 3, totalMax: 5 });
  for (const entry of ["a1", "a2", "a3", "b1", "b2"]) queue.add(entry.charAt(0), entry);
  assert.equal(queue.add("b", "b3"), "b3");
  assert.equal(queue.add("c", "c1"), "a3");
  assert.equal(queue.add("d", "d1"), "a2");
  assert.deepEqual(drained(queue), ["a1", "b1", "c1", "d1", "b2"]);
});

test("a full queue of owners with one entry each rejects", () => {
  const queue = new FairQueue<string>({ ownerMax: 3, totalMax: 2 });
  queue.add("a", "a1");
  queue.add("b", "b1");
  assert.equal(queue.add("c", "c1"), "c1");
  assert.deepEqual(queue.clear(), ["a1", "b1"]);
  assert.equal(queue.next(), null);
});

test("passes over owners whose first entry does not fit; they keep their places", () => {
  const queue = new FairQueue<string>(LIMITS);
  for (const entry of ["a1", "a2", "b1", "c1", "b2"]) queue.add(entry.charAt(0), entry);
  assert.equal(
    queue.next((entry) => entry !== "a1"),
    "b1",
  );
  assert.equal(
    queue.next(() => false),
    null,
  );
  assert.deepEqual(drained(queue), ["a1", "c1", "b2", "a2"]);
});

test("a removed entry is not served and frees its place", () => {
  const queue = new FairQueue<string>({ ownerMax: 2, totalMax: 2 });
  for (const entry of ["a1", "a2"]) queue.add("a", entry);
  queue.remove("a", "a1");
  queue.remove("b", "a2");
  assert.equal(queue.add("a", "a3"), null);
  queue.remove("a", "a3");
  queue.remove("a", "a2");
  assert.equal(queue.isEmpty, true);
  assert.deepEqual(drained(queue), []);
});
