/** Waits between failed attempts, as time passes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AttemptCounters } from "../../../../../src/spool/engine/sqlite/accounts/attempt-counters.ts";
import { COUNTERS_MAX } from "../../../../../src/spool/port/attempt-limiter.ts";
import { fakeClock } from "../../../../support/fake-clock.ts";

describe("AttemptCounters", () => {
  const policy = { freeFailures: 2, waitMs: 100, waitMaxMs: 400, resetMs: 1000 };
  const named = (name: string, kind = "password") => [{ kind, name, policy }];

  it("doubles the wait after each failure up to a limit, and starts anew after a long pause", async () => {
    const clock = fakeClock();
    const attempts = new AttemptCounters(clock);
    const waits = [];
    for (let i = 0; i < 6; i += 1) {
      assert.equal(await attempts.countFailure(named("ann")), 0);
      const waitMs = await attempts.waitMs(named("ann"));
      waits.push(waitMs);
      await clock.advance(waitMs);
    }
    assert.deepEqual(waits, [0, 100, 200, 400, 400, 400]);
    assert.equal(await attempts.waitMs(named("bob")), 0);
    await clock.advance(1001);
    await attempts.countFailure(named("ann"));
    assert.equal(await attempts.waitMs(named("ann")), 0);
  });

  it("forgets the counter whose last failure is the oldest, among those of its kind", async () => {
    const attempts = new AttemptCounters(fakeClock());
    for (const kind of ["password", "code"]) {
      for (let i = 0; i < 2; i += 1) await attempts.countFailure(named("ann", kind));
    }
    assert.equal(await attempts.waitMs(named("ann")), 100);
    for (let i = 0; i < COUNTERS_MAX; i += 1) await attempts.countFailure(named(`name ${i}`));
    assert.equal(await attempts.waitMs(named("ann")), 0);
    assert.equal(await attempts.waitMs(named("ann", "code")), 100);
  });
});
