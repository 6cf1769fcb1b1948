/** How long failed attempts make the next one wait; see port/attempt-limiter.ts. */
import type { AttemptPolicy } from "../port/attempt-limiter.ts";

/** The failures of a counter. */
export interface Failures {
  count: number;
  /** Since the last one. Negative after the clock was set back. */
  ageMs: number;
}

/** The failures that count: none after `resetMs` without one. */
export function failuresIn({ resetMs }: AttemptPolicy, { count, ageMs }: Failures): number {
  return ageMs > resetMs ? 0 : count;
}

/** Milliseconds until the next attempt; 0 when it may be made now. */
export function attemptWaitMs(policy: AttemptPolicy, failures: Failures): number {
  const { freeFailures, waitMs, waitMaxMs } = policy;
  const count = failuresIn(policy, failures);
  if (count < freeFailures) return 0;
  const fullWaitMs = Math.min(waitMs * 2 ** (count - freeFailures), waitMaxMs);
  // A clock that was set back must not lengthen the wait.
  return Math.min(fullWaitMs, Math.max(0, fullWaitMs - failures.ageMs));
}
