/** When overlong waits are shortened, and to which lengths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { WaitShortener } from "../../../src/app/decide/wait-shortener.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { ShortenWaitsResult, ShortenWaitsStep, WaitCursor } from "../../../src/spool/port/operations.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";

const START_MS = 1_000_000;
const MINUTE_MS = 60_000;
const HERE: WaitCursor = ["acc_a", "a.example", 5, 1, 0];
const END: ShortenWaitsResult = { recipients: 1, next: null };
const MORE: ShortenWaitsResult = { recipients: 1, next: HERE };

function setUp(answers: (ShortenWaitsResult | Error)[]) {
  const clock = fakeClock(START_MS);
  const calls: ShortenWaitsStep[] = [];
  const checks: [number, number][] = [];
  const waits = new WaitShortener({
    clock,
    log: silentLog,
    spool: {
      async shortenWaits(step) {
        calls.push(step);
        const answer = answers[calls.length - 1] ?? assert.fail("called too often");
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
  return { clock, calls, checks, waits };
}

test("a pass runs in steps with pauses; waits are bounded by the schedule and the attempts made", async () => {
  const { clock, calls, checks, waits } = setUp([MORE, END]);
  waits.run();
  await quiet();
  assert.equal(calls.length, 1);
  await clock.advance(MINUTE_MS);
  const longestMs = [0, 1.2 * MINUTE_MS, 6 * MINUTE_MS];
  assert.deepEqual(calls, [
    { nowMs: START_MS, longestMs, after: null, limit: 1000 },
    { nowMs: START_MS + 50, longestMs, after: HERE, limit: 1000 },
  ]);
  assert.deepEqual(checks, [[START_MS + 50, 1440 * MINUTE_MS]]);
});

test("a request during a pass starts it again with the current time", async () => {
  const { clock, calls, waits } = setUp([MORE, END]);
  waits.run();
  await quiet();
  clock.step(-START_MS / 2);
  waits.run();
  await clock.advance(MINUTE_MS);
  assert.deepEqual(
    calls.map(({ nowMs, after }) => [nowMs, after]),
    [
      [START_MS, null],
      [START_MS / 2 + 50, null],
    ],
  );
});

test("retries after an error, until it is stopped", async () => {
  const { clock, calls, waits } = setUp([new SpoolUnavailable("down"), END, new SpoolUnavailable("closed")]);
  waits.run();
  await clock.advance(10_000);
  assert.equal(calls.length, 2);
  waits.run();
  waits.stop();
  await clock.advance(MINUTE_MS);
  assert.equal(calls.length, 3);
  assert.deepEqual(clock.dueMs, []);
});
