/**
 * A page of an account's events in the order of their numbers. One statement reads it, looks at a bounded number of rows, and
 * stops as soon as the page is full. event-reads.ts and webhook-reads.ts add what they need to it.
 */
import type { EventPage, EventQuery, OutboxEvent } from "../../../port/events.ts";
import { type EventRow, eventOf } from "../../../records/event-row.ts";
import { EVENT_TEXT_MAX, EVENTS_READ_MAX } from "../../../records/webhook-limits.ts";
import { eventColumns, isOfKeyAndDomain, isOfType, MESSAGE_OF_EVENT } from "./event-rows.ts";

/** A row of EVENT_PAGE. Its `sequence` counts from the message's former row of the page. */
export interface PageRow extends EventRow {
  isSelected: boolean;
  /** The last row that the statement may look at. It is returned whether or not it is selected. */
  isLast: boolean;
  /** How many rows the statement has looked at, including this one. */
  rowsRead: number;
}

/** The row of an outer join for a page without rows. */
export type NoPageRow = { [Column in keyof PageRow]: null };

const IS_OF_TYPE = (event: string): string => `(${isOfType(event)} AND ($6::boolean OR ${event}.domain IS NULL))`;

/*
 * The join with a LIMIT is evaluated row by row, and only for rows whose type is selected. The columns are listed, and conditions
 * are not among them: each partition would prepare its own for every execution.
 */
const ROWS_READ = `
  SELECT e.seq, e.number, e.account_id, e.id, e.at_ms, e.type, e.position, e.result, e.reason, e.category, e.attempts, e.smtp,
         e.domain, m.message_id, m.key_id, m.tags, m.metadata, m.test, m.sender_domain
    FROM events e
    LEFT JOIN LATERAL (
      SELECT ${MESSAGE_OF_EVENT} FROM messages m LEFT JOIN domains d ON d.id = m.domain_id
        WHERE m.seq = e.seq AND e.domain IS NULL AND ${IS_OF_TYPE("e")} LIMIT 1) AS m ON true
    WHERE e.account_id = $1 AND e.number > $2
    ORDER BY e.number LIMIT ${EVENTS_READ_MAX}`;

const IS_SELECTED = `${IS_OF_TYPE("looked_at")}
  AND ${isOfKeyAndDomain("key_id", "coalesce(domain, sender_domain)")}`;

const TEXT_LENGTH =
  "coalesce(octet_length(tags), 0) + coalesce(octet_length(metadata), 0) + coalesce(octet_length(smtp), 0)";

/*
 * The window functions need no more than the next row, so the rows are read only until the page is full. Only selected rows
 * count as text: the row that exceeds the limit is returned, and the next page begins behind it.
 */
const FLAGGED_ROWS = `
  SELECT rows_read.*, lead(number) OVER by_number IS NULL AS is_last, row_number() OVER by_number AS row_number,
         coalesce(sum(CASE WHEN is_selected THEN ${TEXT_LENGTH} END)
                    OVER (by_number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS text_before
    FROM (SELECT looked_at.*, ${IS_SELECTED} AS is_selected FROM (${ROWS_READ}) AS looked_at) AS rows_read
    WINDOW by_number AS (ORDER BY number)`;

/** A message's first event is its acceptance. */
const SEQUENCE = `
  CASE WHEN NOT picked.is_selected OR picked.domain IS NOT NULL THEN NULL
       WHEN picked.type = 'message.accepted' THEN 1
       ELSE (SELECT count(*) FROM events AS former
               WHERE former.seq = picked.seq AND former.number > coalesce(picked.former_number, 0)
                 AND former.number <= picked.number AND former.type IS NOT NULL AND former.domain IS NULL) END`;

/** The parameters are those of `pageValues`; more may follow. The order of the rows is by `number`. */
export const EVENT_PAGE = `
  SELECT ${eventColumns("picked")}, ${SEQUENCE} AS sequence,
         picked.is_selected AS "isSelected", picked.is_last AS "isLast", picked.row_number AS "rowsRead"
    FROM (SELECT *, lag(number) OVER (PARTITION BY seq, domain ORDER BY number) AS former_number
            FROM (SELECT * FROM (${FLAGGED_ROWS}) AS flagged
                    WHERE (is_selected OR is_last) AND text_before < ${EVENT_TEXT_MAX}
                    ORDER BY number LIMIT $7) AS limited) AS picked`;

/** The parameters `$1` to `$7` of EVENT_PAGE. */
export function pageValues({ accountId, afterNumber, filter, withDomains, limit }: EventQuery): unknown[] {
  const { types, keys, domains } = filter;
  return [accountId, afterNumber ?? 0, types, keys, domains, withDomains, limit];
}

/** Decodes the rows of a page, each with `decode`. An event that cannot be shown is left out. */
export function pageOf<Row extends PageRow, T>(
  rows: readonly (Row | NoPageRow)[],
  afterNumber: number,
  decode: (event: OutboxEvent, row: Row) => T,
): Omit<EventPage, "events"> & { events: T[] } {
  const sequences = new Map<number, number>();
  const events: T[] = [];
  const found = rows.filter((row): row is Row => row.number !== null);
  for (const row of found.filter(({ isSelected }) => isSelected)) {
    const sequence = row.sequence === null ? null : row.sequence + (sequences.get(row.orderKey) ?? 0);
    if (sequence !== null) sequences.set(row.orderKey, sequence);
    const event = eventOf({ ...row, sequence });
    if (event !== null) events.push(decode(event, row));
  }
  const last = found.at(-1);
  const isEnd = last === undefined || (last.isLast && last.rowsRead < EVENTS_READ_MAX);
  return { events, throughNumber: last?.number ?? afterNumber, isEnd };
}
