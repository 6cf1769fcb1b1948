/**
 * Finds messages, one page at a time, towards the older or the newer ones, and counts them. search.ts decides how an index is
 * searched.
 */

import type { Database } from "better-sqlite3";
import {
  type ActedFilter,
  type ActedMessage,
  type ActedMessages,
  COUNT_MAX,
  type FoundMessages,
  type FoundRecipients,
  type MessageCount,
  type MessageFilter,
} from "../../../port/reports.ts";
import { ACTED_BYTES_MAX, FoundPage, PAGE_BYTES_MAX } from "../../../records/found-page.ts";
import { filtersOf } from "../../../records/searched-filter.ts";
import type { Steps } from "../connection/read-steps.ts";
import { isIndexed } from "./find-conditions.ts";
import { FoundMessageReader } from "./found-messages.ts";
import { Search, type SearchLimits, type SearchPosition, type SearchResult } from "./search-page.ts";

export interface FindLimits extends SearchLimits {
  /** As PAGE_BYTES_MAX. */
  pageBytesMax: number;
}

/** Messages that an action reads in one step. */
const ACTED_AT_ONCE = 200;

export const FIND_LIMITS: FindLimits = { rangeRows: 5000, rangesMax: 10, pageBytesMax: PAGE_BYTES_MAX };

export class MessageFinder {
  readonly #db: Database;
  readonly #limits: FindLimits;
  readonly #reader: FoundMessageReader;
  readonly #positionOf;
  readonly #idOf;

  constructor(db: Database, limits: FindLimits = FIND_LIMITS) {
    this.#db = db;
    this.#limits = limits;
    this.#reader = new FoundMessageReader(db);
    this.#positionOf = db.prepare<[string, string], SearchPosition>(
      "SELECT created_at_ms AS atMs, seq FROM messages WHERE id = ? AND account_id = ?",
    );
    this.#idOf = db.prepare<[number], string>("SELECT id FROM messages WHERE seq = ?").pluck();
  }

  find(filter: MessageFilter): Steps<FoundMessages> {
    return this.#page(filter, (seq) => this.#reader.read(seq, filter));
  }

  findRecipients(filter: MessageFilter): Steps<FoundRecipients> {
    return this.#page(filter, (seq) => this.#reader.readRecipients(seq, filter));
  }

  *findActed(filter: ActedFilter): Steps<ActedMessages> {
    const limit = Math.min(filter.limit, COUNT_MAX);
    const { seqs, endedEarlyAt } = yield* this.#search({ ...filter, limit });
    const page = new FoundPage<ActedMessage>({ bytesMax: ACTED_BYTES_MAX });
    for (let from = 0; from < Math.min(seqs.length, limit); from += ACTED_AT_ONCE) {
      const messages = this.#reader.readActed(seqs.slice(from, Math.min(from + ACTED_AT_ONCE, limit)), filter);
      if (!messages.every((message) => page.add(message))) break;
      yield;
    }
    return page.end(seqs.length > limit, endedEarlyAt);
  }

  *count(filter: Omit<MessageFilter, "cursor" | "after" | "limit">): Steps<MessageCount> {
    const { seqs, endedEarlyAt } = yield* this.#search({ ...filter, limit: COUNT_MAX });
    const [newest] = seqs;
    return {
      messages: Math.min(seqs.length, COUNT_MAX),
      isExact: seqs.length <= COUNT_MAX && endedEarlyAt === null,
      newest: newest === undefined ? null : (this.#idOf.get(newest) ?? null),
    };
  }

  *#page<Message extends { id: string }>(
    filter: MessageFilter,
    read: (seq: number) => Message | null,
  ): Steps<ReturnType<FoundPage<Message>["end"]>> {
    const { seqs, endedEarlyAt } = yield* this.#search(filter);
    const page = new FoundPage<Message>({
      bytesMax: this.#limits.pageBytesMax,
      isNewer: filter.after !== undefined,
    });
    for (const seq of seqs.slice(0, filter.limit)) {
      const message = read(seq);
      if (message === null) continue;
      if (!page.add(message)) break;
      yield;
    }
    return page.end(seqs.length > filter.limit, endedEarlyAt);
  }

  *#search(filter: MessageFilter): Steps<SearchResult> {
    const { cursor, after, accountId } = filter;
    const id = after ?? cursor;
    const position = id === undefined ? undefined : this.#positionOf.get(id, accountId);
    let result: SearchResult = { seqs: [], endedEarlyAt: null };
    if (position === undefined && after !== undefined) return result;
    for (const each of filtersOf(filter)) {
      const search = new Search(this.#db, each, this.#limits);
      result = yield* isIndexed(each) ? search.byIndex(position ?? null) : search.byTime(position ?? null);
      if (result.seqs.length > 0) break;
    }
    return result;
  }
}
