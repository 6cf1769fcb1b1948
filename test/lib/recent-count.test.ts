/** Counts of the last minute. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentCount } from "../../src/lib/recent-count.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("a count is included for a minute", async () => {
  const clock = fakeClock();
  const recent = new RecentCount(clock);
  assert.equal(recent.total(), 0);
  recent.add(2);
  await clock.advance(30_000);
  recent.add(3);
  recent.add(1);
  assert.equal(recent.total(), 6);
  await clock.advance(29_000);
  assert.equal(recent.total(), 6);
  await clock.advance(1000);
  assert.equal(recent.total(), 4);
  await clock.advance(30_000);
  assert.equal(recent.total(), 0);
});

test("a pause of whole minutes leaves nothing, whichever slot it ends in", async () => {
  for (const pauseMs of [60_000, 60_500, 119_000, 120_000, 7_654_321]) {
    const clock = fakeClock();
    const recent = new RecentCount(clock);
    recent.add(5);
    await clock.advance(pauseMs);
    recent.add(1);
    assert.equal(recent.total(), 1, String(pauseMs));
  }
});
