/** The retry schedule: gaps, jitter, the last attempt at the expiry, deadlines, and durations in settings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isExpired, longestWaitMs, nextAttemptAtMs, parseDuration } from "../../src/message/retry.ts";

const schedule = [1000, 5000, 20_000];
const middle = () => 0.5;
const never = Number.MAX_SAFE_INTEGER;

test("gaps follow the schedule, and the last one repeats", () => {
  const gaps = [1, 2, 3, 4, 100].map((attempt) =>
    nextAttemptAtMs({ attempt, nowMs: 0, schedule, expiresAtMs: never, random: middle }),
  );
  assert.deepEqual(gaps, [1000, 5000, 20_000, 20_000, 20_000]);
});

test("jitter spreads a gap over 80 % to 120 %", () => {
  const at = (random: () => number) =>
    nextAttemptAtMs({ attempt: 1, nowMs: 100, schedule, expiresAtMs: never, random });
  assert.equal(
    at(() => 0),
    900,
  );
  assert.equal(
    at(() => 1),
    1300,
  );
});

test("the last attempt is at the expiry, not later", () => {
  const at = (nowMs: number) => nextAttemptAtMs({ attempt: 3, nowMs, schedule, expiresAtMs: 30_000, random: middle });
  assert.equal(at(5000), 25_000);
  assert.equal(at(29_999), 30_000);
  assert.equal(at(30_000), 50_000);
});

test("a recipient expires exactly at its expiry", () => {
  assert.equal(isExpired(29_999, 30_000), false);
  assert.equal(isExpired(30_000, 30_000), true);
  assert.equal(isExpired(30_001, 30_000), true);
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DEFAULT = [1, 5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS);

/** Returns the times of attempts in ms, each deferred immediately, until no further attempt fits. */
function attemptsWithin(lifetimeMs: number, { schedule = DEFAULT, maxAgeMs = 48 * HOUR_MS, random = middle } = {}) {
  const deadline = { beginsMs: 0, deadlineMs: lifetimeMs };
  const expiresAtMs = Math.min(lifetimeMs, maxAgeMs);
  const atMs = [0];
  for (let nextMs: number | null = 0; ; atMs.push(nextMs)) {
    const nowMs: number = nextMs;
    nextMs = isExpired(nowMs, expiresAtMs)
      ? null
      : nextAttemptAtMs({ attempt: atMs.length, nowMs, schedule, expiresAtMs, deadline, random });
    if (nextMs === null) return atMs;
  }
}

const secondsOf = (times: number[]): number[] => times.map((ms) => Math.round(ms / 1000));

test("a message with a deadline is attempted several times, spread over its lifetime, the last time before the deadline", () => {
  assert.deepEqual(secondsOf(attemptsWithin(MINUTE_MS)), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(secondsOf(attemptsWithin(5 * MINUTE_MS)), [0, 50, 100, 150, 200, 250, 270]);
  assert.deepEqual(secondsOf(attemptsWithin(10 * MINUTE_MS)), [0, 60, 160, 260, 360, 460, 540]);
  const minutes = attemptsWithin(HOUR_MS).map((ms) => ms / MINUTE_MS);
  assert.deepEqual(minutes, [0, 1, 6, 16, 26, 36, 46, 56, 59]);
  assert.deepEqual(secondsOf(attemptsWithin(4000)), [0]);
});

test("gaps shorter than the deadline requires are not changed", () => {
  assert.deepEqual(secondsOf(attemptsWithin(10_000, { schedule: [2000] })), [0, 2, 4, 6, 8]);
});

test("if the maximum age is before the deadline, the last attempt is at the maximum age", () => {
  const atMs = attemptsWithin(HOUR_MS, { maxAgeMs: 20 * MINUTE_MS });
  assert.deepEqual(
    atMs.map((ms) => ms / MINUTE_MS),
    [0, 1, 6, 16, 20],
  );
  // Within the margin before the deadline.
  const late = attemptsWithin(HOUR_MS, { maxAgeMs: HOUR_MS - 10_000 });
  assert.equal(late.at(-1), HOUR_MS - 10_000);
});

test("for any deadline: no attempt at or after it, a minimum gap between attempts, and one attempt near it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 72 * HOUR_MS }),
      fc.array(fc.integer({ min: 1000, max: 8 * HOUR_MS }), { minLength: 1, maxLength: 8 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (lifetimeMs, schedule, lot) => {
        const atMs = attemptsWithin(lifetimeMs, { schedule, maxAgeMs: Number.MAX_SAFE_INTEGER, random: () => lot });
        const lastMs = atMs.at(-1) as number;
        const leastMs = Math.min(...schedule, 5000) * 0.8;
        assert.ok(lastMs < lifetimeMs);
        for (let i = 1; i < atMs.length; i += 1) {
          const gapMs = (atMs[i] as number) - (atMs[i - 1] as number);
          assert.ok(gapMs >= Math.floor(leastMs), `a gap of ${gapMs} ms`);
          assert.ok(gapMs <= longestWaitMs(i, schedule));
        }
        // The time left is the margin and at most the shortest gap.
        const marginMs = Math.min(lifetimeMs / 10, MINUTE_MS);
        assert.ok(lifetimeMs - lastMs <= marginMs + 5000 + 1, `${lifetimeMs - lastMs} ms before the end`);
        assert.ok(lifetimeMs - lastMs <= longestWaitMs(atMs.length, schedule));
      },
    ),
    { numRuns: 500 },
  );
});

test("parseDuration accepts a number with one of the units s, m, h, d", () => {
  assert.equal(parseDuration("30s"), 30_000);
  assert.equal(parseDuration("5m"), 300_000);
  assert.equal(parseDuration("2h"), 7_200_000);
  assert.equal(parseDuration("7d"), 604_800_000);
  for (const text of ["", "5", "m", "5 m", "-5m", "1.5h", "5M", "5m ", "5m\n", "5w", "9999999999s", "1h30m"]) {
    assert.equal(parseDuration(text), null, JSON.stringify(text));
  }
});
