/** A transfer below the minimum rate is ended when its bytes no longer suffice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { watchRate } from "../../src/lib/minimum-rate.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";

interface Watched {
  clock: FakeClock;
  receive: (sizeBytes: number) => void;
  isTooSlow: () => boolean;
  stop: () => void;
}

/** 10 s, then 100 bytes a second. */
function watched(): Watched {
  const clock = fakeClock();
  let bytes = 0;
  let isTooSlow = false;
  const stop = watchRate(
    { clock, graceMs: 10_000, bytesPerS: 100 },
    () => bytes,
    () => {
      isTooSlow = true;
    },
  );
  return {
    clock,
    receive: (sizeBytes) => {
      bytes += sizeBytes;
    },
    isTooSlow: () => isTooSlow,
    stop,
  };
}

test("a transfer without a byte ends after the grace", async () => {
  const { clock, isTooSlow } = watched();
  await clock.advance(9_999);
  assert.equal(isTooSlow(), false);
  await clock.advance(1);
  assert.equal(isTooSlow(), true);
  assert.deepEqual(clock.dueMs, []);
});

test("the bytes received extend the time by what they take at the minimum rate", async () => {
  const { clock, receive, isTooSlow } = watched();
  receive(1000);
  await clock.advance(19_000);
  receive(500);
  await clock.advance(5_999);
  assert.equal(isTooSlow(), false);
  await clock.advance(1);
  assert.equal(isTooSlow(), true);
});

test("a transfer at the rate goes on, and one that has ended is not watched", async () => {
  const { clock, receive, isTooSlow, stop } = watched();
  for (let second = 0; second < 600; second += 1) {
    receive(100);
    await clock.advance(1000);
  }
  assert.equal(isTooSlow(), false);
  stop();
  await clock.advance(600_000);
  assert.equal(isTooSlow(), false);
});
