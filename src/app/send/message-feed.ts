/**
 * The messages that are accepted, or whose results change, from a moment on: what `messages list --follow` prints. It reads the
 * account's events, and finds the message of each with the same filter as a list.
 */
import type { Events } from "../../spool/port/events.ts";
import type { FoundMessage, MessageFilter, Reports } from "../../spool/port/reports.ts";
import type { Results } from "../../spool/port/results.ts";

/** Events per look. */
const EVENTS_MAX = 200;
/** Messages of one account that are accepted in one millisecond and searched for one of them. */
const SAME_TIME_MAX = 100;

const ALL = { types: null, keys: null, domains: null };

export interface FeedStore extends Pick<Events, "events">, Pick<Results, "report"> {
  reports: Pick<Reports, "find">;
}

export class MessageFeed {
  readonly #store: FeedStore;
  readonly #filter: Omit<MessageFilter, "limit" | "cursor">;
  #afterNumber: number;

  private constructor(store: FeedStore, filter: Omit<MessageFilter, "limit" | "cursor">, afterNumber: number) {
    this.#store = store;
    this.#filter = filter;
    this.#afterNumber = afterNumber;
  }

  /** Begins after the account's newest event. */
  static async begin(store: FeedStore, filter: Omit<MessageFilter, "limit" | "cursor">): Promise<MessageFeed> {
    return new MessageFeed(store, filter, await newestEventNumber(store, filter.accountId));
  }

  /**
   * The messages with events since the last look that the filter selects as they are now, each once, in the order of their newest
   * events. `isEnd`: there is nothing more at the moment.
   */
  async next(): Promise<{ messages: FoundMessage[]; isEnd: boolean }> {
    const { accountId } = this.#filter;
    const query = { accountId, afterNumber: this.#afterNumber, filter: ALL, withDomains: false, limit: EVENTS_MAX };
    const page = await this.#store.events(query);
    if (page === "expired") {
      this.#afterNumber = await newestEventNumber(this.#store, accountId);
      return { messages: [], isEnd: true };
    }
    this.#afterNumber = page.throughNumber;
    const ids = new Set<string>();
    for (const { messageId } of page.events) {
      if (messageId === null) continue;
      ids.delete(messageId);
      ids.add(messageId);
    }
    const messages: FoundMessage[] = [];
    for (const id of ids) {
      const message = await this.#find(id);
      if (message !== null) messages.push(message);
    }
    return { messages, isEnd: page.isEnd };
  }

  /** Null if the filter does not select the message, or it was deleted meanwhile. */
  async #find(id: string): Promise<FoundMessage | null> {
    const report = await this.#store.report(id);
    if (report === null) return null;
    const { createdAtMs } = report;
    const { sinceMs = createdAtMs, untilMs = createdAtMs + 1, ...filter } = this.#filter;
    if (createdAtMs < sinceMs || createdAtMs >= untilMs) return null;
    const moment = { ...filter, sinceMs: createdAtMs, untilMs: createdAtMs + 1, limit: SAME_TIME_MAX };
    const { messages } = await this.#store.reports.find(moment);
    return messages.find((message) => message.id === id) ?? null;
  }
}

/**
 * 0 if the account has no event. Each read halves what is left to search. It begins after the oldest event that is kept, because a
 * greater number is expired only if it is ahead of all.
 */
async function newestEventNumber(store: FeedStore, accountId: string): Promise<number> {
  const query = { accountId, filter: ALL, withDomains: true, limit: 1 };
  const oldest = await store.events({ ...query, afterNumber: null });
  if (oldest === "expired") return 0;
  let low = oldest.throughNumber;
  if (oldest.isEnd) return low;
  const hasLater = async (afterNumber: number): Promise<boolean> => {
    const page = await store.events({ ...query, afterNumber });
    return page !== "expired" && (page.events.length > 0 || !page.isEnd);
  };
  let distance = 1;
  while (await hasLater(low + distance)) {
    low += distance;
    distance *= 2;
  }
  let high = low + distance;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await hasLater(middle)) low = middle;
    else high = middle;
  }
  return high;
}
