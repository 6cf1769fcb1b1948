/**
 * Finds messages, the newest first, one page at a time. search.ts decides how an index is searched.
 */

import type { Database } from "better-sqlite3";
import type { FoundMessage, FoundMessages, MessageFilter } from "../port/reports.ts";
import { isIndexed } from "./find-conditions.ts";
import { FoundMessageReader } from "./found.ts";
import { Search, type SearchLimits, type SearchPosition, type SearchResult } from "./search.ts";
import type { Steps } from "./steps.ts";

export interface FindLimits extends SearchLimits {
  /** The size of the page's messages in JSON. A page has at least one message. */
  pageBytesMax: number;
}

export const FIND_LIMITS: FindLimits = { rangeRows: 5000, rangesMax: 10, pageBytesMax: 512 * 1024 };

export class MessageFinder {
  readonly #db: Database;
  readonly #limits: FindLimits;
  readonly #reader: FoundMessageReader;
  readonly #positionOf;

  constructor(db: Database, limits: FindLimits = FIND_LIMITS) {
    this.#db = db;
    this.#limits = limits;
    this.#reader = new FoundMessageReader(db);
    this.#positionOf = db.prepare<[string, string], SearchPosition>(
      "SELECT created_at_ms AS atMs, seq FROM messages WHERE id = ? AND account_id = ?",
    );
  }

  *find(filter: MessageFilter): Steps<FoundMessages> {
    const { cursor: id, accountId } = filter;
    // A cursor that cannot be read counts as none.
    const known = id === undefined ? undefined : this.#positionOf.get(id, accountId);
    const cursor = known ?? { atMs: filter.untilMs ?? Number.MAX_SAFE_INTEGER, seq: 0 };
    const search = new Search(this.#db, filter, this.#limits);
    const found = yield* isIndexed(filter) ? search.byIndex(cursor) : search.byTime(cursor);
    return yield* this.#page(found, filter.limit);
  }

  *#page({ seqs, endedEarlyAt }: SearchResult, limit: number): Steps<FoundMessages> {
    const messages: FoundMessage[] = [];
    let isMore = seqs.length > limit;
    let sizeBytes = 0;
    for (const seq of seqs.slice(0, limit)) {
      const message = this.#reader.read(seq);
      if (message === null) continue;
      sizeBytes += Buffer.byteLength(JSON.stringify(message));
      if (messages.length > 0 && sizeBytes > this.#limits.pageBytesMax) {
        isMore = true;
        break;
      }
      messages.push(message);
      yield;
    }
    const last = messages.at(-1);
    if (isMore && last !== undefined) return { messages, cursor: last.id, searchedBackToMs: null };
    return { messages, cursor: endedEarlyAt?.id ?? null, searchedBackToMs: endedEarlyAt?.atMs ?? null };
  }
}
