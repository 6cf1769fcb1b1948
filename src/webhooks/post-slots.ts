/**
 * Shares the posts that run at once between accounts. An account may have as many as remain free: a single one gets a limited
 * number, more of them less each, and a newcomer always finds a free slot, however slow the others' endpoints are.
 */
import { FairQueue } from "../lib/fair-queue.ts";

const TOTAL_MAX = 64;
const ACCOUNT_MAX = 16;

interface Waiting {
  accountId: string;
  start: () => void;
}

export class PostSlots {
  readonly #queue = new FairQueue<Waiting>();
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
    for (;;) {
      const next = this.#queue.next(({ accountId }) => this.#mayHaveAnother(accountId));
      if (next === null) return;
      this.#total += 1;
      this.#inUse.set(next.accountId, (this.#inUse.get(next.accountId) ?? 0) + 1);
      next.start();
    }
  }

  #mayHaveAnother(accountId: string): boolean {
    const own = this.#inUse.get(accountId) ?? 0;
    return own < Math.min(ACCOUNT_MAX, TOTAL_MAX - this.#total);
  }
}
