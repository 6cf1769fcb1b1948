/**
 * Shares of each turn of the event loop. Owners spend time; whoever has spent too much waits in a queue, out of which a few
 * are served in every turn, the owners in turn. So however much one owner asks for at the same moment, a turn stays short, and
 * the others are served in it.
 */
import { FairQueue } from "./fair-queue.ts";

export interface EventLoopSharesOptions {
  /** Entries that are served in one turn out of the queue. */
  servedPerIteration: number;
  /** Entries of one owner that may wait. */
  ownerMax?: number;
}

export class EventLoopShares {
  readonly #served: number;
  readonly #queue: FairQueue<() => void>;
  /** Milliseconds of this turn, by name. */
  readonly #spentMs = new Map<string, number>();
  #isTurnSet = false;

  constructor({ servedPerIteration: served, ownerMax = Number.POSITIVE_INFINITY }: EventLoopSharesOptions) {
    this.#served = served;
    this.#queue = new FairQueue({ ownerMax, totalMax: Number.POSITIVE_INFINITY });
  }

  /** What was spent under this name in the present turn. */
  spentMs(name: string): number {
    return this.#spentMs.get(name) ?? 0;
  }

  spend(name: string, ms: number): void {
    this.#spentMs.set(name, this.spentMs(name) + ms);
    this.#setTurn();
  }

  /** Calls `serve` in a later turn; false where too many of this owner wait. */
  add(owner: string, serve: () => void): boolean {
    const refused = this.#queue.add(owner, serve);
    this.#setTurn();
    return refused === null;
  }

  #setTurn(): void {
    if (this.#isTurnSet) return;
    this.#isTurnSet = true;
    setImmediate(() => {
      this.#isTurnSet = false;
      this.#spentMs.clear();
      for (let i = 0; i < this.#served; i += 1) this.#queue.next()?.();
      if (!this.#queue.isEmpty) this.#setTurn();
    });
  }
}
