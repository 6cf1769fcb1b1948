/** Requests wait for memory in turn: fairly between accounts, within bounds, and not when their client has left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryQueue, MemoryRefused } from "../../src/lib/memory-queue.ts";
import { type FakeClock, fakeClock, quiet } from "../support/fake-clock.ts";

const WAIT_MS = 30_000;

interface Harness {
  clock: FakeClock;
  queue: MemoryQueue;
  /** The names of the admitted requests, in order. */
  admitted: string[];
  /** Why each rejected request has no memory, by its name. */
  rejected: Record<string, string>;
  /** Asks for memory. The first letter of the name is the account. */
  ask(name: string, sizeBytes: number, gone?: AbortSignal): void;
}

/** A queue for 100 bytes, 50 of them for one account. */
function harness(waiting = { ownerMax: 10, totalMax: 20 }): Harness {
  const clock = fakeClock();
  const queue = new MemoryQueue({ bytes: 100, share: 0.5, waiting, waitMs: WAIT_MS, clock });
  const admitted: string[] = [];
  const rejected: Record<string, string> = {};
  return {
    clock,
    queue,
    admitted,
    rejected,
    ask(name, sizeBytes, gone = new AbortController().signal) {
      queue.wait(name.charAt(0), sizeBytes, gone).then(
        () => admitted.push(name),
        (error) => {
          assert.ok(error instanceof MemoryRefused, String(error));
          rejected[name] = error.reason;
        },
      );
    },
  };
}

test("admits requests at once while there is memory, then accounts in turn", async () => {
  const { queue, admitted, ask } = harness();
  ask("a1", 50);
  ask("b1", 50);
  for (const name of ["a2", "a3", "b2", "c1"]) ask(name, 20);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1"]);
  queue.release("a", 50);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "a2", "c1"]);
  queue.release("b", 50);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "a2", "c1", "b2", "a3"]);
});

test("an account that has used its share delays no other", async () => {
  const { queue, admitted, ask } = harness();
  ask("a1", 50);
  for (let i = 2; i < 9; i += 1) ask(`a${i}`, 50);
  ask("b1", 30);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1"]);
  queue.release("a", 50);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "a2"]);
});

test("a large request whose turn it is waits for the total and is not overtaken", async () => {
  const { queue, admitted, ask } = harness();
  ask("a1", 40);
  ask("b1", 40);
  ask("c1", 50);
  ask("d1", 10);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1"]);
  queue.release("a", 40);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "c1", "d1"]);
});

test("a request above the share runs when no other of its account does", async () => {
  const { queue, admitted, ask } = harness();
  ask("a1", 10);
  ask("a2", 1000);
  ask("a3", 10);
  ask("b1", 50);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1"]);
  queue.release("a", 10);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "a2"]);
  queue.release("a", await Promise.resolve(50));
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "a2", "a3"]);
});

test("the bytes to release are those that were charged", async () => {
  const { queue } = harness();
  const gone = new AbortController().signal;
  assert.equal(await queue.wait("a", 1000, gone), 50);
  assert.equal(await queue.wait("b", 30, gone), 30);
});

test("too many that wait are rejected, the account's own first", async () => {
  const { admitted, rejected, ask } = harness({ ownerMax: 2, totalMax: 3 });
  ask("a1", 50);
  ask("b1", 50);
  for (const name of ["a2", "a3", "a4", "b2", "b3", "c1"]) ask(name, 50);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1"]);
  // a4 is over its account's limit, b3 over the total; c1 replaces the last of the account with the most.
  assert.deepEqual(rejected, { a4: "share_full", b3: "share_full", a3: "full" });
});

test("a request that has waited too long is rejected by the limit that it waits for", async () => {
  const { clock, queue, admitted, rejected, ask } = harness();
  ask("a1", 50);
  ask("b1", 40);
  ask("a2", 10);
  ask("c1", 50);
  await clock.advance(WAIT_MS - 1);
  assert.deepEqual(rejected, {});
  await clock.advance(1);
  assert.deepEqual(rejected, { a2: "share_full", c1: "full" });
  queue.release("a", 50);
  ask("c2", 50);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "c2"]);
  assert.deepEqual(clock.dueMs, [], "admitted requests have no timer");
});

test("a client that has left gives its place to the next", async () => {
  const { queue, admitted, rejected, ask } = harness();
  const client = new AbortController();
  ask("a1", 50);
  ask("b1", 20);
  ask("c1", 50, client.signal);
  ask("d1", 30);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1"]);
  client.abort();
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "d1"]);
  assert.deepEqual(rejected, { c1: "gone" });
  ask("e1", 1, AbortSignal.abort());
  queue.release("a", 50);
  await quiet();
  assert.deepEqual(admitted, ["a1", "b1", "d1"]);
  assert.deepEqual(rejected, { c1: "gone", e1: "gone" });
});

test("a stop rejects all that wait", async () => {
  const { clock, queue, rejected, ask } = harness();
  for (const name of ["a1", "a2", "b1", "b2"]) ask(name, 50);
  queue.clear();
  await quiet();
  assert.deepEqual(rejected, { a2: "stopping", b2: "stopping" });
  assert.deepEqual(clock.dueMs, []);
});
