/**
 * Searches for one page of messages, the newest first, by an index of addresses, results or times. The index is read in
 * ranges, one per step. A search without a match costs the same in a spool of a thousand messages as in one of a million:
 * it ends after a number of rows, and the next page continues there. Only indexes that are not in the order of time
 * (addresses, pending recipients) are read to their end.
 */
import type { Database } from "better-sqlite3";
import type { MessageFilter } from "../port/reports.ts";
import type { SearchEnd } from "../records/found-page.ts";
import {
  categoryParameters,
  type DrivingIndex,
  drivingIndexOf,
  hasRecipient,
  type KeyScan,
  messageConditions,
  type Parameters,
  type SqlConditions,
} from "./find-conditions.ts";
import type { Steps } from "./steps.ts";

export interface SearchLimits {
  /** The rows of an index read in one step. */
  rangeRows: number;
  /** The most steps for one page, if the index is in the order of time. */
  rangesMax: number;
}

export interface SearchPosition {
  atMs: number;
  seq: number;
}

export interface SearchResult {
  /** At most one more than the page holds. */
  seqs: number[];
  /** The last message searched if the search ended early; null otherwise. */
  endedEarlyAt: SearchEnd | null;
}

const SCOPES = {
  account: { from: "messages m INDEXED BY messages_by_time", condition: "m.account_id = @accountId" },
  key: {
    from: "messages m INDEXED BY messages_by_key",
    condition: "m.account_id = @accountId AND m.key_id = @keyId",
  },
} as const;

const BEFORE = "(m.created_at_ms, m.seq) < (@beforeMs, @beforeSeq)";

/** One search, for one page. */
export class Search {
  #db: Database;
  #filter: MessageFilter;
  #limits: SearchLimits;
  #limit: number;

  constructor(db: Database, filter: MessageFilter, limits: SearchLimits) {
    this.#db = db;
    this.#filter = filter;
    this.#limits = limits;
    this.#limit = filter.limit + 1;
  }

  /** Searches the messages of the account, or of one of its keys, from the newest on. */
  *byTime(cursor: SearchPosition): Steps<SearchResult> {
    const { keyId, ...filter } = this.#filter;
    const conditions = messageConditions(filter);
    const { where } = conditions;
    const parameters = { ...conditions.parameters, ...categoryParameters(filter) };
    const { from, condition } = SCOPES[keyId === undefined ? "account" : "key"];
    const has = hasRecipient("m", filter);
    if (has !== null) where.push(has);
    const all = [condition, BEFORE, "(m.created_at_ms, m.seq) >= (@downToMs, @downToSeq)", ...where].join(" AND ");
    const order = "ORDER BY m.created_at_ms DESC, m.seq DESC";
    const page = this.#seqs(`SELECT m.seq FROM ${from} WHERE ${all} ${order} LIMIT @limit`);
    const rangeEnd = this.#db.prepare<Parameters, SearchPosition & { id: string }>(
      `SELECT m.created_at_ms AS atMs, m.seq, m.id FROM ${from} WHERE ${condition} AND ${BEFORE}
         AND m.created_at_ms >= @sinceMs ${order} LIMIT 1 OFFSET ${this.#limits.rangeRows}`,
    );
    const { accountId, sinceMs = 0 } = filter;
    const within = { accountId, ...(keyId === undefined ? {} : { keyId }) };
    const seqs: number[] = [];
    let before = cursor;
    for (let range = 1; ; range += 1) {
      const bounds = { ...within, beforeMs: before.atMs, beforeSeq: before.seq };
      const end = where.length === 0 ? null : (rangeEnd.get({ ...bounds, sinceMs }) ?? null);
      const downTo = { downToMs: end?.atMs ?? sinceMs, downToSeq: end?.seq ?? 0 };
      seqs.push(...page({ ...parameters, ...bounds, ...downTo, limit: this.#limit - seqs.length }));
      if (end === null || seqs.length === this.#limit) return { seqs, endedEarlyAt: null };
      if (range === this.#limits.rangesMax) return { seqs, endedEarlyAt: end };
      before = end;
      yield;
    }
  }

  /** Searches an index of recipients or tags. */
  *byIndex(cursor: SearchPosition): Steps<SearchResult> {
    const beforeSeq = cursor.seq || Number.MAX_SAFE_INTEGER;
    const index = drivingIndexOf(this.#filter);
    if (index.scan === undefined) return yield* this.#bySeq(index, beforeSeq);
    return { seqs: yield* this.#byKey(index, index.scan, beforeSeq), endedEarlyAt: null };
  }

  /** Searches an index that is in the order of seq, from the newest on. */
  *#bySeq(index: DrivingIndex, firstBeforeSeq: number): Steps<SearchResult> {
    const conditions = messageConditions(this.#filter);
    const page = this.#query(index, conditions, ["r.seq >= @downToSeq"]);
    const bounds = ["r.account_id = @accountId", "r.seq < @beforeSeq", ...index.bounds].join(" AND ");
    const rangeEnd = this.#db.prepare<Parameters, SearchPosition & { id: string }>(
      `SELECT m.created_at_ms AS atMs, m.seq, m.id FROM messages m WHERE m.seq = (SELECT r.seq FROM ${index.from}
         WHERE ${bounds} ORDER BY r.seq DESC LIMIT 1 OFFSET ${this.#limits.rangeRows})`,
    );
    const isEachShown = conditions.where.length + index.where.length === 0;
    const given = { ...index.parameters, accountId: this.#filter.accountId };
    const seqs: number[] = [];
    let beforeSeq = firstBeforeSeq;
    for (let range = 1; ; range += 1) {
      const end = isEachShown ? null : (rangeEnd.get({ ...given, beforeSeq }) ?? null);
      seqs.push(...page({ beforeSeq, downToSeq: end?.seq ?? 0, limit: this.#limit - seqs.length }));
      if (end === null || seqs.length === this.#limit) return { seqs, endedEarlyAt: null };
      if (range === this.#limits.rangesMax) return { seqs, endedEarlyAt: end };
      beforeSeq = end.seq;
      yield;
    }
  }

  /** Searches the whole of an index that is in another order, and keeps the newest of each range. */
  *#byKey(index: DrivingIndex, scan: KeyScan, beforeSeq: number): Steps<number[]> {
    const conditions = messageConditions(this.#filter);
    const { columns, collate, first, after } = scan;
    const key = (name: string): string => columns.map((_, i) => `@${name}${i}`).join(", ");
    const from = `(${columns}) >= (${key("from")})${collate}`;
    const bounds = ["r.account_id = @accountId", ...index.bounds, from].join(" AND ");
    const order = columns.map((column) => column + collate).join(", ");
    const rangeEnd = this.#db
      .prepare<Parameters, (string | number)[]>(
        `SELECT ${columns} FROM ${index.from} WHERE ${bounds} ORDER BY ${order} LIMIT 1 OFFSET ${this.#limits.rangeRows}`,
      )
      .raw();
    const range = [from, "r.seq >= @downToSeq"];
    const within = this.#query(index, conditions, [...range, `(${columns}) <= (${key("to")})${collate}`]);
    const rest = this.#query(index, conditions, range);
    const shared = { beforeSeq, limit: this.#limit };
    let newest = index.also === undefined ? [] : this.#query(index.also, conditions, [])(shared);
    let start = first;
    for (;;) {
      const lower = named("from", start);
      const end = rangeEnd.get({ ...index.parameters, accountId: this.#filter.accountId, ...lower });
      const downToSeq = newest[this.#limit - 1] ?? 0;
      const upper = end === undefined ? {} : named("to", end);
      const seqs = (end === undefined ? rest : within)({ ...shared, ...lower, ...upper, downToSeq });
      newest = [...new Set([...newest, ...seqs])].sort((a, b) => b - a).slice(0, this.#limit);
      if (end === undefined) return newest;
      start = after(end);
      yield;
    }
  }

  /** Returns a query for the newest messages, each once, among the index's rows that meet all conditions. */
  #query(index: DrivingIndex, conditions: SqlConditions, range: string[]): (given: Parameters) => number[] {
    // Without a condition on the message, its row is read only if the page shows it.
    const join = conditions.where.length > 0 ? "CROSS JOIN messages m ON m.seq = r.seq" : "";
    const bounds = ["r.account_id = @accountId", "r.seq < @beforeSeq", ...index.bounds, ...range];
    const all = [...bounds, ...index.where, ...conditions.where].join(" AND ");
    const sql = `SELECT DISTINCT r.seq FROM ${index.from} ${join} WHERE ${all} ORDER BY r.seq DESC LIMIT @limit`;
    const page = this.#seqs(sql);
    const given = { ...index.parameters, ...conditions.parameters, accountId: this.#filter.accountId };
    return (parameters) => page({ ...given, ...parameters });
  }

  #seqs(sql: string): (parameters: Parameters) => number[] {
    const statement = this.#db.prepare<Parameters, number>(sql).pluck();
    return (parameters) => statement.all(parameters);
  }
}

const named = (name: string, key: (string | number)[]): Parameters =>
  Object.fromEntries(key.map((value, i) => [`${name}${i}`, value]));
