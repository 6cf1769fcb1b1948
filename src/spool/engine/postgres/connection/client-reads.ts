/**
 * The order of the reads that clients of the API ask for most: events and messages. The pool serves its callers in the order of
 * their arrival, and sends, claims and settlements are among them: without this queue, one account's flood of reads would delay
 * those of all accounts.
 */
import { FairQueue } from "../../../../lib/fair-queue.ts";

/** Reads at one time: half of the pool's connections remain for everything else. */
const READS_AT_ONCE = 3;

/** Reads of one account at one time: another one's never waits for the slowest of these. */
const OWN_READS_AT_ONCE = 2;

interface Turn {
  owner: string;
  begin: () => void;
}

export class ClientReads {
  readonly #waiting = new FairQueue<Turn>();
  /** How many reads of each owner run. */
  readonly #running = new Map<string, number>();
  #runningCount = 0;

  /** Runs `read` in its owner's turn; owners are served round-robin. Resolves and rejects as it does. */
  async run<T>(owner: string, read: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.add(owner, { owner, begin });
      this.#next();
    });
    try {
      return await read();
    } finally {
      this.#count(owner, -1);
      this.#next();
    }
  }

  #next(): void {
    if (this.#runningCount === READS_AT_ONCE) return;
    const turn = this.#waiting.next(({ owner }) => this.#of(owner) < OWN_READS_AT_ONCE);
    if (turn === null) return;
    this.#count(turn.owner, 1);
    turn.begin();
  }

  #of(owner: string): number {
    return this.#running.get(owner) ?? 0;
  }

  #count(owner: string, change: 1 | -1): void {
    this.#runningCount += change;
    const count = this.#of(owner) + change;
    if (count === 0) this.#running.delete(owner);
    else this.#running.set(owner, count);
  }
}
