/**
 * Whose bytes are parsed when: shares the time of each turn of the event loop between connections, and bounds the bytes that
 * wait for their turn. Connections that have not shown a valid key share one small part of it, since nothing else tells an
 * attacker's from a newcomer's; each account has a part of its own.
 */
import { EventLoopShares } from "../../lib/event-loop-shares.ts";

/** Of one turn of the event loop: for all connections that have not shown a valid key, and for those of one account. */
const UNKNOWN_MS = 5;
const ACCOUNT_MS = 20;
/** Connections that are served in one turn out of the queue, each for a slice at least. */
const SERVED = 8;

/** Bytes that wait for their turn: beyond the first a connection with more than a short request is cut, beyond the second each. */
const HELD_BYTES = 8 * 1024 * 1024;
const HELD_BYTES_MAX = 32 * 1024 * 1024;
const SHORT_BYTES = 16 * 1024;

/** A connection's feed, as the scheduler sees it. */
export interface Scheduled {
  /** An account, or an address. */
  readonly owner: string;
  readonly isKnown: boolean;
  serve(): void;
}

const UNKNOWN = "";

export class FeedScheduler {
  heldBytes = 0;
  readonly #shares = new EventLoopShares({ servedPerIteration: SERVED });

  /** Whether a feed has to wait for a later turn. */
  isSpent({ isKnown, owner }: Scheduled): boolean {
    return isKnown ? this.#shares.spentMs(owner) > ACCOUNT_MS : this.#shares.spentMs(UNKNOWN) > UNKNOWN_MS;
  }

  spend({ isKnown, owner }: Scheduled, ms: number): void {
    this.#shares.spend(isKnown ? owner : UNKNOWN, ms);
  }

  /** Has the feed served in a later turn. */
  add(feed: Scheduled): void {
    this.#shares.add(feed.owner, () => feed.serve());
  }

  /** Whether a connection should be cut rather than hold these bytes, which are counted in `heldBytes` already. */
  holdsTooMuch({ isKnown }: Scheduled, sizeBytes: number): boolean {
    if (this.heldBytes <= HELD_BYTES) return false;
    return this.heldBytes > HELD_BYTES_MAX || (!isKnown && sizeBytes > SHORT_BYTES);
  }
}
