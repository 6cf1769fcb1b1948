/**
 * Decides whose bytes are parsed when: shares each turn of the event loop between connections, and bounds the bytes that wait.
 * Connections without a valid key share one small part, since nothing distinguishes an attacker from a new client; each
 * account has a separate part.
 */

import { EventLoopShares } from "../../lib/event-loop-shares.ts";
import { MIB } from "../../lib/units.ts";

/** Parsing time in one turn of the event loop: of all connections without a valid key, and of those of one account. */
const UNKNOWN_MS = 5;
const ACCOUNT_MS = 20;
/** Queued connections that are served in one turn, each for at least one slice. */
const SERVED = 8;

/** Waiting bytes. Beyond the first limit a connection without a key and with more than a short request is closed; beyond the second, any. */
const HELD_BYTES = 8 * MIB;
const HELD_BYTES_MAX = 32 * MIB;
const SHORT_BYTES = 16 * 1024;

/** The feed of one connection. */
export interface Scheduled {
  /** An account or an address. */
  readonly owner: string;
  readonly isKnown: boolean;
  serve(): void;
}

const UNKNOWN = "";

export class FeedScheduler {
  heldBytes = 0;
  readonly #shares = new EventLoopShares({ servedPerIteration: SERVED });

  /** Whether a feed must wait for a later turn. */
  isSpent({ isKnown, owner }: Scheduled): boolean {
    return isKnown ? this.#shares.spentMs(owner) > ACCOUNT_MS : this.#shares.spentMs(UNKNOWN) > UNKNOWN_MS;
  }

  spend({ isKnown, owner }: Scheduled, ms: number): void {
    this.#shares.spend(isKnown ? owner : UNKNOWN, ms);
  }

  /** Serves the feed in a later turn. */
  add(feed: Scheduled): void {
    this.#shares.add(feed.owner, () => feed.serve());
  }

  /** Whether to close a connection instead of holding these bytes, which `heldBytes` includes. */
  holdsTooMuch({ isKnown }: Scheduled, sizeBytes: number): boolean {
    if (this.heldBytes <= HELD_BYTES) return false;
    return this.heldBytes > HELD_BYTES_MAX || (!isKnown && sizeBytes > SHORT_BYTES);
  }
}
