/**
 * Paces large responses. Reading, rendering and serializing one blocks the event loop for a time proportional to its length.
 * An owner over its share of an iteration proceeds one response at a time, so twenty concurrent requests of one owner do not
 * delay the others.
 */
import { EventLoopShares } from "./event-loop-shares.ts";

/** The share of one owner in one iteration. */
const SHARE_MS = 5;
/** A lookup takes half of that, an HTML page nine tenths. */
const MS_PER_BYTE = 1 / 12_000;
/** The number of waiting requests of one owner, and of requests of all owners resumed in one iteration. */
const WAITING_MAX = 200;
const RESUMED_PER_ITERATION = 2;

export class ResponsePacer {
  readonly #shares = new EventLoopShares({ servedPerIteration: RESUMED_PER_ITERATION, ownerMax: WAITING_MAX });

  /** Resolves when a request of the owner may proceed, to false where too many are waiting. */
  ready(owner: string): Promise<boolean> | true {
    if (this.#shares.spentMs(owner) <= SHARE_MS) return true;
    return new Promise((resolve) => {
      if (!this.#shares.add(owner, () => resolve(true))) resolve(false);
    });
  }

  /** Charges the owner for a response of this length. */
  recordResponse(owner: string, sizeBytes: number): void {
    const ms = sizeBytes * MS_PER_BYTE;
    if (ms > 1) this.#shares.spend(owner, ms);
  }
}
