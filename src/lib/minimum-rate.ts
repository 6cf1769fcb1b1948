/**
 * The minimum average rate of a transfer that holds memory: a client that sends just enough to count as active must not hold
 * it for long. Uses one timer, set for the moment at which the bytes received so far no longer suffice.
 */
import type { Clock } from "./clock.ts";

export interface MinimumRate {
  clock: Clock;
  /** The time that is not counted. */
  graceMs: number;
  bytesPerS: number;
}

/** Calls `tooSlow` once the transfer falls below the rate. Returns how to stop watching. */
export function watchRate(
  { clock, graceMs, bytesPerS }: MinimumRate,
  receivedBytes: () => number,
  tooSlow: () => void,
): () => void {
  const startMs = clock.monotonicMs();
  let cancel = (): void => {};
  const check = (): void => {
    const dueMs = startMs + graceMs + (receivedBytes() / bytesPerS) * 1000;
    const leftMs = Math.ceil(dueMs - clock.monotonicMs());
    if (leftMs <= 0) tooSlow();
    else cancel = clock.after(leftMs, check);
  };
  check();
  return () => cancel();
}
