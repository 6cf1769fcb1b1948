/** The result of work, or of its limit, and never both. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withinLimit } from "../../src/lib/time-limit.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("resolves and rejects as the work does, and leaves no timer", async () => {
  const clock = fakeClock();
  assert.equal(await withinLimit(Promise.resolve(1), { clock, limitMs: 10, late: null }), 1);
  await assert.rejects(withinLimit(Promise.reject(new Error("gone")), { clock, limitMs: 10, late: null }), /gone/);
  assert.deepEqual(clock.dueMs, []);
});

test("resolves with the late result at the limit, and ignores what the work does then", async () => {
  const clock = fakeClock();
  let fail = (_: Error): void => {};
  const work = new Promise<number>((_, reject) => {
    fail = reject;
  });
  const result = withinLimit(work, { clock, limitMs: 10, late: null });
  await clock.advance(10);
  assert.equal(await result, null);
  fail(new Error("late"));
  await clock.advance(10);
});
