/** The waits that failed attempts lead to. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { attemptWaitMs } from "../../../src/spool/records/attempt-wait.ts";

const POLICY = { freeFailures: 2, waitMs: 100, waitMaxMs: 400, resetMs: 1000 };

it("doubles with each failure up to a limit, shortens with time, and starts anew after a long pause", () => {
  const waits = [0, 1, 2, 3, 4, 5, 5000].map((count) => attemptWaitMs(POLICY, { count, ageMs: 0 }));
  assert.deepEqual(waits, [0, 0, 100, 200, 400, 400, 400]);
  const later = [99, 100, 101, 1001].map((ageMs) => attemptWaitMs(POLICY, { count: 2, ageMs }));
  assert.deepEqual(later, [1, 0, 0, 0]);
  assert.equal(attemptWaitMs({ ...POLICY, waitMaxMs: 5000, waitMs: 5000 }, { count: 9, ageMs: 1001 }), 0);
});

it("is not lengthened by a clock that was set back", () => {
  assert.equal(attemptWaitMs(POLICY, { count: 2, ageMs: -9_000_000 }), 100);
});
