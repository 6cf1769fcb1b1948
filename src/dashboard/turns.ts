/**
 * Turns for the work of checking and hashing passwords, which takes a core and 64 MiB each time: little of it at once,
 * and a bounded line. Those whom we know stand in a line of their own, so that a flood of strangers does not keep them
 * out.
 */

export type Line = "known" | "strangers";

interface Waiting {
  name: string;
  begin: () => void;
}

export interface TurnLimits {
  atOnce: number;
  /** In each line. */
  waitingMax: number;
  /** Of one name, in its line. */
  waitingOfOneMax: number;
}

export class Turns {
  #limits: TurnLimits;
  #running = 0;
  #lines: Record<Line, Waiting[]> = { known: [], strangers: [] };
  #lastServed: Line = "strangers";

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Runs the work when it is its turn; null when too many wait already. */
  async take<T>({ line, name }: { line: Line; name: string }, work: () => Promise<T>): Promise<T | null> {
    const { atOnce, waitingMax, waitingOfOneMax } = this.#limits;
    if (this.#running < atOnce) {
      this.#running += 1;
    } else {
      const waiting = this.#lines[line];
      const ofThisOne = waiting.filter((each) => each.name === name).length;
      if (waiting.length >= waitingMax || ofThisOne >= waitingOfOneMax) return null;
      // Whoever ends hands its place on: the count of running stays as it is.
      await new Promise<void>((begin) => waiting.push({ name, begin }));
    }
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** The lines take turns. */
  #next(): void {
    const other: Line = this.#lastServed === "known" ? "strangers" : "known";
    const line = this.#lines[other].length > 0 ? other : this.#lastServed;
    const next = this.#lines[line].shift();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#lastServed = line;
    next.begin();
  }
}
