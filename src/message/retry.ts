/**
 * Decides when a deferred recipient is attempted again and when it expires. delivery/verdict.ts decides what is a deferral.
 * Times are milliseconds since the epoch.
 */

/** A gap becomes 80 % to 120 % of itself: recipients deferred together are not retried together. */
const JITTER = 0.2;

/**
 * A message with a deadline is attempted more often than scheduled: gaps are at most this fraction of its lifetime. This limit
 * never reduces a gap below GAP_MIN_MS.
 */
const GAP_LIFETIME_FRACTION = 1 / 6;
const GAP_MIN_MS = 5000;

/** The last attempt is this fraction of the lifetime, at most a minute, before the deadline: the recipient needs time to use the message. */
const MARGIN_LIFETIME_FRACTION = 1 / 10;
const MARGIN_MAX_MS = 60_000;

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The default of RETRY_SCHEDULE: the gap after the first attempt, the second, and so on. The last one repeats. */
export const DEFAULT_RETRY_SCHEDULE = "1m,5m,15m,30m,1h,2h,4h,8h";

/** From `deadlineMs` on, the sender no longer wants the message delivered. */
export interface Deadline {
  /** When delivery of the message begins. */
  beginsMs: number;
  deadlineMs: number;
}

export interface RetryInput {
  /** Attempts made so far, at least 1. */
  attempt: number;
  nowMs: number;
  /** Gaps between attempts in ms, at least one; the last repeats. */
  schedule: readonly number[];
  /** When the maximum age is reached; at the deadline at the latest. */
  expiresAtMs: number;
  deadline?: Deadline;
  /** Uniform in [0, 1). */
  random: () => number;
}

/**
 * Returns the time of the next attempt: now plus the scheduled gap with jitter, or the expiry if that is earlier, for a last
 * attempt. With a deadline the attempt is before it; null if no further attempt fits.
 */
export function nextAttemptAtMs(input: RetryInput): number | null {
  const { nowMs, expiresAtMs, deadline } = input;
  if (deadline === undefined) return capAtExpiry(nowMs + withJitter(scheduledGapMs(input), input), input);
  const lifetimeMs = deadline.deadlineMs - deadline.beginsMs;
  const gapMs = Math.min(scheduledGapMs(input), Math.max(GAP_MIN_MS, lifetimeMs * GAP_LIFETIME_FRACTION));
  const lastMs = deadline.deadlineMs - Math.ceil(Math.min(lifetimeMs * MARGIN_LIFETIME_FRACTION, MARGIN_MAX_MS));
  const dueMs = nowMs + withJitter(gapMs, input);
  const isLastWorthwhile = lastMs - nowMs >= Math.min(gapMs, GAP_MIN_MS);
  const fittingMs = dueMs <= lastMs ? dueMs : isLastWorthwhile ? lastMs : null;
  if (expiresAtMs < deadline.deadlineMs) return capAtExpiry(fittingMs ?? expiresAtMs, input);
  return fittingMs;
}

/** Returns the longest wait for the next attempt, or for the deadline, after a number of attempts. */
export function longestWaitMs(attempts: number, schedule: readonly number[]): number {
  if (attempts === 0) return 0;
  const gapMs = scheduledGapMs({ attempt: attempts, schedule });
  return Math.max(Math.round(gapMs * (1 + JITTER)), MARGIN_MAX_MS + GAP_MIN_MS);
}

function scheduledGapMs({ attempt, schedule }: Pick<RetryInput, "attempt" | "schedule">): number {
  const gapMs = schedule[Math.min(Math.max(attempt, 1), schedule.length) - 1];
  if (gapMs === undefined) throw new RangeError("the retry schedule is empty");
  return gapMs;
}

const withJitter = (gapMs: number, { random }: Pick<RetryInput, "random">): number =>
  Math.round(gapMs * (1 - JITTER + 2 * JITTER * random()));

const capAtExpiry = (dueMs: number, { nowMs, expiresAtMs }: RetryInput): number =>
  expiresAtMs > nowMs ? Math.min(dueMs, expiresAtMs) : dueMs;

/** Whether a recipient deferred at `nowMs` gets no further attempt. */
export function isExpired(nowMs: number, expiresAtMs: number): boolean {
  return nowMs >= expiresAtMs;
}

/** Returns the milliseconds of `30s`, `5m`, `2h` or `7d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ""];
  return count === undefined || unitMs === undefined ? null : Number(count) * unitMs;
}
