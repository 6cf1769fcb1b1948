import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckResult } from "../../src/domains/check.ts";
import { applyResult, initialChecks, isVerified, nextCheckAtMs } from "../../src/domains/verification-state.ts";
import { CHECK_NAMES, type CheckState, type DomainCheck, type DomainChecks } from "../../src/spool/port/domains.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const result = (state: CheckState): CheckResult => ({
  state,
  detail: `result ${state}`,
  expected: `expected ${state}`,
  found: [state],
});
const after = (...runs: [CheckState, number][]): DomainCheck =>
  runs.reduce((check, [state, atMs]) => applyResult(check, result(state), atMs), initialChecks().mx);
const all = (check: DomainCheck): DomainChecks => ({
  ownership: check,
  mx: check,
  spf: check,
  dkim: check,
  dmarc: check,
});

test("a verified run sets standing", () => {
  assert.deepEqual(after(["failed", 1], ["verified", 2]), {
    ...result("verified"),
    checkedAtMs: 2,
    standing: true,
    failedSinceMs: null,
  });
});

test("a check that was never verified has no standing after a failure", () => {
  assert.equal(after(["failed", 1]).standing, false);
});

test("standing survives one definite failure, and others within 24 h of the first", () => {
  const check = after(["verified", 0], ["failed", HOUR], ["failed", HOUR + DAY - 1]);
  assert.equal(check.standing, true);
  assert.equal(check.failedSinceMs, HOUR);
  assert.equal(check.state, "failed");
});

test("a definite failure 24 h after the first clears standing", () => {
  const check = after(["verified", 0], ["failed", HOUR], ["failed", HOUR + DAY]);
  assert.equal(check.standing, false);
});

test("a failure recorded while the clock was ahead does not extend the grace period", () => {
  const check = after(["verified", 0], ["failed", 100 * DAY], ["failed", HOUR]);
  assert.deepEqual([check.standing, check.failedSinceMs], [true, HOUR]);
  assert.equal(applyResult(check, result("failed"), HOUR + DAY).standing, false);
});

test("a single failure never clears standing, however late it comes", () => {
  assert.equal(after(["verified", 0], ["failed", 100 * DAY]).standing, true);
});

test("a recovery in between restarts the grace period", () => {
  const check = after(["verified", 0], ["failed", HOUR], ["verified", 2 * HOUR], ["failed", HOUR + DAY]);
  assert.equal(check.standing, true);
  assert.equal(check.failedSinceMs, HOUR + DAY);
});

test("a temporary failure changes only state, detail and time", () => {
  const before = after(["verified", 0], ["failed", HOUR]);
  const check = applyResult(before, result("temporary_failure"), 50 * DAY);
  assert.deepEqual(check, {
    ...before,
    state: "temporary_failure",
    detail: "result temporary_failure",
    checkedAtMs: 50 * DAY,
  });
  assert.equal(after(["temporary_failure", 1]).standing, false);
  assert.equal(after(["verified", 0], ["temporary_failure", DAY]).standing, true);
});

test("a run without a decision keeps standing", () => {
  const check = after(["verified", 0], ["pending", 5]);
  assert.equal(check.standing, true);
  assert.equal(check.state, "pending");
});

test("a domain is verified only when all five checks are", () => {
  const good = all(after(["verified", 0]));
  assert.equal(isVerified(good), true);
  for (const name of CHECK_NAMES) assert.equal(isVerified({ ...good, [name]: after(["failed", 0]) }), false, name);
  assert.equal(isVerified(initialChecks()), false);
});

test("the next run: soon, at the routine interval, hourly in the grace period and exactly at its end", () => {
  const good = all(after(["verified", 0]));
  assert.equal(nextCheckAtMs(initialChecks(), 7), 7 + 5 * MINUTE);
  assert.equal(nextCheckAtMs(good, 7), 7 + DAY);
  const quiet = { ...good, mx: after(["verified", 0], ["temporary_failure", 7]) };
  assert.equal(nextCheckAtMs(quiet, 7), 7 + 5 * MINUTE);
  const failing = { ...good, mx: after(["verified", 0], ["failed", HOUR]) };
  assert.equal(nextCheckAtMs(failing, HOUR), 2 * HOUR);
  assert.equal(nextCheckAtMs(failing, HOUR + DAY - 10 * MINUTE), HOUR + DAY);
});

test("a lasting failure clears standing exactly 24 h after the first failed run of the schedule", () => {
  let checks = all(after(["verified", 0]));
  let nowMs = DAY;
  while (isVerified(checks)) {
    checks = { ...checks, dkim: applyResult(checks.dkim, result("failed"), nowMs) };
    if (isVerified(checks)) nowMs = nextCheckAtMs(checks, nowMs);
    assert.ok(nowMs <= 3 * DAY);
  }
  assert.equal(nowMs, 2 * DAY);
});
