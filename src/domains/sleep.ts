/**
 * A wait that can be ended early.
 */
import type { Clock } from "../lib/clock.ts";

/** One wait at a time. Ending it before it begins makes the next one return at once. */
export class Sleep {
  readonly #clock: Clock;
  #ended = false;
  #finish: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async for(delayMs: number): Promise<void> {
    if (!this.#ended) {
      const over = new Promise<void>((resolve) => {
        this.#finish = resolve;
      });
      const cancel = this.#clock.after(delayMs, () => this.#finish?.());
      await over;
      cancel();
    }
    this.#finish = null;
    this.#ended = false;
  }

  end(): void {
    this.#ended = true;
    this.#finish?.();
  }
}
