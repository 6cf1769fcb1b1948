/**
 * Time and timers as an argument. Code that depends on time takes a Clock, which tests control.
 *
 * Stored and displayed times use the wall clock, which may be set forward or back at any moment. Durations and deadlines in
 * memory use the monotonic clock, which is never set.
 */
export interface Clock {
  /** The wall clock: milliseconds since the Unix epoch. */
  now(): number;
  /** The monotonic clock: milliseconds since an arbitrary origin. It may stop while the host is suspended. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. A pending timer does not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay of Node's timers (2^31 - 1 ms); longer ones would fire at once. */
const TIMER_MAX_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), TIMER_MAX_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The longest sleep until a stored time: timers stop while the host is suspended, and do not follow a clock that is set. */
export const SLEEP_MAX_MS = 60_000;

/** Formats a time as RFC 3339 UTC with milliseconds. */
export function rfc3339(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
