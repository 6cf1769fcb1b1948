/**
 * Searches for one page of messages by an index of addresses, results or times, from a position on to older messages, or to newer
 * ones. The index is read in ranges, one per step. A search without a match costs the same in a spool of a thousand messages as in one of a million:
 * it ends after a number of rows, and the next page continues there. Only indexes that are not in the order of time
 * (addresses, pending recipients) are read to their end.
 */
import type { Database } from "better-sqlite3";
import type { MessageFilter } from "../../../port/reports.ts";
import type { SearchEnd } from "../../../records/found-page.ts";
import type { Steps } from "../connection/read-steps.ts";
import {
  type DrivingIndex,
  drivingIndexOf,
  hasRecipient,
  type KeyScan,
  messageConditions,
  type Parameters,
  type SqlConditions,
  stateParameters,
} from "./find-conditions.ts";

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

/** Which way a search reads. */
interface Direction {
  /** Compares what comes later in the search with its position. */
  past: "<" | ">";
  /** Compares it with the end of a range, which belongs to the range. */
  upTo: ">=" | "<=";
  order: "DESC" | "ASC";
  /** The last row number. */
  lastSeq: number;
  compare: (a: number, b: number) => number;
}

const TO_OLDER: Direction = { past: "<", upTo: ">=", order: "DESC", lastSeq: 0, compare: (a, b) => b - a };
const TO_NEWER: Direction = {
  past: ">",
  upTo: "<=",
  order: "ASC",
  lastSeq: Number.MAX_SAFE_INTEGER,
  compare: (a, b) => a - b,
};

/** One search, for one page. */
export class Search {
  #db: Database;
  #filter: MessageFilter;
  #limits: SearchLimits;
  #limit: number;
  #direction: Direction;

  constructor(db: Database, filter: MessageFilter, limits: SearchLimits) {
    this.#db = db;
    this.#filter = filter;
    this.#limits = limits;
    this.#limit = filter.limit + 1;
    this.#direction = filter.after === undefined ? TO_OLDER : TO_NEWER;
  }

  /** Searches the messages of the account, or of one of its keys, past a position; from the newest on without one. */
  *byTime(position: SearchPosition | null): Steps<SearchResult> {
    const { keyId, ...filter } = this.#filter;
    const conditions = messageConditions(filter);
    const { where } = conditions;
    const parameters = { ...conditions.parameters, ...stateParameters(filter) };
    const { from, condition } = SCOPES[keyId === undefined ? "account" : "key"];
    const has = hasRecipient("m", filter);
    if (has !== null) where.push(has);
    const { past, upTo, order } = this.#direction;
    const range = [
      condition,
      `(m.created_at_ms, m.seq) ${past} (@pastMs, @pastSeq)`,
      `(m.created_at_ms, m.seq) ${upTo} (@endMs, @endSeq)`,
    ];
    const inOrder = `ORDER BY m.created_at_ms ${order}, m.seq ${order}`;
    const page = this.#seqs(
      `SELECT m.seq FROM ${from} WHERE ${[...range, ...where].join(" AND ")} ${inOrder} LIMIT @limit`,
    );
    const rangeEnd = this.#db.prepare<Parameters, SearchPosition & { id: string }>(
      `SELECT m.created_at_ms AS atMs, m.seq, m.id FROM ${from} WHERE ${range.join(" AND ")}
         ${inOrder} LIMIT 1 OFFSET ${this.#limits.rangeRows}`,
    );
    const within = { accountId: filter.accountId, ...(keyId === undefined ? {} : { keyId }) };
    const [first, last] = this.#timeRange(position);
    const seqs: number[] = [];
    let start = first;
    for (let number = 1; ; number += 1) {
      const bounds = { ...within, pastMs: start.atMs, pastSeq: start.seq };
      const rest = { endMs: last.atMs, endSeq: last.seq };
      const end = where.length === 0 ? null : (rangeEnd.get({ ...bounds, ...rest }) ?? null);
      const upTo = end === null ? rest : { endMs: end.atMs, endSeq: end.seq };
      seqs.push(...page({ ...parameters, ...bounds, ...upTo, limit: this.#limit - seqs.length }));
      if (end === null || seqs.length === this.#limit) return { seqs, endedEarlyAt: null };
      if (number === this.#limits.rangesMax) return { seqs, endedEarlyAt: end };
      start = end;
      yield;
    }
  }

  /** The positions between which the filter's messages are; the second one belongs to them. */
  #timeRange(position: SearchPosition | null): [past: SearchPosition, last: SearchPosition] {
    const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER } = this.#filter;
    const oldest = { atMs: sinceMs, seq: 0 };
    const newest = { atMs: untilMs, seq: 0 };
    if (this.#direction === TO_OLDER) return [position ?? newest, oldest];
    return [position !== null && position.atMs >= sinceMs ? position : oldest, newest];
  }

  /** Searches an index of recipients or tags. */
  *byIndex(position: SearchPosition | null): Steps<SearchResult> {
    const pastSeq = position?.seq ?? Number.MAX_SAFE_INTEGER;
    const index = drivingIndexOf(this.#filter);
    if (index.scan === undefined) return yield* this.#bySeq(index, pastSeq);
    return { seqs: yield* this.#byKey(index, index.scan, pastSeq), endedEarlyAt: null };
  }

  /** Searches an index that is in the order of seq. */
  *#bySeq(index: DrivingIndex, firstPastSeq: number): Steps<SearchResult> {
    const conditions = messageConditions(this.#filter);
    const { past, upTo, order, lastSeq } = this.#direction;
    const page = this.#query(index, conditions, [`r.seq ${upTo} @endSeq`]);
    const bounds = ["r.account_id = @accountId", `r.seq ${past} @pastSeq`, ...index.bounds].join(" AND ");
    const rangeEnd = this.#db.prepare<Parameters, SearchPosition & { id: string }>(
      `SELECT m.created_at_ms AS atMs, m.seq, m.id FROM messages m WHERE m.seq = (SELECT r.seq FROM ${index.from}
         WHERE ${bounds} ORDER BY r.seq ${order} LIMIT 1 OFFSET ${this.#limits.rangeRows})`,
    );
    const isEachShown = conditions.where.length + index.where.length === 0;
    const given = { ...index.parameters, accountId: this.#filter.accountId };
    const seqs: number[] = [];
    let pastSeq = firstPastSeq;
    for (let range = 1; ; range += 1) {
      const end = isEachShown ? null : (rangeEnd.get({ ...given, pastSeq }) ?? null);
      seqs.push(...page({ pastSeq, endSeq: end?.seq ?? lastSeq, limit: this.#limit - seqs.length }));
      if (end === null || seqs.length === this.#limit) return { seqs, endedEarlyAt: null };
      if (range === this.#limits.rangesMax) return { seqs, endedEarlyAt: end };
      pastSeq = end.seq;
      yield;
    }
  }

  /** Searches the whole of an index that is in another order, and keeps what comes first of each range. */
  *#byKey(index: DrivingIndex, scan: KeyScan, pastSeq: number): Steps<number[]> {
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
    const { upTo, lastSeq, compare } = this.#direction;
    const range = [from, `r.seq ${upTo} @endSeq`];
    const within = this.#query(index, conditions, [...range, `(${columns}) <= (${key("to")})${collate}`]);
    const rest = this.#query(index, conditions, range);
    const shared = { pastSeq, limit: this.#limit };
    let kept = index.also === undefined ? [] : this.#query(index.also, conditions, [])(shared);
    let start = first;
    for (;;) {
      const lower = named("from", start);
      const end = rangeEnd.get({ ...index.parameters, accountId: this.#filter.accountId, ...lower });
      const endSeq = kept[this.#limit - 1] ?? lastSeq;
      const upper = end === undefined ? {} : named("to", end);
      const seqs = (end === undefined ? rest : within)({ ...shared, ...lower, ...upper, endSeq });
      kept = [...new Set([...kept, ...seqs])].sort(compare).slice(0, this.#limit);
      if (end === undefined) return kept;
      start = after(end);
      yield;
    }
  }

  /** Returns a query for what comes first in the search, each message once, among the index's rows that meet all conditions. */
  #query(index: DrivingIndex, conditions: SqlConditions, range: string[]): (given: Parameters) => number[] {
    // Without a condition on the message, its row is read only if the page shows it.
    const join = conditions.where.length > 0 ? "CROSS JOIN messages m ON m.seq = r.seq" : "";
    const { past, order } = this.#direction;
    const bounds = ["r.account_id = @accountId", `r.seq ${past} @pastSeq`, ...index.bounds, ...range];
    const all = [...bounds, ...index.where, ...conditions.where].join(" AND ");
    const sql = `SELECT DISTINCT r.seq FROM ${index.from} ${join} WHERE ${all} ORDER BY r.seq ${order} LIMIT @limit`;
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
