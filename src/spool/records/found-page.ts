/** Collects the page of a search, and decides where it ends. */
import type { FoundMessage, FoundMessages, NewerMessages } from "../port/reports.ts";

/** The size of a page's messages in JSON. A page has at least one message. */
export const PAGE_BYTES_MAX = 512 * 1024;

/** Where a search ended early: the last message searched. */
export interface SearchEnd {
  id: string;
  atMs: number;
}

export class FoundPage {
  readonly #bytesMax: number;
  readonly #messages: FoundMessage[] = [];
  #sizeBytes = 0;
  #isFull = false;

  constructor(bytesMax = PAGE_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Adds the next message in the order of the search. Returns false if the page is full. */
  add(message: FoundMessage): boolean {
    this.#sizeBytes += Buffer.byteLength(JSON.stringify(message));
    this.#isFull = this.#messages.length > 0 && this.#sizeBytes > this.#bytesMax;
    if (!this.#isFull) this.#messages.push(message);
    return !this.#isFull;
  }

  /** `isMore`: more messages were found than were added. `endedEarlyAt`: null if the search was not ended early. */
  end(isMore: boolean, endedEarlyAt: SearchEnd | null): FoundMessages {
    const messages = this.#messages;
    const last = messages.at(-1);
    if ((isMore || this.#isFull) && last !== undefined) return { messages, cursor: last.id, searchedBackToMs: null };
    return { messages, cursor: endedEarlyAt?.id ?? null, searchedBackToMs: endedEarlyAt?.atMs ?? null };
  }

  /** As `end`, of a search that found the oldest first. */
  endNewer(isMore: boolean): NewerMessages {
    return { messages: this.#messages.toReversed(), isMore: isMore || this.#isFull };
  }
}
