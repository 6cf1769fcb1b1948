/**
 * Finds messages, the newest first, one page at a time, backwards and forwards. search.ts decides how an index is searched.
 */

import type { Database } from "better-sqlite3";
import type { FoundMessages, MessageFilter, NewerFilter, NewerMessages } from "../port/reports.ts";
import { FoundPage, PAGE_BYTES_MAX } from "../records/found-page.ts";
import { isIndexed } from "./find-conditions.ts";
import { FoundMessageReader } from "./found.ts";
import { Search, type SearchLimits, type SearchPosition, type SearchResult } from "./search.ts";
import type { Steps } from "./steps.ts";

export interface FindLimits extends SearchLimits {
  /** As PAGE_BYTES_MAX. */
  pageBytesMax: number;
}

export const FIND_LIMITS: FindLimits = { rangeRows: 5000, rangesMax: 10, pageBytesMax: PAGE_BYTES_MAX };

export class MessageFinder {
  readonly #db: Database;
  readonly #limits: FindLimits;
  readonly #reader: FoundMessageReader;
  readonly #positionOf;
  readonly #newer;

  constructor(db: Database, limits: FindLimits = FIND_LIMITS) {
    this.#db = db;
    this.#limits = limits;
    this.#reader = new FoundMessageReader(db);
    this.#positionOf = db.prepare<[string, string], SearchPosition>(
      "SELECT created_at_ms AS atMs, seq FROM messages WHERE id = ? AND account_id = ?",
    );
    this.#newer = db
      .prepare<[string, string, number, number, number], number>(
        `SELECT seq FROM messages INDEXED BY messages_by_key WHERE account_id = ? AND key_id = ?
           AND (created_at_ms, seq) > (?, ?) ORDER BY created_at_ms, seq LIMIT ?`,
      )
      .pluck();
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

  *findNewer({ accountId, keyId, after, limit }: NewerFilter): Steps<NewerMessages> {
    const page = new FoundPage(this.#limits.pageBytesMax);
    const known = this.#positionOf.get(after, accountId);
    if (known === undefined) return page.endNewer(false);
    const seqs = this.#newer.all(accountId, keyId, known.atMs, known.seq, limit + 1);
    yield* this.#fill(page, seqs.slice(0, limit));
    return page.endNewer(seqs.length > limit);
  }

  *#page({ seqs, endedEarlyAt }: SearchResult, limit: number): Steps<FoundMessages> {
    const page = new FoundPage(this.#limits.pageBytesMax);
    yield* this.#fill(page, seqs.slice(0, limit));
    return page.end(seqs.length > limit, endedEarlyAt);
  }

  *#fill(page: FoundPage, seqs: readonly number[]): Steps<void> {
    for (const seq of seqs) {
      const message = this.#reader.read(seq);
      if (message === null) continue;
      if (!page.add(message)) break;
      yield;
    }
  }
}
