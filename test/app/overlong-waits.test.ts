/** When the spool is asked to bring forward what waits too long, and for how long it may wait. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OverlongWaits } from "../../src/app/overlong-waits.ts";
import { silentLog } from "../../src/lib/log.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { ShortenWaitsResult, ShortenWaitsStep, WaitCursor } from "../../src/spool/port/operations.ts";
import { fakeClock, quiet } from "../support/fake-clock.ts";

const START_MS = 1_000_000;
const MINUTE_MS = 60_000;
const HERE: WaitCursor = ["acc_a", "a.example", 5, 1, 0];
const END: ShortenWaitsResult = { recipients: 1, next: null };
const MORE: ShortenWaitsResult = { recipients: 1, next: HERE };

function setUp(answers: (ShortenWaitsResult | Error)[]) {
  const clock = fakeClock(START_MS);
  const asked: ShortenWaitsStep[] = [];
  const checks: [number, number][] = [];
  const waits = new OverlongWaits({
    clock,
    log: silentLog,
    spool: {
      async shortenWaits(step) {
        asked.push(step);
        const answer = answers[asked.length - 1] ?? assert.fail("asked too often");
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    registry: {
      async shortenCheckWaits(nowMs, longestMs) {
        checks.push([nowMs, longestMs]);
        return 0;
      },
    },
    retrySchedule: [MINUTE_MS, 5 * MINUTE_MS],
    checkGapMs: 1440 * MINUTE_MS,
  });
  return { clock, asked, checks, waits };
}

test("a pass goes over everything that waits in steps with pauses; who was tried may wait as long as the schedule could say", async () => {
  const { clock, asked, checks, waits } = setUp([MORE, END]);
  waits.look();
  await quiet();
  assert.equal(asked.length, 1);
  await clock.advance(MINUTE_MS);
  const longestMs = [0, 1.2 * MINUTE_MS, 6 * MINUTE_MS];
  assert.deepEqual(asked, [
    { nowMs: START_MS, longestMs, after: null, limit: 1000 },
    { nowMs: START_MS + 50, longestMs, after: HERE, limit: 1000 },
  ]);
  assert.deepEqual(checks, [[START_MS + 50, 1440 * MINUTE_MS]]);
});

test("asked again in the midst of a pass it begins anew, by the clock as it is then", async () => {
  const { clock, asked, waits } = setUp([MORE, END]);
  waits.look();
  await quiet();
  clock.step(-START_MS / 2);
  waits.look();
  await clock.advance(MINUTE_MS);
  assert.deepEqual(
    asked.map(({ nowMs, after }) => [nowMs, after]),
    [
      [START_MS, null],
      [START_MS / 2 + 50, null],
    ],
  );
});

test("a spool that cannot be written is asked again, until the stop", async () => {
  const { clock, asked, waits } = setUp([new SpoolUnavailable("down"), END, new SpoolUnavailable("closed")]);
  waits.look();
  await clock.advance(10_000);
  assert.equal(asked.length, 2);
  waits.look();
  waits.stop();
  await clock.advance(MINUTE_MS);
  assert.equal(asked.length, 3);
  assert.deepEqual(clock.dueMs, []);
});
