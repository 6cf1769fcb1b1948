/**
 * Divides each iteration of the event loop between owners. Owners are charged for the time they use; those over their share
 * wait in a queue that serves a few entries in each iteration, round-robin. However many requests one owner makes at once,
 * iterations stay short and the other owners are served in them.
 */
import { FairQueue } from "./fair-queue.ts";

export interface EventLoopSharesOptions {
  /** The number of queued entries served in one iteration. */
  servedPerIteration: number;
  /** The number of entries of one owner that may wait. */
  ownerMax?: number;
}

export class EventLoopShares {
  readonly #servedPerIteration: number;
  readonly #queue: FairQueue<() => void>;
  /** The milliseconds spent in this iteration, by owner. */
  readonly #spentMs = new Map<string, number>();
  #isScheduled = false;

  constructor({ servedPerIteration, ownerMax = Number.POSITIVE_INFINITY }: EventLoopSharesOptions) {
    this.#servedPerIteration = servedPerIteration;
    this.#queue = new FairQueue({ ownerMax });
  }

  /** The time that the owner has spent in the current iteration. */
  spentMs(owner: string): number {
    return this.#spentMs.get(owner) ?? 0;
  }

  spend(owner: string, ms: number): void {
    this.#spentMs.set(owner, this.spentMs(owner) + ms);
    this.#schedule();
  }

  /** Calls `serve` in a later iteration; false where too many entries of this owner wait. */
  add(owner: string, serve: () => void): boolean {
    const rejected = this.#queue.add(owner, serve);
    this.#schedule();
    return rejected === null;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spentMs.clear();
      for (let i = 0; i < this.#servedPerIteration; i += 1) this.#queue.next()?.();
      if (!this.#queue.isEmpty) this.#schedule();
    });
  }
}
