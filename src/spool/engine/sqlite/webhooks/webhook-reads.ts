/**
 * The events that the sender of webhooks reads. Each read looks at a bounded number of rows, because it runs on the thread that serves
 * HTTP.
 */
import type { Database } from "better-sqlite3";
import type { OutboxEvent } from "../../../port/events.ts";
import type { Endpoint, FreshEvents } from "../../../port/webhooks.ts";
import type { DamageReports } from "../files/damage.ts";
import { prepareDecoding, prepareEventReads, SELECT_EVENTS, type StoredEvent } from "./event-reads.ts";

export function prepareWebhookReads(db: Database, damage: DamageReports) {
  return { event: prepareEvent(db, damage), freshEvents: prepareFreshEvents(db, damage) };
}

function prepareEvent(db: Database, damage: DamageReports) {
  const event = db.prepare<[string, number], StoredEvent>(`${SELECT_EVENTS} WHERE +e.account_id = ? AND e.number = ?`);
  const newDecoding = prepareDecoding(db, damage);
  return (accountId: string, eventNumber: number): OutboxEvent | null => {
    const row = event.get(accountId, eventNumber);
    return row === undefined ? null : newDecoding()(row);
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
