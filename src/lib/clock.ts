/**
 * Time as an argument: the present moment and the only way to wait.
 * Code that decides by time takes a Clock, so that tests can drive it.
 *
 * What is stored or shown goes by the wall clock, which may be set forward or back at any moment. How long something has
 * taken, and until when something in memory holds, goes by the monotonic clock, which is never set.
 */
export interface Clock {
  /** The wall clock: milliseconds since the Unix epoch. */
  now(): number;
  /** The monotonic clock: milliseconds since an arbitrary moment, for differences. It may stand still while the host sleeps. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. Never keeps the process alive by itself. */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay that Node's timers take (2^31 - 1 ms); longer ones would fire at once. */
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

/** The longest sleep until a stored time: a timer does not run while the host sleeps, nor follow a clock that is set. */
export const SLEEP_MAX_MS = 60_000;

/** RFC 3339 UTC with milliseconds, the form of every time that leaves Postrider. */
export function rfc3339(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
