/**
 * The rows of the table events of a copied message. Events keep their numbers, because readers continue after one. In SQLite, a
 * recipient's state is in its own row as well. Here the newest row of a recipient has its state: one is added where damage has kept the
 * event of the state from being written or read.
 */
import { newId } from "../../../../lib/new-id.ts";
import type { CopiedMessage, EventRow, RecipientRow } from "../../../records/copied-message.ts";
import type { Columns } from "../../../records/copied-tables.ts";

export const EVENT_TYPES: Columns = {
  seq: "bigint",
  number: "bigint",
  account_id: "text",
  id: "text",
  at_ms: "bigint",
  type: "text?",
  position: "int?",
  result: "text?",
  reason: "text?",
  category: "text?",
  attempts: "int?",
  smtp: "text?",
  history: "text?",
  domain: "text?",
};

/** The values of EVENT_TYPES. */
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
    const { position, updatedAtMs: atMs } = recipient;
    const own = { number: numbers.next(), accountId: message.account_id, id: newId("evt"), atMs, type: null, position };
    return { ...own, ...stateOf(recipient), history: null, domain: null };
  });
  return [...events, ...added].map((event) => eventRow(event, seq));
}

/** The row of an event under the number `seq` of its message, or of its own if it is of a domain. */
export function eventRow(event: EventRow, seq: number): EventValues {
  const { number, accountId, id, atMs, type, position, result, reason, category, attempts, smtp, history, domain } =
    event;
  return [seq, number, accountId, id, atMs, type, position, result, reason, category, attempts, smtp, history, domain];
}

/** Whether the newest event has the recipient's state. One that is as it was accepted needs no event. */
function isShown(recipient: RecipientRow, newest: EventRow | undefined, createdAtMs: number): boolean {
  const state = stateOf(recipient);
  if (newest !== undefined) return newest.atMs === recipient.updatedAtMs && isSame(newest, state);
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
