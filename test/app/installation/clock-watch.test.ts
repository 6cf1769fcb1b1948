/** Steps of the wall clock while the service runs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockWatch } from "../../../src/app/installation/clock-watch.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";

function setUp() {
  const clock = fakeClock();
  const logged: unknown[] = [];
  const steps: number[] = [];
  const log = { warn: (fields: object, message: string) => logged.push([fields, message]) } as unknown as Logger;
  const watch = new ClockWatch({ clock, log, onStep: (stepMs) => steps.push(stepMs) });
  return { clock, logged, steps, watch };
}

test("reports each step of the clock once, with its size", async () => {
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

test("reports small steps once they add up, and nothing after the stop", async () => {
  const { clock, steps, watch } = setUp();
  clock.step(-3000);
  await clock.advance(60_000);
  assert.deepEqual(steps, []);
  clock.step(-3000);
  await clock.advance(60_000);
  assert.deepEqual(steps, [-6000]);
  watch.stop();
  clock.step(-60_000);
  await clock.advance(60_000);
  assert.deepEqual(steps, [-6000]);
  assert.deepEqual(clock.dueMs, []);
});

test("detects a clock set forward on demand, before the next regular check", async () => {
  const { clock, logged, watch } = setUp();
  assert.equal(watch.wasSetForwardWithin(3_600_000), false);
  clock.step(-60_000);
  assert.equal(watch.wasSetForwardWithin(3_600_000), false);
  clock.step(60_000);
  assert.equal(watch.wasSetForwardWithin(3_600_000), true);
  assert.equal(logged.length, 2);
  await clock.advance(3_599_999);
  assert.equal(watch.wasSetForwardWithin(3_600_000), true);
  await clock.advance(1);
  assert.equal(watch.wasSetForwardWithin(3_600_000), false);
});
