/**
 * Finding messages again, the newest first, a page at a time. How they are searched for is search.ts's.
 */
import type { Database } from "better-sqlite3";
import type { FoundMessage, FoundMessages, MessageFilter } from "../port/reports.ts";
import { isIndexed } from "./find-conditions.ts";
import { prepareFound } from "./found.ts";
import { type Place, Search, type SearchLimits, type Seqs } from "./search.ts";
import type { Steps } from "./steps.ts";

export interface FindLimits extends SearchLimits {
  /** The page's messages as JSON; a page has at least one message. */
  pageBytesMax: number;
}

export const FIND_LIMITS: FindLimits = { rangeRows: 5000, rangesMax: 10, pageBytesMax: 512 * 1024 };

export function prepareFind(db: Database, limits: FindLimits = FIND_LIMITS) {
  const toMessage = prepareFound(db);
  const placeOf = db.prepare<[string, string], Place>(
    "SELECT created_at_ms AS atMs, seq FROM messages WHERE id = ? AND account_id = ?",
  );

  return function* find(filter: MessageFilter): Steps<FoundMessages> {
    const known = filter.cursor === undefined ? undefined : placeOf.get(filter.cursor, filter.accountId);
    // A cursor that cannot be read is none.
    const cursor = known ?? { atMs: filter.untilMs ?? Number.MAX_SAFE_INTEGER, seq: 0 };
    const search = new Search(db, filter, limits);
    const found = yield* isIndexed(filter) ? search.byIndex(cursor) : search.byTime(cursor);
    return yield* toPage(found, filter.limit);
  };

  function* toPage({ seqs, lastLooked }: Seqs, limit: number): Steps<FoundMessages> {
    const messages: FoundMessage[] = [];
    let isMore = seqs.length > limit;
    let sizeBytes = 0;
    for (const seq of seqs.slice(0, limit)) {
      const message = toMessage(seq);
      if (message === null) continue;
      sizeBytes += Buffer.byteLength(JSON.stringify(message));
      if (messages.length > 0 && sizeBytes > limits.pageBytesMax) {
        isMore = true;
        break;
      }
      messages.push(message);
      yield;
    }
    const last = messages.at(-1);
    if (isMore && last !== undefined) return { messages, cursor: last.id, searchedBackToMs: null };
    return { messages, cursor: lastLooked?.id ?? null, searchedBackToMs: lastLooked?.atMs ?? null };
  }
}
