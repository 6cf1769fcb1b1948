/**
 * A search for one page of messages, the newest first. What an index answers is asked of it: addresses, results, time.
 * The index is read in ranges, each a step. A search without a match costs the same whether the spool holds a thousand
 * messages or a million: beyond a number of rows it ends, and the next page goes on from there. Only indexes that are
 * not in the order of time (addresses, waiting mail) are read to their end.
 */
import type { Database } from "better-sqlite3";
import type { MessageFilter } from "../port/reports.ts";
import {
  type Conditions,
  type Driver,
  driverOf,
  hasRecipient,
  ofCategory,
  ofMessage,
  type Parameters,
  type Scan,
} from "./find-conditions.ts";
import type { Steps } from "./steps.ts";

export interface SearchLimits {
  /** Rows of an index in one step. */
  rangeRows: number;
  /** Steps for one page, where the index is in the order of time. */
  rangesMax: number;
}

export interface Place {
  atMs: number;
  seq: number;
}

export interface Seqs {
  /** At most one more than the page holds. */
  seqs: number[];
  /** Where the search ended early. */
  lastLooked: { atMs: number; id: string } | null;
}

const SCOPES = {
  account: { from: "messages m INDEXED BY messages_by_time", condition: "m.account_id = @accountId" },
  key: {
    from: "messages m INDEXED BY messages_by_key",
    condition: "m.account_id = @accountId AND m.key_id = @keyId",
  },
} as const;

const BEFORE = "(m.created_at_ms, m.seq) < (@beforeMs, @beforeSeq)";

/** One search for one page. */
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

  /** Over the messages of the account, or of one of its keys, backwards. */
  *byTime(cursor: Place): Steps<Seqs> {
    const { keyId, ...asked } = this.#filter;
    const { where, ...of } = ofMessage(asked);
    const parameters = { ...of.parameters, ...ofCategory(asked) };
    const { from, condition } = SCOPES[keyId === undefined ? "account" : "key"];
    const has = hasRecipient("m", asked);
    if (has !== null) where.push(has);
    const all = [condition, BEFORE, "(m.created_at_ms, m.seq) >= (@downToMs, @downToSeq)", ...where].join(" AND ");
    const order = "ORDER BY m.created_at_ms DESC, m.seq DESC";
    const page = this.#seqs(`SELECT m.seq FROM ${from} WHERE ${all} ${order} LIMIT @limit`);
    const rangeEnd = this.#db.prepare<Parameters, Place & { id: string }>(
      `SELECT m.created_at_ms AS atMs, m.seq, m.id FROM ${from} WHERE ${condition} AND ${BEFORE}
         AND m.created_at_ms >= @sinceMs ${order} LIMIT 1 OFFSET ${this.#limits.rangeRows}`,
    );
    const { accountId, sinceMs = 0 } = asked;
    const within = { accountId, ...(keyId === undefined ? {} : { keyId }) };
    const seqs: number[] = [];
    let before = cursor;
    for (let range = 1; ; range += 1) {
      const bounds = { ...within, beforeMs: before.atMs, beforeSeq: before.seq };
      const end = where.length === 0 ? null : (rangeEnd.get({ ...bounds, sinceMs }) ?? null);
      const downTo = { downToMs: end?.atMs ?? sinceMs, downToSeq: end?.seq ?? 0 };
      seqs.push(...page({ ...parameters, ...bounds, ...downTo, limit: this.#limit - seqs.length }));
      if (end === null || seqs.length === this.#limit) return { seqs, lastLooked: null };
      if (range === this.#limits.rangesMax) return { seqs, lastLooked: end };
      before = end;
      yield;
    }
  }

  /** Over the recipients, or tags, that an index finds. */
  *byIndex(cursor: Place): Steps<Seqs> {
    const beforeSeq = cursor.seq || Number.MAX_SAFE_INTEGER;
    const driver = driverOf(this.#filter);
    if (driver.scan === undefined) return yield* this.#bySeq(driver, beforeSeq);
    return { seqs: yield* this.#byKey(driver, driver.scan, beforeSeq), lastLooked: null };
  }

  /** An index in the order of seq, backwards. */
  *#bySeq(driver: Driver, firstBeforeSeq: number): Steps<Seqs> {
    const asked = ofMessage(this.#filter);
    const page = this.#page(driver, asked, ["r.seq >= @downToSeq"]);
    const bounds = ["r.account_id = @accountId", "r.seq < @beforeSeq", ...driver.bounds].join(" AND ");
    const rangeEnd = this.#db.prepare<Parameters, Place & { id: string }>(
      `SELECT m.created_at_ms AS atMs, m.seq, m.id FROM messages m WHERE m.seq = (SELECT r.seq FROM ${driver.from}
         WHERE ${bounds} ORDER BY r.seq DESC LIMIT 1 OFFSET ${this.#limits.rangeRows})`,
    );
    const isEachShown = asked.where.length + driver.where.length === 0;
    const given = { ...driver.parameters, accountId: this.#filter.accountId };
    const seqs: number[] = [];
    let beforeSeq = firstBeforeSeq;
    for (let range = 1; ; range += 1) {
      const end = isEachShown ? null : (rangeEnd.get({ ...given, beforeSeq }) ?? null);
      seqs.push(...page({ beforeSeq, downToSeq: end?.seq ?? 0, limit: this.#limit - seqs.length }));
      if (end === null || seqs.length === this.#limit) return { seqs, lastLooked: null };
      if (range === this.#limits.rangesMax) return { seqs, lastLooked: end };
      beforeSeq = end.seq;
      yield;
    }
  }

  /** The whole of an index in another order: of each range its newest. */
  *#byKey(driver: Driver, scan: Scan, beforeSeq: number): Steps<number[]> {
    const asked = ofMessage(this.#filter);
    const { columns, collate, first, after } = scan;
    const key = (name: string): string => columns.map((_, i) => `@${name}${i}`).join(", ");
    const from = `(${columns}) >= (${key("from")})${collate}`;
    const bounds = ["r.account_id = @accountId", ...driver.bounds, from].join(" AND ");
    const order = columns.map((column) => column + collate).join(", ");
    const rangeEnd = this.#db
      .prepare<Parameters, (string | number)[]>(
        `SELECT ${columns} FROM ${driver.from} WHERE ${bounds} ORDER BY ${order} LIMIT 1 OFFSET ${this.#limits.rangeRows}`,
      )
      .raw();
    const range = [from, "r.seq >= @downToSeq"];
    const within = this.#page(driver, asked, [...range, `(${columns}) <= (${key("to")})${collate}`]);
    const rest = this.#page(driver, asked, range);
    const shared = { beforeSeq, limit: this.#limit };
    let newest = driver.also === undefined ? [] : this.#page(driver.also, asked, [])(shared);
    let start = first;
    for (;;) {
      const lower = named("from", start);
      const end = rangeEnd.get({ ...driver.parameters, accountId: this.#filter.accountId, ...lower });
      const downToSeq = newest[this.#limit - 1] ?? 0;
      const upper = end === undefined ? {} : named("to", end);
      const seqs = (end === undefined ? rest : within)({ ...shared, ...lower, ...upper, downToSeq });
      newest = [...new Set([...newest, ...seqs])].sort((a, b) => b - a).slice(0, this.#limit);
      if (end === undefined) return newest;
      start = after(end);
      yield;
    }
  }

  /** The newest messages of a driver's rows, each once, that meet all conditions. */
  #page(driver: Driver, asked: Conditions, range: string[]): (given: Parameters) => number[] {
    // Without a condition on the message it is not read for recipients that the page does not show.
    const join = asked.where.length > 0 ? "CROSS JOIN messages m ON m.seq = r.seq" : "";
    const bounds = ["r.account_id = @accountId", "r.seq < @beforeSeq", ...driver.bounds, ...range];
    const all = [...bounds, ...driver.where, ...asked.where].join(" AND ");
    const sql = `SELECT DISTINCT r.seq FROM ${driver.from} ${join} WHERE ${all} ORDER BY r.seq DESC LIMIT @limit`;
    const page = this.#seqs(sql);
    const given = { ...driver.parameters, ...asked.parameters, accountId: this.#filter.accountId };
    return (parameters) => page({ ...given, ...parameters });
  }

  #seqs(sql: string): (parameters: Parameters) => number[] {
    const statement = this.#db.prepare<Parameters, number>(sql).pluck();
    return (parameters) => statement.all(parameters);
  }
}

const named = (name: string, key: (string | number)[]): Parameters =>
  Object.fromEntries(key.map((value, i) => [`${name}${i}`, value]));
