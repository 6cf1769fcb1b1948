/** A Clock that only a test advances. Both clocks show the same time until the wall clock is set. */
import type { Clock } from "../../src/lib/clock.ts";

export interface FakeClock extends Clock {
  /** Sets the wall clock forward or back by `ms`, without advancing time. */
  step(ms: number): void;
  /** Advances time by `ms` and runs due timers in order, waiting after each for its effects. */
  advance(ms: number): Promise<void>;
  /** The due times of the set timers by the monotonic clock, earliest first. */
  readonly dueMs: number[];
}

export function fakeClock(startMs = 1_000_000): FakeClock {
  let nowMs = startMs;
  let skewMs = 0;
  const timers = new Set<{ atMs: number; run: () => void }>();
  const first = () => [...timers].sort((a, b) => a.atMs - b.atMs)[0];
  return {
    now: () => nowMs + skewMs,
    monotonicMs: () => nowMs,
    step(ms) {
      skewMs += ms;
    },
    after(delayMs, run) {
      const timer = { atMs: nowMs + Math.max(delayMs, 0), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await quiet();
      for (let next = first(); next !== undefined && next.atMs <= untilMs; next = first()) {
        timers.delete(next);
        nowMs = next.atMs;
        next.run();
        await quiet();
      }
      nowMs = untilMs;
    },
    get dueMs() {
      return [...timers].map((timer) => timer.atMs).sort((a, b) => a - b);
    },
  };
}

const ITERATIONS = 10;

/** Waits until pending promises have settled. */
export async function quiet(): Promise<void> {
  for (let i = 0; i < ITERATIONS; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
