/** Waits between failed attempts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AttemptLimiter } from "../../../src/dashboard/auth/attempt-limiter.ts";

describe("AttemptLimiter", () => {
  const rule = { freeFailures: 2, waitMs: 100, waitMaxMs: 400, resetMs: 1000 };

  it("doubles the wait after each failure up to a limit, and resets after a long pause", () => {
    const attempts = new AttemptLimiter(rule);
    let nowMs = 5000;
    const waits = [];
    for (let i = 0; i < 6; i += 1) {
      attempts.recordFailure("ann", nowMs);
      const waitMs = attempts.waitMs("ann", nowMs);
      waits.push(waitMs);
      nowMs += waitMs;
      assert.equal(attempts.waitMs("ann", nowMs), 0);
    }
    assert.deepEqual(waits, [0, 100, 200, 400, 400, 400]);
    assert.equal(attempts.waitMs("bob", nowMs), 0);
    attempts.recordFailure("ann", nowMs + 1001);
    assert.equal(attempts.waitMs("ann", nowMs + 1001), 0);
  });

  it("does not lengthen a wait when the clock is set back, and bounds its memory", () => {
    const attempts = new AttemptLimiter(rule);
    for (let i = 0; i < 2; i += 1) attempts.recordFailure("ann", 9_000_000);
    assert.equal(attempts.waitMs("ann", 1000), 100);
    for (let i = 0; i < 10_000; i += 1) attempts.recordFailure(`name ${i}`, 9_000_000);
    assert.equal(attempts.waitMs("ann", 9_000_000), 0, "the oldest is forgotten");
  });
});
