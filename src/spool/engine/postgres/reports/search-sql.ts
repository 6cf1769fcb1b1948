/**
 * Translates a search to SQL: the index that is read, and the conditions that each of its messages must meet. Statements are
 * made for one search and not prepared, so the server plans them only for their window.
 */
import type { QueryResultRow } from "pg";
import type { Result } from "../../../../message/result/outcome.ts";
import type { ActedFilter, MessageFilter } from "../../../port/reports.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { lowered } from "../../../records/searched-filter.ts";
import { GIVES_RESULT } from "../../../schema/newest-event.ts";
import { type Session, type Statement, unprepared } from "../connection/statement.ts";
import { storedText, storedValue } from "../connection/stored-text.ts";
import type { SearchRange } from "./search-windows.ts";

/** A statement with its parameters. */
export interface SearchCommand<Row extends QueryResultRow> {
  query: Statement<Row>;
  values: unknown[];
}

/** Returns the rows of a statement. */
export const runSearch = async <Row extends QueryResultRow>(
  session: Session,
  { query, values }: SearchCommand<Row>,
): Promise<Row[]> => (await session.run(query, values)).rows;

/** An index in the order of seq, or the index of addresses, which is not. */
export type SearchIndex = "tag" | "failed" | "unknown" | "pending" | "key" | "account" | "address";

/** An index in the order of seq, by columns that are equal in all rows of the search. */
interface OrderedIndex {
  table: string;
  columns: [name: string, value: string | undefined][];
  where: string;
}

/** The columns of a message that conditions compare. */
const MESSAGE_COLUMNS = ["key_id", "domain_id", "created_at_ms", "sender", "subject", "message_id", "tags", "test"];

/** The tables of recipients that are not final. */
const PLACES: Partial<Record<Result, string>> = { pending: "work", unknown: "unknown_recipients" };

/** The best index in the order of seq. */
export function orderedIndexOf({ tag, result, keyId }: MessageFilter): SearchIndex {
  if (tag !== undefined) return "tag";
  if (result !== undefined && result !== "delivered") return result;
  return keyId === undefined ? "account" : "key";
}

/** Whether the index of addresses finds the recipient, because its whole address or the beginning is known. */
export const hasAddressIndex = ({ recipient, recipientIs }: MessageFilter): boolean =>
  recipientIs !== undefined || (recipient !== undefined && recipient.indexOf("@") > 0);

/** The counts of one recipient domain, or of all. */
export interface ActedCountRow {
  /** 1 for those of all. */
  isTotal: number;
  domain: string;
  recipients: number;
  messages: number;
  oldestMs: number;
  newestMs: number;
}

/** The statements of a search in one range of time. */
export class SearchSql {
  readonly #filter: MessageFilter;
  readonly #index: SearchIndex;
  readonly #values: unknown[] = [];
  readonly #from: string;
  readonly #before: string;
  readonly #order: "ASC" | "DESC";

  constructor(filter: MessageFilter, index: SearchIndex, { fromSeq, beforeSeq }: SearchRange) {
    this.#filter = filter;
    this.#index = index;
    this.#order = filter.after === undefined ? "DESC" : "ASC";
    this.#from = `${this.#add(fromSeq)}::bigint`;
    this.#before = `${this.#add(beforeSeq)}::bigint`;
  }

  /** Whether each message of the index is found. */
  static findsEach(filter: MessageFilter, index: SearchIndex): boolean {
    const sql = new SearchSql(filter, index, { fromSeq: 0, beforeSeq: 0 });
    return sql.#messageConditions().length + sql.#otherConditions().length === 0;
  }

  /** How many rows of an index one row costs whose message's recipients, or their newest results, are read too. */
  static costOf(filter: MessageFilter, index: SearchIndex): number {
    const sql = new SearchSql(filter, index, { fromSeq: 0, beforeSeq: 0 });
    const conditions = sql.#recipientConditions().join("");
    if (conditions.includes("FROM events")) return 5;
    return conditions === "" && filter.text === undefined ? 1 : 3;
  }

  /** Finds the first messages of the search among the first `rows` of the index, in the order of the search. */
  page(rows: number, limit: number): SearchCommand<{ seq: number }> {
    const [order, source] = this.#source(rows);
    const ofMessage = this.#messageConditions();
    const isJoined = ofMessage.length > 0 && !this.#hasMessageColumns;
    const message = `CROSS JOIN LATERAL (SELECT ${MESSAGE_COLUMNS} FROM messages WHERE ${this.#ofMessage} OFFSET 0) AS m`;
    const where = ["true", ...ofMessage, ...this.#otherConditions()].join(" AND ");
    const inOrder = order.map((name) => `c.${name} ${this.#order}`).join(", ");
    const text = `SELECT c.seq FROM (${source}) AS c ${isJoined ? message : ""}
      WHERE ${where} ORDER BY ${inOrder} LIMIT ${this.#add(limit)}`;
    return { query: unprepared(text), values: this.#values };
  }

  /** Whether `actedCounts` counts the recipients of the filter. */
  static countsActed({ result, tag, text, recipient, recipientIs, ...filter }: Omit<ActedFilter, "limit">): boolean {
    if (tag !== undefined || text !== undefined || (recipient ?? recipientIs) !== undefined) return false;
    // A pending recipient may have had no attempt, and no event then.
    const hasTimes = (filter.resultSinceMs ?? filter.resultUntilMs) !== undefined;
    return result === "failed" || result === "unknown" || (result === "pending" && !hasTimes);
  }

  /** Counts the recipients that an action is about, of the messages among the first `rows` of the index, by domain. */
  actedCounts({ result, exceptReasons = [], unchangedSinceMs }: Omit<ActedFilter, "limit">, rows: number) {
    const [, source] = this.#source(rows);
    const place = PLACES[result];
    const newest = (position: string): string =>
      `SELECT DISTINCT ON (position) position, at_ms, result, reason, category FROM events
         WHERE ${this.#ofMessage} AND ${position} ORDER BY position, number DESC`;
    const recipients =
      place === undefined
        ? newest("position IS NOT NULL")
        : `SELECT w.position, e.at_ms, NULL AS result, e.reason, e.category FROM ${place} AS w
             LEFT JOIN LATERAL (${newest("position = w.position")}) AS e ON true WHERE w.seq = c.seq`;
    const where = [...this.#messageConditions(), ...this.#stateConditions(), isInQueueSql("c.seq")];
    if (place === undefined) where.push(`newest.result = ${this.#add(result)}`);
    where.push(`(newest.reason IS NULL OR newest.reason <> ALL (${this.#add(exceptReasons)}::text[]))`);
    if (unchangedSinceMs !== undefined)
      where.push(`coalesce(newest.at_ms, m.created_at_ms) <= ${this.#add(unchangedSinceMs)}`);
    const text = `SELECT r.domain, grouping(r.domain) AS "isTotal", count(*)::integer AS recipients,
        count(DISTINCT c.seq)::integer AS messages, min(m.created_at_ms) AS "oldestMs", max(m.created_at_ms) AS "newestMs"
      FROM (${source}) AS c
      CROSS JOIN LATERAL (SELECT ${MESSAGE_COLUMNS} FROM messages WHERE ${this.#ofMessage} OFFSET 0) AS m
      CROSS JOIN LATERAL (${recipients} OFFSET 0) AS newest
      CROSS JOIN LATERAL (
        SELECT ${lower("split_part(email, '@', -1)")} AS domain FROM recipients
          WHERE ${this.#ofMessage} AND position = newest.position OFFSET 0
      ) AS r
      WHERE ${where.join(" AND ")} GROUP BY GROUPING SETS ((r.domain), ())`;
    return { query: unprepared<ActedCountRow>(text), values: this.#values };
  }

  /** Counts the first `rows` of the index, and returns the last of them. For an address: counts recipients. */
  extent(rows: number): SearchCommand<{ rows: number; last: number | null }> {
    const source = this.#index === "address" ? this.#addresses(`LIMIT ${this.#add(rows)}`) : this.#source(rows)[1];
    const last = this.#order === "DESC" ? "min" : "max";
    return {
      query: unprepared(`SELECT count(*) AS rows, ${last}(seq) AS last FROM (${source}) AS c`),
      values: this.#values,
    };
  }

  #add(value: unknown): string {
    this.#values.push(storedValue(value));
    return `$${this.#values.length}`;
  }

  /** Selects the rows of the index, and names the columns of their order. */
  #source(rows: number): [order: string[], text: string] {
    // OFFSET 0: an order is wanted of the rows found by their address, not of the rows in which it is looked for.
    if (this.#index === "address") {
      return [
        ["seq"],
        `SELECT seq FROM (${this.#addresses("OFFSET 0")}) AS r GROUP BY seq ORDER BY seq ${this.#order}`,
      ];
    }
    if (this.#index === "pending") {
      const account = this.#add(this.#filter.accountId);
      const text = `SELECT seq FROM work WHERE account_id = ${account} AND ${this.#within}
        GROUP BY seq ORDER BY seq ${this.#order} LIMIT ${this.#add(rows)}`;
      return [["seq"], text];
    }
    const { table, columns, where } = this.#ordered(this.#index);
    const names = [...columns.map(([name]) => name), "seq"];
    const values = columns.map(([, value]) => this.#add(value)).join(", ");
    const isMessages = table === "messages";
    const selected = isMessages ? [...new Set([...names, ...MESSAGE_COLUMNS])] : names;
    // Rows are compared, although the columns before seq are equal: only this index has the order then.
    const text = `SELECT ${selected} FROM ${table}
      WHERE (${names}) >= (${values}, ${this.#from}) AND (${names}) < (${values}, ${this.#before}) AND ${this.#within}${where}
      ${isMessages ? "" : `GROUP BY ${names}`} ORDER BY ${names.map((name) => `${name} ${this.#order}`)} LIMIT ${this.#add(rows)}`;
    return [names, text];
  }

  #ordered(index: Exclude<SearchIndex, "address" | "pending">): OrderedIndex {
    const { accountId, tag, keyId } = this.#filter;
    const account: OrderedIndex["columns"] = [["account_id", accountId]];
    if (index === "tag") return { table: "message_tags", columns: [...account, ["tag", tag]], where: "" };
    if (index === "failed") return { table: "events", columns: account, where: " AND result = 'failed'" };
    if (index === "unknown") return { table: "unknown_recipients", columns: account, where: "" };
    if (index === "account") return { table: "messages", columns: account, where: "" };
    return { table: "messages", columns: [["key_id", keyId]], where: ` AND account_id = ${this.#add(accountId)}` };
  }

  #addresses(rest: string): string {
    const account = this.#add(this.#filter.accountId);
    return `SELECT seq FROM recipients WHERE account_id = ${account} AND ${this.#address()} AND ${this.#within} ${rest}`;
  }

  get #hasMessageColumns(): boolean {
    return this.#index === "key" || this.#index === "account";
  }

  #messageConditions(): string[] {
    const { subject, text, messageId, from, keyId, senderDomains, test, accountId, sinceMs, untilMs } = this.#filter;
    const m = this.#hasMessageColumns ? "c" : "m";
    const where: string[] = [];
    if (subject !== undefined) where.push(`strpos(${lower(`${m}.subject`)}, ${this.#add(lowered(subject))}) > 0`);
    if (text !== undefined) where.push(this.#anywhere(m, text));
    if (messageId !== undefined) where.push(`${m}.message_id = ${this.#add(messageId)}`);
    if (from !== undefined) where.push(`${lower(`${m}.sender`)} = ${this.#add(lowered(from))}`);
    if (keyId !== undefined && this.#index !== "key") where.push(`${m}.key_id = ${this.#add(keyId)}`);
    if (senderDomains !== undefined) {
      const named = `account_id = ${this.#add(accountId)} AND name = ANY (${this.#add(senderDomains.map(storedText))})`;
      where.push(`${m}.domain_id = ANY (ARRAY (SELECT id FROM domains WHERE ${named}))`);
    }
    if (test !== undefined) where.push(`${m}.test = ${this.#add(test)}`);
    if (sinceMs !== undefined) where.push(`${m}.created_at_ms >= ${this.#add(sinceMs)}`);
    if (untilMs !== undefined) where.push(`${m}.created_at_ms < ${this.#add(untilMs)}`);
    return where;
  }

  /** Most messages have no tag that equals the text: their JSON, in which a whole tag is in quotes, excludes them. */
  #anywhere(m: string, text: string): string {
    const part = this.#add(lowered(text));
    const quoted = `strpos(${lower(`${m}.tags`)}, ${this.#add(lowered(JSON.stringify(text)))}) > 0`;
    const whole = `SELECT FROM json_array_elements_text(${m}.tags::json) AS tag WHERE ${lower("tag")} = ${part}`;
    const named = `SELECT FROM recipients WHERE ${this.#ofMessage} AND strpos(lower(email), ${part}) > 0 OFFSET 0`;
    return `(strpos(${lower(`${m}.subject`)}, ${part}) > 0 OR (${quoted} AND EXISTS (${whole})) OR EXISTS (${named}))`;
  }

  /** The conditions on other tables. OFFSET 0 keeps the planner from making them joins, which might read whole tables. */
  #otherConditions(): string[] {
    const { tag, accountId } = this.#filter;
    const where = this.#recipientConditions();
    if (tag === undefined || this.#index === "tag") return where;
    const named = `account_id = ${this.#add(accountId)} AND tag = ${this.#add(tag)}`;
    return [...where, `EXISTS (SELECT FROM message_tags WHERE ${named} AND ${this.#ofMessage} OFFSET 0)`];
  }

  /** The condition that one recipient has the filter's address and state; none if the index finds only such messages. */
  #recipientConditions(): string[] {
    const { result, recipient, recipientIs } = this.#filter;
    const ofState = this.#stateConditions();
    const hasState = ofState.length > 0 || (result !== undefined && !this.#hasResult(result));
    const hasAddress = (recipient ?? recipientIs) !== undefined && (this.#index !== "address" || hasState);
    if (!hasState && !hasAddress) return [];
    const place = result === undefined ? undefined : PLACES[result];
    const rows: string[] = [];
    const where = ["true"];
    if (hasAddress)
      rows.push(`(SELECT position FROM recipients WHERE ${this.#ofMessage} AND ${this.#address()}) AS named`);
    if (place !== undefined) rows.push(`(SELECT position FROM ${place} WHERE seq = c.seq) AS held`);
    if (ofState.length > 0 || (result !== undefined && place === undefined)) {
      rows.push(`(SELECT DISTINCT ON (position) position, result, reason, category, at_ms FROM events
        WHERE ${this.#ofMessage} AND position IS NOT NULL AND ${GIVES_RESULT} ORDER BY position, number DESC) AS newest`);
    }
    if (result !== undefined && place === undefined) where.push(`newest.result = ${this.#add(result)}`);
    where.push(...ofState);
    const joined = rows.map((row, i) => (i === 0 ? row : `JOIN ${row} USING (position)`)).join(" ");
    return [`EXISTS (SELECT FROM ${joined} WHERE ${where.join(" AND ")} OFFSET 0)`];
  }

  /** The conditions on the newest result of one recipient, beside the result itself. */
  #stateConditions(): string[] {
    const { category, reason, resultSinceMs, resultUntilMs } = this.#filter;
    const where: string[] = [];
    if (category !== undefined) where.push(`newest.category = ${this.#add(category)}`);
    if (reason !== undefined) where.push(`newest.reason = ${this.#add(reason)}`);
    if (resultSinceMs !== undefined) where.push(`newest.at_ms >= ${this.#add(resultSinceMs)}`);
    if (resultUntilMs !== undefined) where.push(`newest.at_ms < ${this.#add(resultUntilMs)}`);
    return where;
  }

  /** Whether all rows of the index have the result. A failed recipient may have been retried since. */
  #hasResult(result: Result): boolean {
    return result === this.#index && result !== "failed";
  }

  /** The condition on a recipient's address. */
  #address(): string {
    const { recipient = "", recipientIs } = this.#filter;
    if (recipientIs !== undefined) return `lower(email) = ${this.#add(lowered(recipientIs))}`;
    const text = lowered(recipient);
    if (text.indexOf("@") > 0) {
      return `lower(email) >= ${this.#add(text)} AND lower(email) < ${this.#add(`${text}\u{10ffff}`)}`;
    }
    if (text.startsWith("@")) return `right(lower(email), length(${this.#add(text)}::text)) = ${this.#add(text)}`;
    return `strpos(lower(email), ${this.#add(text)}) > 0`;
  }

  get #within(): string {
    return `seq >= ${this.#from} AND seq < ${this.#before}`;
  }

  get #ofMessage(): string {
    return `seq = c.seq AND ${this.#within}`;
  }
}

const lower = (column: string): string => `lower(${column} COLLATE "C")`;
