/**
 * Turns for the work of checking and hashing passwords, which takes a core and 64 MiB each time: little of it at once,
 * and a bounded line, in which names are served in turn. Those whom we know stand in a line of their own, so that a flood of
 * strangers does not keep them out; a full line of strangers lets a newcomer in for the last of whoever has most in it.
 */
import { FairQueue } from "../../lib/fair-queue.ts";

export type Line = "known" | "strangers";

interface Waiting {
  /** Whether it is its turn; false where another has taken its place. */
  begin: (isTurn: boolean) => void;
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
  readonly #lines: Record<Line, FairQueue<Waiting>>;
  #lastServed: Line = "strangers";

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    const line = { ownerMax: limits.waitingOfOneMax, totalMax: limits.waitingMax };
    this.#lines = { known: new FairQueue(line), strangers: new FairQueue(line) };
  }

  /** Runs the work when it is its turn; null when too many wait already. */
  async take<T>({ line, name }: { line: Line; name: string }, work: () => Promise<T>): Promise<T | null> {
    if (this.#running < this.#limits.atOnce) {
      this.#running += 1;
    } else {
      // Whoever ends hands its place on: the count of running stays as it is.
      const isTurn = await new Promise<boolean>((begin) => {
        this.#lines[line].add(name, { begin })?.begin(false);
      });
      if (!isTurn) return null;
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
    const line = this.#lines[other].isEmpty ? this.#lastServed : other;
    const next = this.#lines[line].next();
    if (next === null) {
      this.#running -= 1;
      return;
    }
    this.#lastServed = line;
    next.begin(true);
  }
}
