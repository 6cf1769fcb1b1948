/**
 * The verification state of a domain's checks over time. A single failed run does not stop a verified domain. Pure: decides
 * whether a check counts as verified (`standing`) and when it runs next.
 *
 * - A verified run sets `standing`.
 * - The first definite failure of such a check is recorded with its time. Only another definite failure at least 24 h
 *   later clears `standing`; a verified run in between clears the recorded failure.
 * - A temporary failure, or a run without a decision, changes neither.
 */
import { HOUR_MS, MINUTE_MS } from "../lib/units.ts";
import {
  CHECK_NAMES,
  type DomainCheck,
  type DomainChecks,
  type ReturnPathChecks,
  uncheckedRecord,
} from "../spool/port/domains.ts";
import type { CheckResult } from "./check.ts";

/** How long a verified check may fail before the domain stops sending. */
export const GRACE_PERIOD_MS = 24 * HOUR_MS;
/** The interval while a domain is not verified yet or a lookup failed: a user may be waiting for the result. */
export const RETRY_INTERVAL_MS = 5 * MINUTE_MS;
/** The interval during the grace period, to detect a recovery. */
const RECOVERY_INTERVAL_MS = HOUR_MS;
export const ROUTINE_INTERVAL_MS = 24 * HOUR_MS;

/** The checks of a new domain. */
export function initialChecks(): DomainChecks {
  return {
    ownership: uncheckedRecord(),
    mx: uncheckedRecord(),
    spf: uncheckedRecord(),
    dkim: uncheckedRecord(),
    dmarc: uncheckedRecord(),
  };
}

/** The check after a run at `nowMs` with this result. */
export function applyResult(previous: DomainCheck, result: CheckResult, nowMs: number): DomainCheck {
  switch (result.state) {
    case "verified":
      return { ...result, checkedAtMs: nowMs, standing: true, failedSinceMs: null };
    case "temporary_failure":
      return { ...previous, state: result.state, detail: result.detail, checkedAtMs: nowMs };
    case "pending":
      return { ...result, checkedAtMs: nowMs, standing: previous.standing, failedSinceMs: previous.failedSinceMs };
    case "failed": {
      // A time recorded while the clock was ahead would extend the grace period.
      const failedSinceMs = Math.min(previous.failedSinceMs ?? nowMs, nowMs);
      const standing = previous.standing && nowMs - failedSinceMs < GRACE_PERIOD_MS;
      return { ...result, checkedAtMs: nowMs, standing, failedSinceMs };
    }
  }
}

/** Whether the domain may send: all five checks count as verified. */
export function isVerified(checks: DomainChecks): boolean {
  return CHECK_NAMES.every((name) => checks[name].standing);
}

/** Whether the return path is used: both of its checks count as verified. */
export function isActive(checks: ReturnPathChecks): boolean {
  return Object.values(checks).every(({ standing }) => standing);
}

/** When to run the checks next: soon, hourly in the grace period and exactly at its end, or at the routine interval. */
export function nextCheckAtMs(checks: DomainChecks | ReturnPathChecks, nowMs: number): number {
  const all: DomainCheck[] = Object.values(checks);
  if (!all.every(({ standing }) => standing)) return nowMs + RETRY_INTERVAL_MS;
  return Math.min(...all.map((check) => nextRunMs(check, nowMs)));
}

function nextRunMs({ state, failedSinceMs }: DomainCheck, nowMs: number): number {
  const graceEndMs = failedSinceMs === null ? Number.POSITIVE_INFINITY : failedSinceMs + GRACE_PERIOD_MS;
  const usualMs = nowMs + intervalMs(state);
  return graceEndMs > nowMs ? Math.min(usualMs, graceEndMs) : Math.min(usualMs, nowMs + RETRY_INTERVAL_MS);
}

function intervalMs(state: DomainCheck["state"]): number {
  switch (state) {
    case "verified":
      return ROUTINE_INTERVAL_MS;
    case "failed":
      return RECOVERY_INTERVAL_MS;
    case "pending":
    case "temporary_failure":
      return RETRY_INTERVAL_MS;
  }
}
