/**
 * Detects steps of the wall clock by comparing it regularly with the monotonic clock, and logs each step once. A host that slept
 * looks the same as a clock that was set forward. The listener decides what follows from a step.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";

const CHECK_INTERVAL_MS = 10_000;
/** NTP clients correct smaller offsets by slewing the clock. */
const STEP_MIN_MS = 5000;

export interface ClockWatchParts {
  clock: Clock;
  log: Logger;
  /** Treats the clock as set forward just before the start. */
  isAheadAtStart?: boolean;
  /** `stepMs`: how far the wall clock was set forward; negative if it was set back. */
  onStep: (stepMs: number) => void;
}

export class ClockWatch {
  readonly #parts: ClockWatchParts;
  /** How far the wall clock was ahead of the monotonic clock at the start or at the last step. */
  #offsetMs: number;
  /** By the monotonic clock. */
  #setForwardAtMs = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => {};

  /** Checks regularly until it is stopped. */
  constructor(parts: ClockWatchParts) {
    this.#parts = parts;
    this.#offsetMs = parts.clock.now() - parts.clock.monotonicMs();
    if (parts.isAheadAtStart === true) this.#setForwardAtMs = parts.clock.monotonicMs();
    this.#checkLater();
  }

  /** Whether the clock was set forward recently. That may have been a mistake which will be corrected soon. */
  wasSetForwardWithin(spanMs: number): boolean {
    this.#check();
    return this.#parts.clock.monotonicMs() - this.#setForwardAtMs < spanMs;
  }

  stop(): void {
    this.#cancel();
  }

  #checkLater(): void {
    this.#cancel = this.#parts.clock.after(CHECK_INTERVAL_MS, () => {
      this.#check();
      this.#checkLater();
    });
  }

  #check(): void {
    const { clock, log, onStep } = this.#parts;
    const stepMs = Math.round(clock.now() - clock.monotonicMs() - this.#offsetMs);
    // The offset stays, so small steps add up.
    if (Math.abs(stepMs) < STEP_MIN_MS) return;
    this.#offsetMs += stepMs;
    if (stepMs > 0) this.#setForwardAtMs = clock.monotonicMs();
    const message = stepMs < 0 ? "the clock was set back" : "the clock was set forward, or the host slept";
    log.warn({ bySeconds: Math.round(Math.abs(stepMs) / 1000) }, message);
    onStep(stepMs);
  }
}
