/** A Clock that stands still until a test moves it. Until the wall clock is set, both clocks show the same. */
import type { Clock } from "../../src/lib/clock.ts";

export interface FakeClock extends Clock {
  /** Sets the wall clock forward by `ms`, or back; no time passes. */
  step(ms: number): void;
  /** Moves time on by `ms`, running what falls due on the way in its order, each with time to have its effects. */
  advance(ms: number): Promise<void>;
  /** When the timers that are set fall due, earliest first, by the monotonic clock. */
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

const TURNS = 10;

/** Lets everything that only waits for promises run on. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
