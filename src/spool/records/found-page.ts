/** Collects the page of a search, and decides where it ends. */
import { MIB } from "../../lib/units.ts";
import type { PageEnd } from "../port/reports.ts";

/** The size of a page's messages in JSON. A page has at least one message. */
export const PAGE_BYTES_MAX = 512 * 1024;

/** The same of a page for an action. */
export const ACTED_BYTES_MAX = 2 * MIB;

/** Where a search ended early: the last message searched. */
export interface SearchEnd {
  id: string;
  atMs: number;
}

export interface PageOptions {
  /** As PAGE_BYTES_MAX. */
  bytesMax?: number;
  /** Whether the search finds the oldest first. */
  isNewer?: boolean;
}

export class FoundPage<Message extends { id: string }> {
  readonly #options: Required<PageOptions>;
  readonly #messages: Message[] = [];
  #sizeBytes = 0;
  #isFull = false;

  constructor({ bytesMax = PAGE_BYTES_MAX, isNewer = false }: PageOptions = {}) {
    this.#options = { bytesMax, isNewer };
  }

  /** Adds the next message in the order of the search. Returns false if the page is full. */
  add(message: Message): boolean {
    this.#sizeBytes += Buffer.byteLength(JSON.stringify(message));
    this.#isFull = this.#messages.length > 0 && this.#sizeBytes > this.#options.bytesMax;
    if (!this.#isFull) this.#messages.push(message);
    return !this.#isFull;
  }

  /**
   * Returns the messages, the newest first. `isMore`: more messages were found than were added. `endedEarlyAt`: null if the search
   * was not ended early.
   */
  end(isMore: boolean, endedEarlyAt: SearchEnd | null): PageEnd & { messages: Message[] } {
    const last = this.#messages.at(-1);
    const messages = this.#options.isNewer ? this.#messages.toReversed() : this.#messages;
    if ((isMore || this.#isFull) && last !== undefined) return { messages, cursor: last.id, searchedBackToMs: null };
    return { messages, cursor: endedEarlyAt?.id ?? null, searchedBackToMs: endedEarlyAt?.atMs ?? null };
  }
}
