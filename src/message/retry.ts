/**
 * Decides when a deferred recipient is tried again and when it is too late. What counts as a deferral is the verdict's.
 * Times are milliseconds since the epoch.
 */

/** A gap is spread over 80 % to 120 % of itself, so that what was deferred together does not come back together. */
const JITTER = 0.2;

/**
 * A message with a deadline of its own is tried more often than the schedule says: gaps are at most this part of its
 * lifetime, but no shorter than the minimum for that alone.
 */
const GAP_OF_LIFETIME = 1 / 6;
const GAP_MIN_MS = 5000;

/** The last attempt before a deadline leaves this part of the lifetime, a minute at most, to be of use. */
const MARGIN_OF_LIFETIME = 1 / 10;
const MARGIN_MAX_MS = 60_000;

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The moment after which the sender does not want a message delivered, and when its time began. */
export interface Deadline {
  createdAtMs: number;
  deadlineMs: number;
}

export interface RetryQuestion {
  /** Attempts made so far, at least 1. */
  attempt: number;
  nowMs: number;
  /** Gaps between attempts in ms, at least one; the last repeats. */
  schedule: readonly number[];
  /** When the maximum age is reached; not after the deadline. */
  expiresAtMs: number;
  deadline?: Deadline;
  /** Uniform in [0, 1). */
  random: () => number;
}

/**
 * When to try next: now and the schedule's gap with jitter, but at the expiry if that comes first, as a last attempt. With
 * a deadline, always before it; null when no further attempt fits.
 */
export function nextAttemptAtMs(question: RetryQuestion): number | null {
  const { nowMs, expiresAtMs, deadline } = question;
  if (deadline === undefined) return untilExpiry(nowMs + spread(gapOf(question), question), question);
  const lifetimeMs = deadline.deadlineMs - deadline.createdAtMs;
  const gapMs = Math.min(gapOf(question), Math.max(GAP_MIN_MS, lifetimeMs * GAP_OF_LIFETIME));
  const lastMs = deadline.deadlineMs - Math.ceil(Math.min(lifetimeMs * MARGIN_OF_LIFETIME, MARGIN_MAX_MS));
  const dueMs = nowMs + spread(gapMs, question);
  const isLastWorthwhile = lastMs - nowMs >= Math.min(gapMs, GAP_MIN_MS);
  const fittingMs = dueMs <= lastMs ? dueMs : isLastWorthwhile ? lastMs : null;
  if (expiresAtMs < deadline.deadlineMs) return untilExpiry(fittingMs ?? expiresAtMs, question);
  return fittingMs;
}

/** The longest that a recipient waits for its next attempt, or for its deadline, after so many attempts. */
export function longestWaitMs(attempts: number, schedule: readonly number[]): number {
  if (attempts === 0) return 0;
  const gapMs = gapOf({ attempt: attempts, schedule });
  return Math.max(Math.round(gapMs * (1 + JITTER)), MARGIN_MAX_MS + GAP_MIN_MS);
}

function gapOf({ attempt, schedule }: Pick<RetryQuestion, "attempt" | "schedule">): number {
  const gapMs = schedule[Math.min(Math.max(attempt, 1), schedule.length) - 1];
  if (gapMs === undefined) throw new RangeError("the retry schedule is empty");
  return gapMs;
}

const spread = (gapMs: number, { random }: Pick<RetryQuestion, "random">): number =>
  Math.round(gapMs * (1 - JITTER + 2 * JITTER * random()));

const untilExpiry = (dueMs: number, { nowMs, expiresAtMs }: RetryQuestion): number =>
  expiresAtMs > nowMs ? Math.min(dueMs, expiresAtMs) : dueMs;

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
