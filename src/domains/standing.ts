/**
 * What a check's results mean for the domain over time: a working domain is not stopped by one bad look.
 * Pure. Decides standing and the time of the next look; the looks themselves are the checks' business.
 *
 * - Verified: the check stands.
 * - A definite failure of a standing check is noted with its time. The standing is lost only at another definite failure
 *   at least 24 h after it; any verified look in between clears the note.
 * - A temporary failure, or a look that could not decide, changes neither.
 */
import { CHECK_NAMES, type DomainCheck, type DomainChecks } from "../spool/port/domains.ts";
import type { Seen } from "./check.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a standing check may fail before it stops the domain. */
export const GRACE_MS = 24 * HOUR_MS;
/** While somebody may be waiting for a result: not verified yet, or nothing known for certain. */
export const SOON_MS = 5 * MINUTE_MS;
/** While a failure is within its grace, so that a recovery is seen. */
export const RECOVERY_LOOK_MS = HOUR_MS;
export const ROUTINE_MS = 24 * HOUR_MS;

/** The checks of a domain that was just bound. */
export function initialChecks(): DomainChecks {
  const check = (): DomainCheck => ({
    state: "pending",
    detail: "Not checked yet.",
    expected: "",
    found: [],
    checkedAtMs: null,
    standing: false,
    failedSinceMs: null,
  });
  return { ownership: check(), mx: check(), spf: check(), dkim: check(), dmarc: check() };
}

/** The check after one more look at `nowMs`. */
export function applyCheck(previous: DomainCheck, seen: Seen, nowMs: number): DomainCheck {
  switch (seen.state) {
    case "verified":
      return { ...seen, checkedAtMs: nowMs, standing: true, failedSinceMs: null };
    case "temporary_failure":
      return { ...previous, state: seen.state, detail: seen.detail, checkedAtMs: nowMs };
    case "pending":
      return { ...seen, checkedAtMs: nowMs, standing: previous.standing, failedSinceMs: previous.failedSinceMs };
    case "failed": {
      // Noted by a clock that was ahead, it would make the grace longer.
      const failedSinceMs = Math.min(previous.failedSinceMs ?? nowMs, nowMs);
      const standing = previous.standing && nowMs - failedSinceMs < GRACE_MS;
      return { ...seen, checkedAtMs: nowMs, standing, failedSinceMs };
    }
  }
}

/** Whether the domain may send: all five checks stand. */
export function standing(checks: DomainChecks): boolean {
  return CHECK_NAMES.every((name) => checks[name].standing);
}

/** When to look again: soon, within the grace each hour and exactly at its end, or as a routine. */
export function nextCheckAtMs(checks: DomainChecks, nowMs: number): number {
  if (!standing(checks)) return nowMs + SOON_MS;
  return Math.min(...CHECK_NAMES.map((name) => nextLookMs(checks[name], nowMs)));
}

function nextLookMs({ state, failedSinceMs }: DomainCheck, nowMs: number): number {
  const graceEndMs = failedSinceMs === null ? Number.POSITIVE_INFINITY : failedSinceMs + GRACE_MS;
  const usualMs = nowMs + usualGapMs(state);
  return graceEndMs > nowMs ? Math.min(usualMs, graceEndMs) : Math.min(usualMs, nowMs + SOON_MS);
}

function usualGapMs(state: DomainCheck["state"]): number {
  switch (state) {
    case "verified":
      return ROUTINE_MS;
    case "failed":
      return RECOVERY_LOOK_MS;
    case "pending":
    case "temporary_failure":
      return SOON_MS;
  }
}
