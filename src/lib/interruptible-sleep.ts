/** A sleep that can be interrupted. */
import type { Clock } from "./clock.ts";

/** One sleep at a time. An interrupt before a sleep makes the next one return at once. */
export class InterruptibleSleep {
  readonly #clock: Clock;
  #interrupted = false;
  #wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async for(delayMs: number): Promise<void> {
    if (!this.#interrupted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const cancel = this.#clock.after(delayMs, () => this.#wake?.());
      await woken;
      cancel();
    }
    this.#wake = null;
    this.#interrupted = false;
  }

  interrupt(): void {
    this.#interrupted = true;
    this.#wake?.();
  }
}
