/**
 * Notices that the wall clock was set, by comparing it with the monotonic clock now and then, and says so once in the log. A
 * host that slept looks the same as a clock that was set forward. What follows from a step is the listener's to decide.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";

const LOOK_MS = 10_000;
/** NTP clients correct less than this by making the clock faster or slower. */
const STEP_MIN_MS = 5000;

export interface ClockWatchParts {
  clock: Clock;
  log: Logger;
  /** The clock is taken to have been set forward just before the start. */
  isAheadAtStart?: boolean;
  /** `stepMs` is how far the wall clock was set forward, or back where it is negative. */
  onStep: (stepMs: number) => void;
}

export class ClockWatch {
  readonly #parts: ClockWatchParts;
  /** How far the wall clock was ahead of the monotonic clock, and stayed since but for small steps. */
  #distanceMs: number;
  /** By the monotonic clock. */
  #setForwardAtMs = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => {};

  /** Looks until it is stopped. */
  constructor(parts: ClockWatchParts) {
    this.#parts = parts;
    this.#distanceMs = parts.clock.now() - parts.clock.monotonicMs();
    if (parts.isAheadAtStart === true) this.#setForwardAtMs = parts.clock.monotonicMs();
    this.#lookLater();
  }

  /** Whether the clock was set forward lately: it may have been wrong to do so, and be set back again soon. */
  wasSetForwardWithin(spanMs: number): boolean {
    this.#look();
    return this.#parts.clock.monotonicMs() - this.#setForwardAtMs < spanMs;
  }

  stop(): void {
    this.#cancel();
  }

  #lookLater(): void {
    this.#cancel = this.#parts.clock.after(LOOK_MS, () => {
      this.#look();
      this.#lookLater();
    });
  }

  #look(): void {
    const { clock, log, onStep } = this.#parts;
    const stepMs = Math.round(clock.now() - clock.monotonicMs() - this.#distanceMs);
    // Small steps add up.
    if (Math.abs(stepMs) < STEP_MIN_MS) return;
    this.#distanceMs += stepMs;
    if (stepMs > 0) this.#setForwardAtMs = clock.monotonicMs();
    const message = stepMs < 0 ? "the clock was set back" : "the clock was set forward, or the host slept";
    log.warn({ bySeconds: Math.round(Math.abs(stepMs) / 1000) }, message);
    onStep(stepMs);
  }
}
