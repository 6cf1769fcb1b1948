/**
 * When the repeated work of an open spool runs: a turn every second, in which each piece of work waits for the one before it, and
 * once a minute what changes slowly. What is done is decided in runtime.ts. What an outage prevents, the next turn does.
 */
import type { Clock } from "../../../../lib/clock.ts";
import type { TolerateOutage } from "../connection/outage-tolerance.ts";

const TURN_EVERY_MS = 1000;
const SLOW_EVERY_MS = 60_000;

export interface PeriodicWorkParts {
  clock: Pick<Clock, "after" | "monotonicMs">;
  tolerateOutage: TolerateOutage;
  everySecond: readonly (() => Promise<unknown>)[];
  /** Runs in the first turn, too. */
  everyMinute: () => Promise<unknown>;
}

export class PeriodicWork {
  readonly #parts: PeriodicWorkParts;
  /** By the monotonic clock. */
  #nextSlowMs = 0;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(parts: PeriodicWorkParts) {
    this.#parts = parts;
  }

  /** The first turn is after a second. */
  start(): void {
    this.#cancel = this.#parts.clock.after(TURN_EVERY_MS, () => void this.#turn());
  }

  /** Begins no other turn. One under way goes on. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #turn(): Promise<void> {
    const { clock, tolerateOutage, everySecond, everyMinute } = this.#parts;
    for (const run of everySecond) await tolerateOutage(run);
    const nowMs = clock.monotonicMs();
    if (nowMs >= this.#nextSlowMs) {
      this.#nextSlowMs = nowMs + SLOW_EVERY_MS;
      await tolerateOutage(everyMinute);
    }
    if (!this.#isStopped) this.start();
  }
}
