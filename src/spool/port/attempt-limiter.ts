/**
 * Limits how often a password or a code may be tried, for all processes that serve from the store together. Some failures are
 * free; each later one doubles the wait before the next attempt, up to a maximum. No counter is locked permanently. Which counters
 * an attempt has is decided in dashboard/auth/credentials.ts. Every method rejects with SpoolUnavailable as the spool's do (see
 * errors.ts).
 */

export interface AttemptPolicy {
  /** Failures without a wait; at least 1. */
  freeFailures: number;
  /** The first wait; each further failure doubles it up to `waitMaxMs`. */
  waitMs: number;
  waitMaxMs: number;
  /** A counter without a failure for this long starts anew. Must exceed `waitMaxMs`. */
  resetMs: number;
}

export interface CounterName {
  /** What is counted, such as `code of user`. Counters of one kind cannot displace those of another. */
  kind: string;
  /** Stored in plain text, so it should reveal nothing. */
  name: string;
}

export interface AttemptCounter extends CounterName {
  policy: AttemptPolicy;
}

/** The counters of one kind. Beyond this, the counters with the oldest last failure are removed some time later. */
export const COUNTERS_MAX = 10_000;

export interface AttemptLimiter {
  /**
   * Counts a failure at each counter and returns 0; while one of them must wait, counts none and returns the longest wait in
   * milliseconds. To be called before the check runs: concurrent attempts must not all pass the limit.
   */
  countFailure(counters: readonly AttemptCounter[]): Promise<number>;
  /** The longest wait of these counters in milliseconds; 0 when there may be an attempt now. */
  waitMs(counters: readonly AttemptCounter[]): Promise<number>;
  /** Removes one failure of each counter, that was counted before its check succeeded. */
  undoFailure(counters: readonly CounterName[]): Promise<void>;
  /** Removes all failures of each counter. */
  forget(counters: readonly CounterName[]): Promise<void>;
}
