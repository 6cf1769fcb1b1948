/** What waits at a webhook endpoint: retries that are due, and how much is yet to be sent. */
import { type EventRange, first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { DueRetries } from "../../port/webhooks.ts";
import { type FilterRow, filterOf } from "../../records/endpoint-row.ts";
import { EVENTS_COUNTED_MAX } from "../../records/webhook-limits.ts";

interface WaitingEndpoint extends FilterRow {
  accountId: string;
  isActive: boolean;
  count: number;
}

interface WaitingRetry extends EventRange {
  attempts: number;
  dueMs: number;
}

const find = statement<WaitingEndpoint>(
  `SELECT account_id AS "accountId", types, keys, domains, paused_at_ms IS NULL AND disabled_at_ms IS NULL AS "isActive",
          (SELECT count(*) FROM endpoint_retries WHERE endpoint_id = endpoints.id) AS count
     FROM endpoints WHERE id = $1`,
  { booleans: ["isActive"] },
);

const earliest = statement<WaitingRetry>(
  `SELECT seq AS "orderKey", next_number AS "from", last_number AS "to", attempts, next_attempt_at_ms AS "dueMs"
     FROM endpoint_retries WHERE endpoint_id = $1 ORDER BY next_attempt_at_ms, next_number LIMIT $2`,
);

const countWaiting = statement<{ retries: number; events: number }>(
  `SELECT (SELECT count(*) FROM endpoint_retries WHERE endpoint_id = $1) AS retries,
          (SELECT count(*) FROM (
             SELECT 1 FROM endpoints JOIN account_events ON account_events.account_id = endpoints.account_id
                 AND account_events.number > endpoints.position
               WHERE endpoints.id = $1 AND shown LIMIT ${EVENTS_COUNTED_MAX}) AS counted) AS events`,
);

export const waitingEventOperations = {
  reads: {
    dueRetries,
    waitingAt: async (session: Session, endpointId: string) =>
      (await first(session, countWaiting, [endpointId])) ?? { retries: 0, events: 0 },
  },
  writes: {},
};

async function dueRetries(session: Session, endpointId: string, nowMs: number, limit: number): Promise<DueRetries> {
  const endpoint = await first(session, find, [endpointId]);
  const filter = endpoint === null ? null : filterOf(endpoint);
  const count = endpoint?.count ?? 0;
  // The filter of a paused one may be unreadable: its events are not gone.
  if (endpoint === null || filter === null || !endpoint.isActive || count === 0) {
    return { retries: [], gone: [], nextDueMs: null, count };
  }
  const { rows } = await session.run(earliest, [endpointId, limit + 1]);
  const due = rows.slice(0, limit).filter(({ dueMs }) => dueMs <= nowMs);
  const events = await session.firstEvents({ accountId: endpoint.accountId, ...filter }, due);
  // The rest is left to the next read.
  const found = due.slice(0, events.length).map((retry, i) => ({ ...retry, event: events[i] ?? null }));
  return {
    retries: found.flatMap(({ event, attempts, dueMs }) => (event === null ? [] : [{ event, attempts, dueMs }])),
    gone: found.flatMap(({ event, orderKey }) => (event === null ? [orderKey] : [])),
    nextDueMs: rows[found.length]?.dueMs ?? null,
    count,
  };
}
