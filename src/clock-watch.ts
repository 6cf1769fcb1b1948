/**
 * Notices that the wall clock was set, by comparing it with the monotonic clock now and then, and says so once in the log. A
 * host that slept looks the same as a clock that was set forward. What follows from a step is the listener's to decide.
 */
import type { Clock } from "./clock.ts";
import type { Logger } from "./log.ts";

const LOOK_MS = 10_000;
/** NTP clients correct less than this by making the clock faster or slower. */
const STEP_MIN_MS = 5000;

export interface ClockWatch {
  clock: Clock;
  log: Logger;
  /** `stepMs` is how far the wall clock was set forward, or back where it is negative. */
  onStep: (stepMs: number) => void;
}

/** Watches until the returned function is called. */
export function watchClock({ clock, log, onStep }: ClockWatch): () => void {
  const distanceMs = (): number => clock.now() - clock.monotonicMs();
  let knownMs = distanceMs();
  let cancel = (): void => {};
  const look = (): void => {
    const stepMs = Math.round(distanceMs() - knownMs);
    // Small steps add up.
    if (Math.abs(stepMs) >= STEP_MIN_MS) {
      knownMs += stepMs;
      const message = stepMs < 0 ? "the clock was set back" : "the clock was set forward, or the host slept";
      log.warn({ bySeconds: Math.round(Math.abs(stepMs) / 1000) }, message);
      onStep(stepMs);
    }
    cancel = clock.after(LOOK_MS, look);
  };
  cancel = clock.after(LOOK_MS, look);
  return () => cancel();
}
