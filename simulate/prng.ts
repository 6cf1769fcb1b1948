/** The only source of randomness in a run. The same seed gives the same numbers in the same order on every machine. */

export class Prng {
  #state: number;

  constructor(seed: number) {
    // Adjacent seeds must not start with similar numbers.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** Returns a uniform number in [0, 1), by mulberry32. */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns an integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Returns a log-uniform number between the two; `min` must be above 0. */
  logUniform([min, max]: readonly [number, number]): number {
    return min * (max / min) ** this.next();
  }

  pick<const T>(things: readonly [T, ...T[]]): T {
    return things[Math.floor(this.next() * things.length)] as T;
  }
}
