/**
 * Shares the posts that run at once between accounts: each has a limited number, and free slots go round-robin to the
 * accounts that wait.
 */
import { FairQueue } from "../lib/fair-queue.ts";

const TOTAL_MAX = 64;
const ACCOUNT_MAX = 16;

interface Waiting {
  accountId: string;
  start: () => void;
}

export class PostSlots {
  readonly #queue = new FairQueue<Waiting>({ ownerMax: Number.POSITIVE_INFINITY, totalMax: Number.POSITIVE_INFINITY });
  readonly #inUse = new Map<string, number>();
  #total = 0;

  /** Calls `start` as soon as the account may post, at once if it may now. The caller releases the slot. */
  request(accountId: string, start: () => void): void {
    this.#queue.add(accountId, { accountId, start });
    this.#serve();
  }

  release(accountId: string): void {
    const left = (this.#inUse.get(accountId) ?? 1) - 1;
    if (left === 0) this.#inUse.delete(accountId);
    else this.#inUse.set(accountId, left);
    this.#total -= 1;
    this.#serve();
  }

  #serve(): void {
    while (this.#total < TOTAL_MAX) {
      const next = this.#queue.next(({ accountId }) => (this.#inUse.get(accountId) ?? 0) < ACCOUNT_MAX);
      if (next === null) return;
      this.#total += 1;
      this.#inUse.set(next.accountId, (this.#inUse.get(next.accountId) ?? 0) + 1);
      next.start();
    }
  }
}
