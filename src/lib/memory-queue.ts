/**
 * Decides when a message that announces its length may be read: memory for all of it is reserved first, and requests wait
 * their turn for it, accounts fairly. A connection that waits is not read, so TCP makes its client wait too.
 *
 * An account that has used its share waits only for its own requests and delays no other. Where the total is exhausted, the
 * next request in turn waits for its memory and no smaller one overtakes it, so that a large one is served at last.
 */
import type { Clock } from "./clock.ts";
import { FairQueue, type FairQueueLimits } from "./fair-queue.ts";
import { type ReserveResult, SharedBudget } from "./shared-budget.ts";

export interface MemoryQueueOptions {
  /** The total, and the fraction of it that one account may reserve. */
  bytes: number;
  share: number;
  waiting: FairQueueLimits;
  /** How long a request may wait. */
  waitMs: number;
  clock: Clock;
}

/**
 * Why there is no memory: the total is exhausted, or the account's share is; the client has closed its connection; the service
 * stops.
 */
export type RefusalReason = "full" | "share_full" | "gone" | "stopping";

export class MemoryRefused extends Error {
  override name = "MemoryRefused";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(`no memory for a message: ${reason}`);
    this.reason = reason;
  }
}

interface Waiting {
  accountId: string;
  sizeBytes: number;
  admit: () => void;
  reject: (reason: RefusalReason) => void;
}

export class MemoryQueue {
  readonly #budget: SharedBudget;
  readonly #totalBytes: number;
  readonly #shareBytes: number;
  readonly #queue: FairQueue<Waiting>;
  readonly #waitMs: number;
  readonly #clock: Clock;
  #isCleared = false;

  constructor({ bytes, share, waiting, waitMs, clock }: MemoryQueueOptions) {
    this.#budget = new SharedBudget({ max: bytes, share });
    this.#totalBytes = bytes;
    this.#shareBytes = bytes * share;
    this.#queue = new FairQueue(waiting);
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /** Reserves memory at once or not at all, for requests whose length is unknown. */
  reserve(accountId: string, sizeBytes: number): ReserveResult {
    return this.#budget.reserve(accountId, sizeBytes);
  }

  /**
   * Waits for memory. Resolves with the bytes to release later: a request that needs more than an account's share is charged
   * the share, so it runs when no other of its account does. Rejects with MemoryRefused at the limits, after `waitMs`, and
   * when `gone` aborts.
   */
  wait(accountId: string, neededBytes: number, gone: AbortSignal): Promise<number> {
    const sizeBytes = Math.min(neededBytes, this.#shareBytes);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#queue.remove(accountId, entry);
        cancel();
        gone.removeEventListener("abort", leave);
        act();
      };
      const entry: Waiting = {
        accountId,
        sizeBytes,
        admit: () => settle(() => resolve(sizeBytes)),
        reject: (reason) => settle(() => reject(new MemoryRefused(reason))),
      };
      const leave = (): void => {
        entry.reject("gone");
        this.#serve();
      };
      const cancel = this.#clock.after(this.#waitMs, () => {
        entry.reject(this.#limitOf(entry) ?? "full");
        this.#serve();
      });
      gone.addEventListener("abort", leave);
      if (gone.aborted) leave();
      else if (this.#isCleared) entry.reject("stopping");
      else this.#add(entry);
    });
  }

  release(accountId: string, sizeBytes: number): void {
    this.#budget.release(accountId, sizeBytes);
    this.#serve();
  }

  /** Rejects all that wait or will wait, because the service stops. */
  clear(): void {
    this.#isCleared = true;
    for (const waiting of this.#queue.clear()) waiting.reject("stopping");
  }

  #add(entry: Waiting): void {
    const rejected = this.#queue.add(entry.accountId, entry);
    rejected?.reject(rejected === entry ? (this.#limitOf(entry) ?? "full") : "full");
    this.#serve();
  }

  /** Admits those whose turn it is while there is memory for them. */
  #serve(): void {
    for (;;) {
      let isFull = false;
      const next = this.#queue.next((entry) => {
        const limit = isFull ? "full" : this.#limitOf(entry);
        isFull = limit === "full";
        return limit === null;
      });
      if (next === null) return;
      this.#budget.reserve(next.accountId, next.sizeBytes);
      next.admit();
    }
  }

  /** The limit that a request waits for. The account's own comes first: one that has used its share holds up no other. */
  #limitOf({ accountId, sizeBytes }: Waiting): "share_full" | "full" | null {
    if (this.#budget.reservedBy(accountId) + sizeBytes > this.#shareBytes) return "share_full";
    return this.#budget.reserved + sizeBytes > this.#totalBytes ? "full" : null;
  }
}
