/**
 * The request log. A row's `place` counts the successes, or the failures, of its account without a gap, and rows are deleted
 * from the oldest on. So the newest and the oldest place show how many there are, and no row is counted.
 */
import type { Database } from "better-sqlite3";
import {
  type ApiRequest,
  type FoundRequests,
  REQUESTS_KEPT_MAX,
  REQUESTS_KEPT_MS,
  type RequestFilter,
} from "../port/request-log.ts";
import { type RequestRow, requestPage } from "../records/request-page.ts";
import { type DamageLog, readable } from "./damage.ts";
import type { Steps } from "./steps.ts";
import type { Written } from "./written.ts";

/** The damaged place that is reported. */
const PLACE = "the request log";

/** The most requests that are deleted for their age at once: one second adds fewer (app/request-recorder.ts). */
const OLD_DELETED_MAX = 1000;

/** Requests read in one step. */
const READ_AT_ONCE = 500;

/** The successes or the failures of an account, or of requests without a valid key. */
interface Kind {
  accountId: string | null;
  /** 0 or 1. */
  failed: number;
}

interface NewestOfKind extends Kind {
  /** Of the newest row; 0 without one. */
  place: number;
}

export interface RecordedRequests {
  requests: readonly ApiRequest[];
  nowMs: number;
}

export function prepareRequestWrites(db: Database, damage: DamageLog) {
  const log = new RequestLogWriter(db);
  return {
    recordRequests(recorded: RecordedRequests): Written<void> {
      return { value: damage.runOptional(PLACE, () => log.write(recorded), undefined) };
    },
  };
}

/** The caller holds the transaction. */
class RequestLogWriter {
  readonly #insert;
  readonly #newestPlace;
  readonly #oldestPlace;
  readonly #deleteOldest;
  readonly #oldest;
  readonly #deleteUntil;

  constructor(db: Database) {
    this.#insert = db.prepare<ApiRequest & NewestOfKind>(
      `INSERT INTO requests
           (account_id, failed, place, id, at_ms, key_id, method, path, status, code, duration_ms, message_id)
         VALUES (@accountId, @failed, @place, @id, @atMs, @keyId, @method, @path, @status, @code, @durationMs, @messageId)`,
    );
    const ofKind = "FROM requests WHERE account_id IS @accountId AND failed = @failed ORDER BY number";
    this.#newestPlace = db.prepare<Kind, number>(`SELECT place ${ofKind} DESC LIMIT 1`).pluck();
    this.#oldestPlace = db.prepare<Kind, number>(`SELECT place ${ofKind} LIMIT 1`).pluck();
    this.#deleteOldest = db.prepare<Kind & { excess: number }>(
      `DELETE FROM requests WHERE number IN (SELECT number ${ofKind} LIMIT @excess)`,
    );
    this.#oldest = db.prepare<[], { number: number; atMs: number }>(
      `SELECT number, at_ms AS atMs FROM requests ORDER BY number LIMIT ${OLD_DELETED_MAX}`,
    );
    this.#deleteUntil = db.prepare<[number]>("DELETE FROM requests WHERE number <= ?");
  }

  write({ requests, nowMs }: RecordedRequests): void {
    this.#deleteOld(nowMs);
    const newest = new Map<string, NewestOfKind>();
    for (const request of requests) {
      const failed = request.status < 400 ? 0 : 1;
      const name = `${failed} ${request.accountId ?? ""}`;
      const kind = newest.get(name) ?? this.#newestOf({ accountId: request.accountId, failed });
      newest.set(name, kind);
      kind.place += 1;
      this.#insert.run({ ...request, failed, place: kind.place });
    }
    for (const kind of newest.values()) this.#deleteExcess(kind);
  }

  #newestOf(kind: Kind): NewestOfKind {
    return { ...kind, place: this.#newestPlace.get(kind) ?? 0 };
  }

  #deleteExcess({ place, ...kind }: NewestOfKind): void {
    const excess = place - (this.#oldestPlace.get(kind) ?? place) + 1 - REQUESTS_KEPT_MAX;
    if (excess > 0) this.#deleteOldest.run({ ...kind, excess });
  }

  /** Deletes those that are old, and those of a clock that was far ahead: they would hold up the others for as long. */
  #deleteOld(nowMs: number): void {
    let last: number | null = null;
    for (const { number, atMs } of this.#oldest.iterate()) {
      if (Math.abs(nowMs - atMs) <= REQUESTS_KEPT_MS) break;
      last = number;
    }
    if (last !== null) this.#deleteUntil.run(last);
  }
}

interface RowRange {
  accountId: string | null;
  before: number;
  limit: number;
}

/** Reads the log in steps: a filter may pass over many requests. The list ends early at damage. */
export function prepareRequestReport(db: Database) {
  const columns = `number, id, at_ms AS atMs, account_id AS accountId, key_id AS keyId, method, path, status, code,
    duration_ms AS durationMs, message_id AS messageId`;
  const ofKind = (failed: number): string =>
    `SELECT ${columns} FROM requests WHERE account_id IS @accountId AND failed = ${failed} AND number < @before`;
  const order = "ORDER BY number DESC LIMIT @limit";
  const all = db.prepare<RowRange, RequestRow>(`${ofKind(0)} UNION ALL ${ofKind(1)} ${order}`);
  const failed = db.prepare<RowRange, RequestRow>(`${ofKind(1)} ${order}`);

  return function* requests(filter: RequestFilter): Steps<FoundRequests> {
    const { accountId, cursor: before = Number.MAX_SAFE_INTEGER, limit } = filter;
    const read = filter.failedOnly ? failed : all;
    const range: RowRange = { accountId, before, limit: isFiltered(filter) ? READ_AT_ONCE : limit + 1 };
    const found: RequestRow[] = [];
    for (;;) {
      const rows = readable(() => read.all(range)) ?? [];
      found.push(...rows.filter((row) => matches(row, filter)));
      const last = rows.at(-1);
      if (found.length > limit || last === undefined || rows.length < range.limit) return requestPage(found, limit);
      range.before = last.number;
      yield;
    }
  };
}

const isFiltered = ({ id, keyId }: RequestFilter): boolean => id !== undefined || keyId !== undefined;

const matches = (row: RequestRow, { id = row.id, keyId }: RequestFilter): boolean =>
  row.id === id && (keyId === undefined || row.keyId === keyId);
