/**
 * What the sender of webhooks reads: new events, retries that are due, and how much waits.
 */
import type { EndpointStore, WebhookQueue } from "../port/webhooks.ts";
import { type FilterRow, filterOf } from "../records/endpoint-row.ts";
import { EVENTS_COUNTED_MAX } from "../records/webhook-limits.ts";
import { EVENT_PAGE, type NoPageRow, type PageRow, pageOf, pageValues } from "./event-page.ts";
import { readEvent } from "./event-reads.ts";
import { firstEvents } from "./ordered-events.ts";
import { type Session, statement } from "./statement.ts";

type FreshRow = PageRow & { waitingThrough: number | null };

// One snapshot: it has what waits as of the events, and is empty once a replay, which is another version, has dropped that.
const readFresh = statement<FreshRow | (NoPageRow & { waitingThrough: null })>(
  `SELECT page.*, (SELECT last_number FROM endpoint_retries WHERE endpoint_id = endpoints.id AND seq = page."orderKey")
            AS "waitingThrough"
     FROM endpoints LEFT JOIN (${EVENT_PAGE}) AS page ON true
     WHERE endpoints.id = $8 AND endpoints.version = $9
     ORDER BY page.number`,
);

interface WaitingRow extends FilterRow {
  accountId: string;
  isActive: boolean;
  count: number;
  orderKey: number | null;
  from: number;
  to: number;
  attempts: number;
  dueMs: number;
}

const readWaiting = statement<WaitingRow>(
  `SELECT account_id AS "accountId", types, keys, domains, paused_at_ms IS NULL AND disabled_at_ms IS NULL AS "isActive",
          (SELECT count(*) FROM endpoint_retries WHERE endpoint_id = $1) AS count,
          seq AS "orderKey", next_number AS "from", last_number AS "to", attempts, next_attempt_at_ms AS "dueMs"
     FROM endpoints
     LEFT JOIN LATERAL (SELECT * FROM endpoint_retries WHERE endpoint_id = $1
                          ORDER BY next_attempt_at_ms, next_number LIMIT $2) AS earliest ON true
     WHERE id = $1
     ORDER BY next_attempt_at_ms, next_number`,
);

const countWaiting = statement<{ retries: number; events: number }>(
  `SELECT (SELECT count(*) FROM endpoint_retries WHERE endpoint_id = $1) AS retries,
          (SELECT count(*) FROM (
             SELECT FROM events
               WHERE account_id = endpoints.account_id AND number > endpoints.position AND type IS NOT NULL
               LIMIT ${EVENTS_COUNTED_MAX}) AS counted) AS events
     FROM endpoints WHERE id = $1`,
);

export function webhookReads(
  database: Session,
): Pick<WebhookQueue, "freshEvents" | "dueRetries"> & Pick<EndpointStore, "event" | "waitingAt"> {
  return {
    async freshEvents({ id, version, accountId, ...endpoint }, afterNumber, limit) {
      const query = { accountId, afterNumber, filter: endpoint, withDomains: true, limit };
      const { rows } = await database.run(readFresh, [...pageValues(query), id, version]);
      if (rows.length === 0) return { events: [], throughNumber: afterNumber, isEnd: true };
      return pageOf(rows, afterNumber, (event, { waitingThrough }: FreshRow) => {
        return { event, isBlocked: waitingThrough !== null, isCovered: event.number <= (waitingThrough ?? 0) };
      });
    },

    async dueRetries(endpointId, nowMs, limit) {
      const { rows } = await database.run(readWaiting, [endpointId, limit + 1]);
      const [endpoint] = rows;
      const filter = endpoint === undefined ? null : filterOf(endpoint);
      const none = { retries: [], gone: [], nextDueMs: null, count: endpoint?.count ?? 0 };
      // The filter of a paused one may be unreadable: its events are not gone.
      if (endpoint === undefined || filter === null || !endpoint.isActive) return none;
      const waiting = rows.flatMap(({ orderKey, ...row }) => (orderKey === null ? [] : [{ orderKey, ...row }]));
      const due = waiting.slice(0, limit).filter(({ dueMs }) => dueMs <= nowMs);
      const events = await firstEvents(database, { accountId: endpoint.accountId, ...filter }, due);
      const found = due.map(({ orderKey, attempts, dueMs }, i) => ({ orderKey, attempts, dueMs, event: events[i] }));
      return {
        retries: found.flatMap(({ event, attempts, dueMs }) => (event ? [{ event, attempts, dueMs }] : [])),
        gone: found.flatMap(({ event, orderKey }) => (event ? [] : [orderKey])),
        nextDueMs: waiting[due.length]?.dueMs ?? null,
        count: endpoint.count,
      };
    },

    event: (accountId, eventNumber) => readEvent(database, { accountId, number: eventNumber }),

    async waitingAt(endpointId) {
      const { rows } = await database.run(countWaiting, [endpointId]);
      return rows[0] ?? { retries: 0, events: 0 };
    },
  };
}
