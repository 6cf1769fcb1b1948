/** The scheduler's state: bounded by the number of domain queues, however many messages pass through them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClaimBudget } from "../../../src/spool/scheduler/claim-budget.ts";
import {
  type DestinationGroup,
  type DomainQueue,
  FairScheduler,
  nextQueueOf,
} from "../../../src/spool/scheduler/fair-scheduler.ts";

const UNLIMITED = { allowsAccount: () => true, allowsGroup: () => true, allowsQueue: () => true };
const MESSAGES = 5000;

function readyQueue(scheduler: FairScheduler, nowMs: number): { queue: DomainQueue; group: DestinationGroup } {
  const [group] = scheduler.readyGroups(nowMs, 1, UNLIMITED);
  const queue = group === undefined ? null : nextQueueOf(group, UNLIMITED);
  assert.ok(group !== undefined && queue !== null);
  return { queue, group };
}

test("a queue with a pending recipient takes one entry, however many other messages pass through it", () => {
  const scheduler = new FairScheduler();
  const laterMs = 1_000_000;
  for (let nowMs = 1; nowMs <= MESSAGES; nowMs += 1) {
    scheduler.enqueue("acc_a", "a.example", nowMs);
    // Served by age: nothing else is due, and one recipient is pending.
    scheduler.reschedule(readyQueue(scheduler, nowMs).queue, laterMs);
    assert.equal(scheduler.sleepingCount, 1);
  }
  assert.equal(scheduler.nextDueMs(), laterMs);
});

test("deferrals to ever earlier and ever later times move the queue's entry and add none", () => {
  const scheduler = new FairScheduler();
  for (let i = 0; i < MESSAGES; i += 1) {
    scheduler.schedule("acc_a", "a.example", 2 * MESSAGES - i);
    scheduler.schedule("acc_a", "a.example", 2 * MESSAGES + i);
  }
  assert.equal(scheduler.sleepingCount, 1);
  assert.equal(scheduler.nextDueMs(), MESSAGES + 1);
});

test("a queue that is woken, served and empty leaves nothing behind", () => {
  const scheduler = new FairScheduler();
  for (let i = 0; i < 100; i += 1) scheduler.schedule("acc_a", `d${i}.example`, 10 + i);
  assert.equal(scheduler.sleepingCount, 100);
  assert.deepEqual(scheduler.readyGroups(9, 1, UNLIMITED), []);
  for (let i = 0; i < 100; i += 1) scheduler.reschedule(readyQueue(scheduler, 200).queue, null);
  assert.equal(scheduler.sleepingCount, 0);
  assert.equal(scheduler.nextDueMs(), null);
});

test("a queue loses a destination that was found long ago, also after the clock was set back", () => {
  for (const [foundMs, nowMs] of [
    [0, 600_000],
    [10_000_000, 5000],
  ] as const) {
    const scheduler = new FairScheduler();
    scheduler.enqueue("acc_a", "a.example", 0);
    const { queue } = readyQueue(scheduler, foundMs);
    const key = { accountId: "acc_a", domain: "a.example" };
    scheduler.requeue(key, { destination: "mx.a.example", acceptedMs: null });
    assert.equal(readyQueue(scheduler, nowMs).group.name, "mx.a.example");
    scheduler.reschedule(queue, nowMs);
    assert.equal(readyQueue(scheduler, nowMs).group.name, "a.example");
  }
});

test("queues lose destinations that are ungrouped, and keep others", () => {
  for (const others of [[], ["mx.other1.example", "mx.other2.example"]]) {
    const scheduler = new FairScheduler();
    const destinations = {
      "a.example": "mx.left.example",
      "b.example": "mx.left.example",
      "c.example": "mx.kept.example",
    };
    for (const [domain, destination] of Object.entries(destinations))
      scheduler.requeue({ accountId: "acc_a", domain }, { destination, acceptedMs: null });
    scheduler.ungroup(new Set(["mx.left.example", ...others]));
    const names: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { queue, group } = readyQueue(scheduler, 1);
      names.push(group.name);
      scheduler.reschedule(queue, null);
    }
    assert.deepEqual(names.sort(), ["a.example", "b.example", "mx.kept.example"]);
    assert.deepEqual(scheduler.readyGroups(1, 1, UNLIMITED), []);
  }
});

test("an account over its limit is skipped in one step, however many recipient domains it has", () => {
  const scheduler = new FairScheduler();
  for (const id of ["acc_full", "acc_free"]) {
    for (let i = 0; i < 1000; i += 1) scheduler.enqueue(id, `d${i}.example`, 1);
  }
  const request = { nowMs: 1, limit: 10, perDomain: 5, allowance: {}, accountAllowance: { acc_full: 0 } };
  const budget = new ClaimBudget(request);
  let checks = 0;
  const allowsGroup = (group: DestinationGroup): boolean => {
    checks += 1;
    return budget.allowsGroup(group);
  };
  const groups = scheduler.readyGroups(1, 10, { ...budget, allowsGroup });
  assert.deepEqual(
    groups.map(({ account }) => account.id),
    ["acc_free"],
  );
  assert.equal(checks, 1);
});

test("an account keeps its last 256 arrivals; those dated after the present are removed when the clock is set back", () => {
  const scheduler = new FairScheduler();
  for (let i = 1; i <= 300; i += 1) scheduler.enqueue("acc_a", "a.example", i);
  const { account } = readyQueue(scheduler, 300).group;
  assert.equal(account.arrivals.length, 256);
  assert.equal(scheduler.newestArrival({ account }, UNLIMITED)?.acceptedMs, 300);
  scheduler.removeArrivalsAfter(290);
  assert.equal(scheduler.newestArrival({ account }, UNLIMITED)?.acceptedMs, 290);
});

test("arrivals that are noted out of order are kept in the order of acceptance, each once", () => {
  const scheduler = new FairScheduler();
  for (const acceptedMs of [5, 3, 5, 4, 3]) scheduler.enqueue("acc_a", "a.example", acceptedMs);
  const { account } = readyQueue(scheduler, 10).group;
  assert.deepEqual(
    account.arrivals.map(({ acceptedMs }) => acceptedMs),
    [3, 4, 5],
  );
});
