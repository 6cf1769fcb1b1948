/**
 * The rows of the table events of a copied message. Events keep their numbers, because readers continue after one. In SQLite, a
 * recipient's state is in its own row as well. Here the newest row of a recipient has its state: one is added where damage has kept the
 * event of the state from being written or read.
 */
import { newId } from "../../../../lib/new-id.ts";
import {
  type CopiedMessage,
  EVENT_NAMES,
  EVENT_TYPES,
  type EventRow,
  type RecipientRow,
} from "../../../records/copied-message.ts";
import type { Columns } from "../../../records/copied-tables.ts";

export const EVENTS: Columns = { seq: "bigint", ...EVENT_TYPES };

/** The values of EVENTS. */
export type EventValues = readonly unknown[];

/** Gives numbers greater than all that the copied spool has given. */
export class NewNumbers {
  #last: number;

  constructor(greatest: number) {
    this.#last = greatest;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

type State = Pick<EventRow, "result" | "reason" | "category" | "attempts" | "smtp">;

/** Returns the rows of a message with the number `seq`. */
export function eventRows(
  { message, recipients, events }: CopiedMessage,
  seq: number,
  numbers: NewNumbers,
): EventValues[] {
  const newest = new Map(events.map((event) => [event.position, event]));
  const missing = recipients.filter(
    (recipient) => !isShown(recipient, newest.get(recipient.position), message.created_at_ms),
  );
  const added = missing.map((recipient): EventRow => {
    const { position, updatedAtMs: at_ms } = recipient;
    const own = {
      number: numbers.next(),
      account_id: message.account_id,
      id: newId("evt"),
      at_ms,
      type: null,
      position,
    };
    return { ...own, ...stateOf(recipient), history: null, domain: null };
  });
  return [...events, ...added].map((event) => eventRow(event, seq));
}

/** The row of an event under the number `seq` of its message, or of its own if it is of a domain. */
export const eventRow = (event: EventRow, seq: number): EventValues => [seq, ...EVENT_NAMES.map((name) => event[name])];

/** Whether the newest event has the recipient's state. One that is as it was accepted needs no event. */
function isShown(recipient: RecipientRow, newest: EventRow | undefined, createdAtMs: number): boolean {
  const state = stateOf(recipient);
  if (newest !== undefined) return newest.at_ms === recipient.updatedAtMs && isSame(newest, state);
  const untouched: State = { result: "pending", reason: null, category: null, attempts: 0, smtp: null };
  return isSame(untouched, state) && recipient.updatedAtMs === createdAtMs;
}

const stateOf = ({ state, reason, category, attempts, smtp }: RecipientRow): State => ({
  result: state === "marked" ? "pending" : state,
  reason,
  category,
  attempts,
  smtp,
});

const isSame = (a: State, b: State): boolean =>
  a.result === b.result &&
  a.reason === b.reason &&
  a.category === b.category &&
  a.attempts === b.attempts &&
  a.smtp === b.smtp;
