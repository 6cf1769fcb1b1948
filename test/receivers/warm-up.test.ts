/** The days of a warm-up: what a day allows, and which place of the schedule the next one has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  COLD_AFTER_DAYS,
  DEFAULT_SCHEDULE,
  dailyLimit,
  drawFrom,
  type WarmUpDay,
  type WarmUpDraw,
} from "../../src/receivers/warm-up.ts";

const draw = (more: Partial<WarmUpDraw> = {}): WarmUpDraw => ({
  schedule: [10, 20, 40],
  firstPlace: 0,
  day: 100,
  wanted: 0,
  lastDay: null,
  unused: 0,
  accepted: 0,
  isBlocked: false,
  ...more,
});
const state = (more: Partial<WarmUpDay> = {}): WarmUpDay => ({
  place: 0,
  day: 100,
  taken: 0,
  accepted: 0,
  isBlocked: false,
  ...more,
});

test("the default schedule begins with 50, never falls, and ends after about a month", () => {
  assert.equal(DEFAULT_SCHEDULE[0], 50);
  assert.ok(DEFAULT_SCHEDULE.length >= 28 && DEFAULT_SCHEDULE.length <= 31);
  for (const [i, each] of DEFAULT_SCHEDULE.entries()) {
    const before = DEFAULT_SCHEDULE[i - 1] ?? each;
    assert.ok(each >= before && each <= 2 * before, `${before}, then ${each}`);
  }
  assert.equal(dailyLimit(DEFAULT_SCHEDULE, DEFAULT_SCHEDULE.length), null);
});

test("a day allows its messages and no more, whoever draws them", () => {
  const first = drawFrom(null, draw({ wanted: 7 }));
  assert.deepEqual([first.granted, first.left, first.after.taken], [7, 3, 7]);
  const second = drawFrom(first.after, draw({ wanted: 7 }));
  assert.deepEqual([second.granted, second.left], [3, 0]);
  const given = drawFrom(second.after, draw({ wanted: 7, lastDay: 100, unused: 2 }));
  assert.deepEqual([given.granted, given.left], [2, 0]);
  const overdrawn = drawFrom(state({ taken: 5 }), draw({ wanted: 7, lastDay: 100, unused: -4 }));
  assert.deepEqual([overdrawn.granted, overdrawn.after.taken], [1, 10]);
});

test("the next place follows a day of which half was accepted, and only by one, however many days are between", () => {
  const next = (before: Partial<WarmUpDay>, day = 101) => drawFrom(state(before), draw({ day, wanted: 99 }));
  assert.deepEqual([next({ accepted: 5 }).after.place, next({ accepted: 5 }).granted], [1, 20]);
  assert.equal(next({ accepted: 4 }).after.place, 0);
  assert.equal(next({ accepted: 10 }, 105).after.place, 1);
  assert.equal(next({ accepted: 99, place: 2 }).granted, null);
  assert.equal(next({ accepted: 99, place: 3 }).after.place, 3);
});

test("what is reported late counts for its own day alone", () => {
  const late = drawFrom(state({ accepted: 4 }), draw({ day: 101, lastDay: 100, accepted: 1 }));
  assert.equal(late.after.place, 1);
  const older = drawFrom(state({ day: 101, taken: 3 }), draw({ day: 101, lastDay: 100, accepted: 9, unused: 3 }));
  assert.deepEqual([older.after.accepted, older.after.taken], [0, 3]);
});

test("a block goes back by one place once a day, and its day leads to no next place", () => {
  const blocked = drawFrom(state({ place: 2, taken: 15 }), draw({ isBlocked: true, wanted: 10 }));
  assert.deepEqual([blocked.after.place, blocked.granted], [1, 5]);
  assert.equal(drawFrom(blocked.after, draw({ isBlocked: true })).after.place, 1);
  const after = drawFrom({ ...blocked.after, accepted: 20 }, draw({ day: 101 })).after;
  assert.deepEqual([after.place, after.isBlocked], [1, false]);
  assert.equal(drawFrom(state({ place: 9 }), draw({ isBlocked: true })).after.place, 2, "from after the end");
  assert.equal(drawFrom(state(), draw({ isBlocked: true })).after.place, 0);
});

test("an address that was not used for a month begins anew", () => {
  const after = (days: number) => drawFrom(state({ place: 2, accepted: 40 }), draw({ day: 100 + days })).after.place;
  assert.deepEqual([after(COLD_AFTER_DAYS), after(COLD_AFTER_DAYS + 1)], [3, 0]);
});

test("a clock that is set back gives no day again", () => {
  const spent = state({ taken: 10 });
  assert.equal(drawFrom(spent, draw({ day: 99, wanted: 1 })).granted, 0);
  assert.equal(drawFrom(spent, draw({ day: 99, wanted: 1 })).after.day, 100);
  const farBack = drawFrom(spent, draw({ day: 60, wanted: 1 }));
  assert.deepEqual([farBack.granted, farBack.after.day], [0, 60]);
  assert.equal(drawFrom(farBack.after, draw({ day: 61, wanted: 1 })).granted, 1);
});
