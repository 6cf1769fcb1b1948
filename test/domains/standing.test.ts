import assert from "node:assert/strict";
import { test } from "node:test";
import type { Seen } from "../../src/domains/check.ts";
import { applyCheck, initialChecks, nextCheckAtMs, standing } from "../../src/domains/standing.ts";
import { CHECK_NAMES, type CheckState, type DomainCheck, type DomainChecks } from "../../src/spool/port/domains.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const seen = (state: CheckState): Seen => ({
  state,
  detail: `seen ${state}`,
  expected: `expected ${state}`,
  found: [state],
});
const after = (...looks: [CheckState, number][]): DomainCheck =>
  looks.reduce((check, [state, atMs]) => applyCheck(check, seen(state), atMs), initialChecks().mx);
const all = (check: DomainCheck): DomainChecks => ({
  ownership: check,
  mx: check,
  spf: check,
  dkim: check,
  dmarc: check,
});

test("a verified look gives standing and shows itself", () => {
  assert.deepEqual(after(["failed", 1], ["verified", 2]), {
    ...seen("verified"),
    checkedAtMs: 2,
    standing: true,
    failedSinceMs: null,
  });
});

test("a check that never stood does not stand after a failure", () => {
  assert.equal(after(["failed", 1]).standing, false);
});

test("a standing check survives one definite failure, and others within 24 h of the first", () => {
  const check = after(["verified", 0], ["failed", HOUR], ["failed", HOUR + DAY - 1]);
  assert.equal(check.standing, true);
  assert.equal(check.failedSinceMs, HOUR);
  assert.equal(check.state, "failed");
});

test("a definite failure 24 h after the first ends it", () => {
  const check = after(["verified", 0], ["failed", HOUR], ["failed", HOUR + DAY]);
  assert.equal(check.standing, false);
});

test("a failure that was noted while the clock was ahead makes the grace no longer", () => {
  const check = after(["verified", 0], ["failed", 100 * DAY], ["failed", HOUR]);
  assert.deepEqual([check.standing, check.failedSinceMs], [true, HOUR]);
  assert.equal(applyCheck(check, seen("failed"), HOUR + DAY).standing, false);
});

test("one failure alone never ends it, however late it comes", () => {
  assert.equal(after(["verified", 0], ["failed", 100 * DAY]).standing, true);
});

test("a recovery in between starts the grace anew", () => {
  const check = after(["verified", 0], ["failed", HOUR], ["verified", 2 * HOUR], ["failed", HOUR + DAY]);
  assert.equal(check.standing, true);
  assert.equal(check.failedSinceMs, HOUR + DAY);
});

test("a temporary failure changes state, detail and time only", () => {
  const before = after(["verified", 0], ["failed", HOUR]);
  const check = applyCheck(before, seen("temporary_failure"), 50 * DAY);
  assert.deepEqual(check, {
    ...before,
    state: "temporary_failure",
    detail: "seen temporary_failure",
    checkedAtMs: 50 * DAY,
  });
  assert.equal(after(["temporary_failure", 1]).standing, false);
  assert.equal(after(["verified", 0], ["temporary_failure", DAY]).standing, true);
});

test("a look that could not decide keeps standing too", () => {
  const check = after(["verified", 0], ["pending", 5]);
  assert.equal(check.standing, true);
  assert.equal(check.state, "pending");
});

test("a domain stands only when all five do", () => {
  const good = all(after(["verified", 0]));
  assert.equal(standing(good), true);
  for (const name of CHECK_NAMES) assert.equal(standing({ ...good, [name]: after(["failed", 0]) }), false, name);
  assert.equal(standing(initialChecks()), false);
});

test("the next look: soon, as a routine, hourly within the grace and exactly at its end", () => {
  const good = all(after(["verified", 0]));
  assert.equal(nextCheckAtMs(initialChecks(), 7), 7 + 5 * MINUTE);
  assert.equal(nextCheckAtMs(good, 7), 7 + DAY);
  const quiet = { ...good, mx: after(["verified", 0], ["temporary_failure", 7]) };
  assert.equal(nextCheckAtMs(quiet, 7), 7 + 5 * MINUTE);
  const failing = { ...good, mx: after(["verified", 0], ["failed", HOUR]) };
  assert.equal(nextCheckAtMs(failing, HOUR), 2 * HOUR);
  assert.equal(nextCheckAtMs(failing, HOUR + DAY - 10 * MINUTE), HOUR + DAY);
});

test("following the schedule, a lasting failure ends the standing exactly 24 h after it was first seen", () => {
  let checks = all(after(["verified", 0]));
  let nowMs = DAY;
  while (standing(checks)) {
    checks = { ...checks, dkim: applyCheck(checks.dkim, seen("failed"), nowMs) };
    if (standing(checks)) nowMs = nextCheckAtMs(checks, nowMs);
    assert.ok(nowMs <= 3 * DAY);
  }
  assert.equal(nowMs, 2 * DAY);
});
