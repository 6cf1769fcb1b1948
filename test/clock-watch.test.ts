/** A wall clock that is set while the service runs: noticed once, with its size, and not where there was none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { watchClock } from "../src/clock-watch.ts";
import type { Logger } from "../src/log.ts";
import { fakeClock } from "./support/fake-clock.ts";

function setUp() {
  const clock = fakeClock();
  const logged: unknown[] = [];
  const steps: number[] = [];
  const log = { warn: (fields: object, message: string) => logged.push([fields, message]) } as unknown as Logger;
  const stop = watchClock({ clock, log, onStep: (stepMs) => steps.push(stepMs) });
  return { clock, logged, steps, stop };
}

test("a clock that was set back or forward is reported once, with how far", async () => {
  const { clock, logged, steps } = setUp();
  await clock.advance(3_600_000);
  assert.deepEqual(logged, []);
  clock.step(-7_200_000);
  await clock.advance(3_600_000);
  clock.step(90_400);
  await clock.advance(3_600_000);
  assert.deepEqual(steps, [-7_200_000, 90_400]);
  assert.deepEqual(logged, [
    [{ bySeconds: 7200 }, "the clock was set back"],
    [{ bySeconds: 90 }, "the clock was set forward, or the host slept"],
  ]);
});

test("small steps are no news until they add up, and nothing is after the stop", async () => {
  const { clock, steps, stop } = setUp();
  clock.step(-3000);
  await clock.advance(60_000);
  assert.deepEqual(steps, []);
  clock.step(-3000);
  await clock.advance(60_000);
  assert.deepEqual(steps, [-6000]);
  stop();
  clock.step(-60_000);
  await clock.advance(60_000);
  assert.deepEqual(steps, [-6000]);
  assert.deepEqual(clock.dueMs, []);
});
