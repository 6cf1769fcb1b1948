/**
 * Reads the events of order keys in their order: those of a message, or those of an account's domains. Events that cannot be
 * shown are passed over.
 */
import type { EventFilter, OutboxEvent } from "../../../port/events.ts";
import { DOMAINS_ORDER_KEY, type EventRow, eventOf } from "../../../records/event-row.ts";
import type { EventRange } from "../../session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { eventColumns, isOfKeyAndDomain, isOfType, MESSAGE_OF_EVENT } from "./event-rows.ts";

type FirstRow = EventRow & { range: number };

// The order of the joins and of the ranges keeps to indexes, and to the partition of each message.
const firstOfMessages = statement<FirstRow>(
  `SELECT ranges.ordinality AS range, ${eventColumns("event")},
          (SELECT count(*) FROM events AS former
             WHERE former.seq = event.seq AND former.number <= event.number AND former.type IS NOT NULL
               AND former.domain IS NULL) AS sequence
     FROM unnest($2::bigint[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS ranges (order_key, from_number, to_number)
     CROSS JOIN LATERAL (
       SELECT e.*, ${MESSAGE_OF_EVENT}
         FROM events e JOIN messages m ON m.seq = ranges.order_key LEFT JOIN domains d ON d.id = m.domain_id
         WHERE e.seq = ranges.order_key AND e.number BETWEEN ranges.from_number AND ranges.to_number AND e.domain IS NULL
           AND m.account_id = $1 AND ${isOfType("e")} AND ${isOfKeyAndDomain("m.key_id", "d.name")}
           AND (e.position IS NULL OR EXISTS (SELECT FROM recipients WHERE seq = e.seq AND position = e.position))
         ORDER BY e.number LIMIT 1) AS event`,
);

// An index has only the events of domains.
const firstOfDomains = statement<FirstRow>(
  `SELECT ranges.ordinality AS range, ${eventColumns("event")}, NULL::bigint AS sequence
     FROM unnest($2::bigint[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS ranges (order_key, from_number, to_number)
     CROSS JOIN LATERAL (
       SELECT e.*, NULL AS message_id, NULL AS key_id, NULL AS tags, NULL AS metadata, NULL::boolean AS test,
              NULL AS sender_domain FROM events e
         WHERE e.account_id = $1 AND e.domain IS NOT NULL AND e.number BETWEEN ranges.from_number AND ranges.to_number
           AND ${isOfType("e")} AND ${isOfKeyAndDomain("NULL", "e.domain")}
         ORDER BY e.number LIMIT 1) AS event`,
);

/** Returns for each range, in their order, the first event that the filter selects; null if there is none. */
export async function firstEvents(
  session: Session,
  { accountId, types, keys, domains }: EventFilter & { accountId: string },
  ranges: readonly EventRange[],
): Promise<(OutboxEvent | null)[]> {
  const found = new Map<EventRange, OutboxEvent | null>();
  const ofDomains = ranges.filter(({ orderKey }) => orderKey === DOMAINS_ORDER_KEY);
  const ofMessages = ranges.filter(({ orderKey }) => orderKey !== DOMAINS_ORDER_KEY);
  for (const [query, asked] of [
    [firstOfMessages, ofMessages],
    [firstOfDomains, ofDomains],
  ] as const) {
    if (asked.length === 0) continue;
    const [orderKeys, from, to] = [asked.map((r) => r.orderKey), asked.map((r) => r.from), asked.map((r) => r.to)];
    const { rows } = await session.run(query, [accountId, orderKeys, types, keys, domains, from, to]);
    for (const row of rows) {
      const range = asked[row.range - 1];
      if (range !== undefined) found.set(range, eventOf(row));
    }
  }
  return ranges.map((range) => found.get(range) ?? null);
}
