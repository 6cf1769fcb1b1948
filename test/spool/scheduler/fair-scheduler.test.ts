/** What the scheduler of waiting mail keeps in memory: bounded by the lanes, however many messages pass through them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClaimBudget } from "../../../src/spool/scheduler/claim-budget.ts";
import { FairScheduler, type Group, type Lane, laneOf } from "../../../src/spool/scheduler/fair-scheduler.ts";

const ALL = { admitsAccount: () => true, admitsGroup: () => true, admitsLane: () => true };
const MESSAGES = 5000;

function readyLane(lanes: FairScheduler, nowMs: number): { lane: Lane; turn: Group } {
  const [turn] = lanes.turns(nowMs, 1, ALL);
  const lane = turn === undefined ? null : laneOf(turn, ALL);
  assert.ok(turn !== undefined && lane !== null);
  return { lane, turn };
}

test("a lane with a recipient that waits takes one entry, however much other mail passes through it", () => {
  const lanes = new FairScheduler();
  const laterMs = 1_000_000;
  for (let nowMs = 1; nowMs <= MESSAGES; nowMs += 1) {
    lanes.due("acc_a", "a.example", nowMs);
    // Served by age: nothing else is due, and one recipient waits.
    lanes.served(readyLane(lanes, nowMs).lane, laterMs);
    assert.equal(lanes.asleep, 1);
  }
  assert.equal(lanes.nextDueMs(), laterMs);
});

test("deferrals to ever earlier and ever later times move the lane's entry and add none", () => {
  const lanes = new FairScheduler();
  for (let i = 0; i < MESSAGES; i += 1) {
    lanes.dueAgain("acc_a", "a.example", 2 * MESSAGES - i);
    lanes.dueAgain("acc_a", "a.example", 2 * MESSAGES + i);
  }
  assert.equal(lanes.asleep, 1);
  assert.equal(lanes.nextDueMs(), MESSAGES + 1);
});

test("a lane that is woken, served and empty leaves nothing behind", () => {
  const lanes = new FairScheduler();
  for (let i = 0; i < 100; i += 1) lanes.dueAgain("acc_a", `d${i}.example`, 10 + i);
  assert.equal(lanes.asleep, 100);
  assert.deepEqual(lanes.turns(9, 1, ALL), []);
  for (let i = 0; i < 100; i += 1) lanes.served(readyLane(lanes, 200).lane, null);
  assert.equal(lanes.asleep, 0);
  assert.equal(lanes.nextDueMs(), null);
});

test("a lane whose destination was found long ago is asked for anew, also after the clock was set back", () => {
  for (const [foundMs, nowMs] of [
    [0, 600_000],
    [10_000_000, 5000],
  ] as const) {
    const lanes = new FairScheduler();
    lanes.due("acc_a", "a.example", 0);
    const { lane } = readyLane(lanes, foundMs);
    const mail = { accountId: "acc_a", domain: "a.example" };
    lanes.givenBack(mail, { destination: "mx.a.example", acceptedMs: null });
    assert.equal(readyLane(lanes, nowMs).turn.name, "mx.a.example");
    lanes.served(lane, nowMs);
    assert.equal(readyLane(lanes, nowMs).turn.name, "a.example");
  }
});

test("an account at its share is passed over in one step, however many recipient domains it has", () => {
  const lanes = new FairScheduler();
  for (const id of ["acc_full", "acc_free"]) {
    for (let i = 0; i < 1000; i += 1) lanes.due(id, `d${i}.example`, 1);
  }
  const rooms = new ClaimBudget({
    nowMs: 1,
    limit: 10,
    perDomain: 5,
    allowance: {},
    accountAllowance: { acc_full: 0 },
  });
  let asked = 0;
  const admitsGroup = (group: Group): boolean => {
    asked += 1;
    return rooms.admitsGroup(group);
  };
  const turns = lanes.turns(1, 10, { ...rooms, admitsGroup });
  assert.deepEqual(
    turns.map(({ account }) => account.id),
    ["acc_free"],
  );
  assert.equal(asked, 1);
});
