/** Counts events of the last minute, in slots of a second: memory and time do not grow with the rate. */
import type { Clock } from "./clock.ts";

const SLOTS = 60;
const SLOT_MS = 1000;

export class RecentCount {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #counts = new Uint32Array(SLOTS);
  /** The newest second that was counted. */
  #second: number;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#second = this.#now();
  }

  add(count: number): void {
    this.#advance();
    const slot = this.#second % SLOTS;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + count;
  }

  /** Of this second and the 59 before it. */
  total(): number {
    this.#advance();
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #now(): number {
    return Math.floor(this.#clock.monotonicMs() / SLOT_MS);
  }

  #advance(): void {
    const now = this.#now();
    if (now - this.#second >= SLOTS) this.#counts.fill(0);
    else for (let second = this.#second + 1; second <= now; second += 1) this.#counts[second % SLOTS] = 0;
    this.#second = Math.max(this.#second, now);
  }
}
