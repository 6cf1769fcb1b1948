/** The retry schedule: gaps, jitter, the last attempt at the expiry, and durations as they are configured. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isExpired, nextAttemptAtMs, parseDuration } from "../../src/message/retry.ts";

const schedule = [1000, 5000, 20_000];
const middle = () => 0.5;
const never = Number.MAX_SAFE_INTEGER;

test("gaps follow the schedule and the last repeats", () => {
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

test("the last attempt is at the expiry, not after it", () => {
  const at = (nowMs: number) => nextAttemptAtMs({ attempt: 3, nowMs, schedule, expiresAtMs: 30_000, random: middle });
  assert.equal(at(5000), 25_000);
  assert.equal(at(29_999), 30_000);
  assert.equal(at(30_000), 50_000);
});

test("a recipient is expired from the moment on, not before", () => {
  assert.equal(isExpired(29_999, 30_000), false);
  assert.equal(isExpired(30_000, 30_000), true);
  assert.equal(isExpired(30_001, 30_000), true);
});

test("durations", () => {
  assert.equal(parseDuration("30s"), 30_000);
  assert.equal(parseDuration("5m"), 300_000);
  assert.equal(parseDuration("2h"), 7_200_000);
  assert.equal(parseDuration("7d"), 604_800_000);
  for (const text of ["", "5", "m", "5 m", "-5m", "1.5h", "5M", "5m ", "5m\n", "5w", "9999999999s", "1h30m"]) {
    assert.equal(parseDuration(text), null, JSON.stringify(text));
  }
});
