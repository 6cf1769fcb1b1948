/**
 * What the sender of webhooks reads: new events, retries that are due, and how much waits. Each read looks at a bounded number
 * of rows, because it runs on the thread that serves HTTP.
 */
import type { Database } from "better-sqlite3";
import type { OutboxEvent } from "../port/events.ts";
import type { DueRetries, Endpoint, FreshEvents } from "../port/webhooks.ts";
import { EVENTS_COUNTED_MAX, EVENTS_READ_MAX } from "../records/webhook-limits.ts";
import { type DamageReports, unlessDamaged } from "./damage.ts";
import { prepareAttemptReads } from "./endpoint-attempts.ts";
import { prepareEndpoint, prepareEndpointReads } from "./endpoints.ts";
import { OrderedEvents } from "./ordered-events.ts";
import { PLACEHOLDER } from "./outbox.ts";
import { type EventRow, eventOf, prepareEventReads, SELECT_EVENTS } from "./outbox-reads.ts";

export function prepareWebhookReads(db: Database, damage: DamageReports) {
  return {
    ...prepareEndpointReads(db, damage),
    ...prepareAttemptReads(db),
    event: prepareEvent(db, damage),
    freshEvents: prepareFreshEvents(db, damage),
    dueRetries: prepareDueRetries(db, damage),
    webhooksWaiting: prepareWaiting(db),
  };
}

function prepareEvent(db: Database, damage: DamageReports) {
  const event = db.prepare<[string, number], EventRow>(`${SELECT_EVENTS} WHERE o.account_id = ? AND o.number = ?`);
  return (accountId: string, eventNumber: number): OutboxEvent | null => {
    const row = event.get(accountId, eventNumber);
    return row === undefined ? null : eventOf(row, damage);
  };
}

interface WaitingRange {
  orderKey: number;
  lastNumber: number;
}

function prepareFreshEvents(db: Database, damage: DamageReports) {
  const { eventsAfter } = prepareEventReads(db, damage);
  const waitingOf = db.prepare<[string, string], WaitingRange>(
    `SELECT seq AS orderKey, last_number AS lastNumber FROM endpoint_retries
       WHERE endpoint_id = ? AND seq IN (SELECT value FROM json_each(?))`,
  );
  const versionOf = db.prepare<[string], number>("SELECT version FROM endpoints WHERE id = ?").pluck();
  return (endpoint: Endpoint, afterNumber: number, limit: number): FreshEvents => {
    const { id, accountId, version } = endpoint;
    const page = eventsAfter({ accountId, afterNumber, filter: endpoint, withDomains: true, limit });
    // Read after the events: a retry that was stored in between blocks them too.
    const rows = waitingOf.all(id, JSON.stringify(page.events.map(({ orderKey }) => orderKey)));
    // Read last: a replay, which is another version, may have left to a new sender what waited.
    if (versionOf.get(id) !== version) return { events: [], throughNumber: afterNumber, isEnd: true };
    const waiting = new Map(rows.map(({ orderKey, lastNumber }) => [orderKey, lastNumber]));
    const events = page.events.map((event) => {
      const lastNumber = waiting.get(event.orderKey);
      return { event, isBlocked: lastNumber !== undefined, isCovered: event.number <= (lastNumber ?? 0) };
    });
    return { ...page, events };
  };
}

interface RetryRow {
  orderKey: number;
  from: number;
  to: number;
  attempts: number;
  dueMs: number;
}

function prepareDueRetries(db: Database, damage: DamageReports) {
  const find = prepareEndpoint(db, damage);
  const count = db.prepare<[string], number>("SELECT count(*) FROM endpoint_retries WHERE endpoint_id = ?").pluck();
  const earliest = db.prepare<[string, number], RetryRow>(
    `SELECT seq AS orderKey, next_number AS "from", last_number AS "to", attempts, next_attempt_at_ms AS dueMs
       FROM endpoint_retries WHERE endpoint_id = ? ORDER BY next_attempt_at_ms, next_number LIMIT ?`,
  );
  const events = new OrderedEvents(db, damage);
  const nextEvent = (endpoint: Endpoint, { orderKey, from, to }: RetryRow): OutboxEvent | null => {
    const range = { accountId: endpoint.accountId, orderKey, from, to };
    const place = `the events with the order key ${orderKey}`;
    return unlessDamaged(() => events.first(range, endpoint), null, { log: damage, place });
  };
  return (endpointId: string, nowMs: number, limit: number): DueRetries => {
    const due: DueRetries = { retries: [], gone: [], nextDueMs: null, count: count.get(endpointId) ?? 0 };
    const endpoint = find(endpointId);
    // The filter of a paused one may be unreadable: its events are not gone.
    if (endpoint === null || endpoint.pausedAtMs !== null || endpoint.disabled !== null) return due;
    // The read leaves other due retries for the next.
    const rowsMax = events.rowsRead + EVENTS_READ_MAX;
    for (const [i, row] of earliest.all(endpointId, limit + 1).entries()) {
      if (row.dueMs > nowMs || i === limit || events.rowsRead >= rowsMax) return { ...due, nextDueMs: row.dueMs };
      const event = nextEvent(endpoint, row);
      if (event === null) due.gone.push(row.orderKey);
      else due.retries.push({ event, attempts: row.attempts, dueMs: row.dueMs });
    }
    return due;
  };
}

function prepareWaiting(db: Database) {
  const waiting = db.prepare<{ endpointId: string; placeholder: string }, { retries: number; events: number }>(
    `SELECT (SELECT count(*) FROM endpoint_retries WHERE endpoint_id = @endpointId) AS retries,
            (SELECT count(*) FROM (
               SELECT 1 FROM endpoints e JOIN outbox o ON o.account_id = e.account_id AND o.number > e.position
                 WHERE e.id = @endpointId AND o.type <> @placeholder LIMIT ${EVENTS_COUNTED_MAX})) AS events`,
  );
  return (endpointId: string) => waiting.get({ endpointId, placeholder: PLACEHOLDER }) ?? { retries: 0, events: 0 };
}
