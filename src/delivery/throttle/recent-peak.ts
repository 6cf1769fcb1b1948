/** The greatest value of a level within about the last second, so that a short gap is not taken for the end of a need. */

/** The peak covers the period under way and the one before. */
const PERIOD_MS = 500;

export class RecentPeak {
  #level = 0;
  #current = 0;
  #previous = 0;
  #sinceMs: number;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  set(level: number, nowMs: number): void {
    this.#turn(nowMs);
    this.#level = level;
    this.#current = Math.max(this.#current, level);
  }

  at(nowMs: number): number {
    this.#turn(nowMs);
    return Math.max(this.#previous, this.#current);
  }

  #turn(nowMs: number): void {
    const periods = Math.floor((nowMs - this.#sinceMs) / PERIOD_MS);
    if (periods < 1) return;
    this.#previous = periods === 1 ? this.#current : this.#level;
    this.#current = this.#level;
    this.#sinceMs += periods * PERIOD_MS;
  }
}
