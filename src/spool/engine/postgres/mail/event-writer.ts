/**
 * Writes events inside the transaction that makes them true. The callers decide which events there are; event-reads.ts reads
 * them.
 *
 * Readers continue after the greatest number that they have seen, so within an account no number may become visible after a
 * greater one. A transaction therefore takes its accounts' locks before it numbers its events, and holds them until it has
 * committed. It is the last thing that a transaction does, because transactions of one account wait for each other from here on.
 * Advisory locks leave no dead rows behind, as a counter in a row would.
 */

import { newId } from "../../../../lib/new-id.ts";
import type { EventRecipient, EventType } from "../../../port/events.ts";
import type { SpoolEvent } from "../../../port/results.ts";
import { type Session, type Statement, statement } from "../connection/statement.ts";
import { storedJson, storedText } from "../connection/stored-text.ts";

/** A recipient as of its event, without its address, which is in the table of recipients. */
export interface EventState extends Omit<EventRecipient, "email"> {
  position: number;
}

export interface NewEvent {
  /** The message; for the event of a domain a number of its time (see message-number.ts). */
  seq: number;
  accountId: string;
  /** Generated if absent. A caller that may have to repeat the write keeps it, and finds by it whether it was stored. */
  id?: string;
  atMs: number;
  /** Null for an entry that belongs only to the recipient's history. */
  type: EventType | null;
  /** Null for the event of a whole message or of a domain. */
  recipient: EventState | null;
  /** The entry of the recipient's history; null for none. */
  history: SpoolEvent | null;
  /** The domain's name if it is the event of a domain. */
  domain?: string;
}

/** A statement with its parameters. */
export interface Command {
  query: Statement;
  values: unknown[];
}

/** The first key of the advisory locks of accounts; the second one is the hash of the account's id. */
const ACCOUNT_LOCKS = 0x6576_6e74;

// In the order of the hashes: transactions that take several locks cannot wait for each other in a circle.
const lockAccounts = statement(
  `SELECT pg_advisory_xact_lock(${ACCOUNT_LOCKS}, hash) FROM
     (SELECT DISTINCT hashtext(account_id) AS hash FROM unnest($1::text[]) AS accounts (account_id) ORDER BY 1) AS hashes`,
);

/** The columns of events in the order of a writer's SELECT. */
export const EVENT_COLUMNS =
  "seq, number, account_id, id, at_ms, type, position, result, reason, category, attempts, smtp, history, domain";

/** The rows of eventColumns, for a FROM clause. */
export const EVENT_ROWS = `
  unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[],
         $10::int[], $11::text[], $12::text[], $13::text[])
    AS added (seq, account_id, id, at_ms, type, position, result, reason, category, attempts, smtp, history, domain)`;

const addEvents = statement(
  `INSERT INTO events (${EVENT_COLUMNS})
     SELECT seq, nextval('event_numbers'), account_id, id, at_ms, type, position, result, reason, category, attempts, smtp,
            history, domain
       FROM ${EVENT_ROWS}`,
);

/** Takes the locks under which the accounts' events are numbered, until the end of the transaction. */
export const lockCommand = (accountIds: Iterable<string>): Command => ({
  query: lockAccounts,
  values: [[...new Set(accountIds)]],
});

/** The commands that write events, in their order; to be the last of a transaction. None for no events. */
function eventCommands(events: readonly NewEvent[]): Command[] {
  if (events.length === 0) return [];
  return [lockCommand(events.map(({ accountId }) => accountId)), { query: addEvents, values: eventColumns(events) }];
}

/** Writes events as the last statements of a transaction. */
export async function writeEvents(session: Session, events: readonly NewEvent[]): Promise<void> {
  for (const { query, values } of eventCommands(events)) await session.run(query, values);
}

/** The parameters of EVENT_ROWS. */
export function eventColumns(events: readonly NewEvent[]): unknown[] {
  return [
    events.map(({ seq }) => seq),
    events.map(({ accountId }) => accountId),
    events.map(({ id }) => id ?? newId("evt")),
    events.map(({ atMs }) => atMs),
    events.map(({ type }) => type),
    events.map(({ recipient }) => recipient?.position ?? null),
    events.map(({ recipient }) => recipient?.result ?? null),
    events.map(({ recipient }) => (recipient?.reason == null ? null : storedText(recipient.reason))),
    events.map(({ recipient }) => recipient?.category ?? null),
    events.map(({ recipient }) => recipient?.attempts ?? null),
    events.map(({ recipient }) => storedJson(recipient?.smtp)),
    events.map(({ history }) => storedJson(history)),
    events.map(({ domain }) => domain ?? null),
  ];
}
