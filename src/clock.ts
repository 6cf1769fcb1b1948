/**
 * Time as an argument: the present moment and the only way to wait.
 * Code that decides by time takes a Clock, so that tests can drive it.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. Never keeps the process alive by itself. */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest delay that Node's timers take (2^31 - 1 ms); longer ones would fire at once. */
const TIMER_MAX_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), TIMER_MAX_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** RFC 3339 UTC with milliseconds, the form of every time that leaves Postrider. */
export function rfc3339(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
