/**
 * Decides when a deferred recipient is tried again and when it is too late. What counts as a deferral is the verdict's.
 * Times are milliseconds since the epoch.
 */

/** A gap is spread over 80 % to 120 % of itself, so that what was deferred together does not come back together. */
const JITTER = 0.2;

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export interface RetryQuestion {
  /** Attempts made so far, at least 1. */
  attempt: number;
  nowMs: number;
  /** Gaps between attempts in ms, at least one; the last repeats. */
  schedule: readonly number[];
  expiresAtMs: number;
  /** Uniform in [0, 1). */
  random: () => number;
}

/** When to try next: now and the schedule's gap with jitter, but at the expiry if that comes first, as a last attempt. */
export function nextAttemptAtMs({ attempt, nowMs, schedule, expiresAtMs, random }: RetryQuestion): number {
  const gapMs = schedule[Math.min(Math.max(attempt, 1), schedule.length) - 1];
  if (gapMs === undefined) throw new RangeError("the retry schedule is empty");
  const dueMs = nowMs + Math.round(gapMs * (1 - JITTER + 2 * JITTER * random()));
  return expiresAtMs > nowMs ? Math.min(dueMs, expiresAtMs) : dueMs;
}

/** Whether a recipient that was just deferred gets no further attempt. */
export function isExpired(nowMs: number, expiresAtMs: number): boolean {
  return nowMs >= expiresAtMs;
}

/** Milliseconds of `30s`, `5m`, `2h` or `7d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ""];
  return count === undefined || unitMs === undefined ? null : Number(count) * unitMs;
}
