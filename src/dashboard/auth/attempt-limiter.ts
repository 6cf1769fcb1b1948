/**
 * Limits how often a password or a code may be tried. Some failures are free; each later one doubles the wait before the
 * next attempt, up to a maximum. No key is locked for good. Which key a failure counts for is decided by credentials.ts.
 * State is bounded and in memory only.
 */

export interface AttemptPolicy {
  /** Failures without a wait. */
  freeFailures: number;
  /** The first wait; each further failure doubles it up to `waitMaxMs`. */
  waitMs: number;
  waitMaxMs: number;
  /** A key without a failure for this long starts anew. Must exceed `waitMaxMs`. */
  resetMs: number;
}

interface Failures {
  count: number;
  lastMs: number;
}

const KEYS_MAX = 10_000;

export class AttemptLimiter {
  #policy: AttemptPolicy;
  #failures = new Map<string, Failures>();

  constructor(policy: AttemptPolicy) {
    this.#policy = policy;
  }

  /** Milliseconds until `key` may be tried again; 0 when it may be tried now. */
  waitMs(key: string, nowMs: number): number {
    const { freeFailures, waitMs, waitMaxMs } = this.#policy;
    const failures = this.#recent(key, nowMs);
    if (failures === null || failures.count < freeFailures) return 0;
    const fullWaitMs = Math.min(waitMs * 2 ** (failures.count - freeFailures), waitMaxMs);
    // A clock that was set back must not lengthen the wait.
    return Math.min(fullWaitMs, Math.max(0, failures.lastMs + fullWaitMs - nowMs));
  }

  /** Counts a failure. Call it before the check runs: concurrent attempts must not all pass the limit. */
  recordFailure(key: string, nowMs: number): void {
    const count = (this.#recent(key, nowMs)?.count ?? 0) + 1;
    this.#failures.delete(key);
    this.#failures.set(key, { count, lastMs: nowMs });
    // Evict the key whose last failure is the oldest.
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > KEYS_MAX && oldest !== undefined) this.#failures.delete(oldest);
  }

  /** Removes one failure that was counted before its check succeeded. */
  undoFailure(key: string): void {
    const failures = this.#failures.get(key);
    if (failures === undefined) return;
    failures.count -= 1;
    if (failures.count <= 0) this.#failures.delete(key);
  }

  reset(key: string): void {
    this.#failures.delete(key);
  }

  #recent(key: string, nowMs: number): Failures | null {
    const failures = this.#failures.get(key);
    return failures === undefined || nowMs - failures.lastMs > this.#policy.resetMs ? null : failures;
  }
}
