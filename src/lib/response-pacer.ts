/**
 * The pace of large responses: reading, rendering and serialising one takes the event loop some milliseconds, in proportion to
 * its length. One account's responses go beyond a share of each turn only one at a time, so that twenty of them asked for at
 * once do not hold up everybody else.
 */
import { EventLoopShares } from "./event-loop-shares.ts";

/** Of one turn, for one account. */
const SHARE_MS = 5;
/** A lookup takes half of that, a page of the dashboard nine tenths. */
const MS_PER_BYTE = 1 / 12_000;
/** Requests of one account that may wait, and of all accounts that go on in one turn. */
const WAITING_MAX = 200;
const SERVED = 2;

export class ResponsePacer {
  readonly #shares = new EventLoopShares({ servedPerIteration: SERVED, ownerMax: WAITING_MAX });

  /** Resolves when a request of the account may go on: `false` where too many wait. */
  ready(accountId: string): Promise<boolean> | true {
    if (this.#shares.spentMs(accountId) <= SHARE_MS) return true;
    return new Promise((resolve) => {
      if (!this.#shares.add(accountId, () => resolve(true))) resolve(false);
    });
  }

  /** Notes the length of a response. */
  recordResponse(accountId: string, sizeBytes: number): void {
    if (sizeBytes * MS_PER_BYTE > 1) this.#shares.spend(accountId, sizeBytes * MS_PER_BYTE);
  }
}
