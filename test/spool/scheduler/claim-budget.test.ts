/** The limits of one claim: by destination, by recipient domain and by account. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClaimBudget } from "../../../src/spool/scheduler/claim-budget.ts";
import { type DestinationGroup, type DomainQueue, FairScheduler } from "../../../src/spool/scheduler/fair-scheduler.ts";

const UNLIMITED = { allowsAccount: () => true, allowsGroup: () => true, allowsQueue: () => true };
const REQUEST = { nowMs: 1, limit: 10, perDomain: 2, allowance: {} };

/** One queue, of mail for a.example that goes to mx.example. */
function groupedQueue(): { group: DestinationGroup; queue: DomainQueue } {
  const scheduler = new FairScheduler();
  scheduler.enqueue("acc_a", "a.example", 1);
  const key = { accountId: "acc_a", domain: "a.example" };
  scheduler.requeue(key, { destination: "mx.example", acceptedMs: null });
  const [group] = scheduler.readyGroups(1, 1, UNLIMITED);
  const [queue] = group?.queues ?? [];
  assert.ok(group !== undefined && queue !== undefined);
  return { group, queue };
}

test("a job counts for its destination and for its recipient domain", () => {
  const { group, queue } = groupedQueue();
  const budget = new ClaimBudget(REQUEST);
  for (let jobs = 0; jobs < 2; jobs += 1) {
    assert.deepEqual([budget.allowsGroup(group), budget.allowsQueue(queue)], [true, true]);
    budget.spend(queue);
  }
  assert.deepEqual([budget.allowsGroup(group), budget.allowsQueue(queue)], [false, false]);
});

test("an allowance replaces the limit of its destination or domain", () => {
  const { group, queue } = groupedQueue();
  const full = new ClaimBudget({ ...REQUEST, allowance: { "mx.example": 0 } });
  assert.deepEqual([full.allowsGroup(group), full.allowsQueue(queue)], [false, true]);
  const paused = new ClaimBudget({ ...REQUEST, allowance: { "a.example": 0 } });
  assert.deepEqual([paused.allowsGroup(group), paused.allowsQueue(queue)], [true, false]);
});

test("an account's limit holds for all of its groups; without one there is none", () => {
  const { group, queue } = groupedQueue();
  const limited = new ClaimBudget({ ...REQUEST, perAccount: 1 });
  limited.spend(queue);
  assert.deepEqual([limited.allowsAccount(queue.account), limited.allowsGroup(group)], [false, false]);
  const allowed = new ClaimBudget({ ...REQUEST, perAccount: 0, accountAllowance: { acc_a: 1 } });
  assert.equal(allowed.allowsAccount(queue.account), true);
  const unlimited = new ClaimBudget(REQUEST);
  unlimited.spend(queue);
  assert.equal(unlimited.allowsAccount(queue.account), true);
});

test("an account's first contacts have a limit, which mail for destinations that are known to answer does not use", () => {
  const { group, queue } = groupedQueue();
  const contacts = { perAccount: 1, accountAllowance: {} };
  const known = new ClaimBudget({ ...REQUEST, firstContacts: { prompt: ["mx.example"], ...contacts } });
  for (let jobs = 0; jobs < 2; jobs += 1) {
    assert.ok(known.allowsGroup(group));
    known.spend(queue);
  }
  const first = new ClaimBudget({ ...REQUEST, firstContacts: { prompt: [], ...contacts } });
  assert.ok(first.allowsGroup(group));
  assert.equal(first.onlyOf(group.account), null);
  first.spend(queue);
  assert.ok(!first.allowsGroup(group));
  assert.deepEqual([...(first.onlyOf(group.account) ?? ["all"])], []);
});
