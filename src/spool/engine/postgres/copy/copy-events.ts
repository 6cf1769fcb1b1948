/**
 * The rows of the table events of a copied message. In SQLite, the entries of recipients' histories and the events of the outbox
 * are separate, and a recipient's state is in its own row. Here an event's row has the entry that was written with it, and the
 * newest row of a recipient has its state.
 *
 * Events keep their numbers, because readers continue after one. An entry without an event, as of a version without events, has
 * a row of no type. Where no number is free for it in its place, it and all earlier entries of the recipient have negative
 * numbers: no reader of events sees those, and the order of the history is kept.
 */
import { newId } from "../../../../lib/new-id.ts";
import type { CopiedMessage, EventRow, RecipientRow } from "../../../records/copied-message.ts";
import type { Columns } from "../../../records/copied-tables.ts";
import { isObject, soundJson } from "../../../records/stored-json.ts";
import { storedJson } from "../connection/stored-text.ts";

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

/** A recipient as of an event. `smtp` is JSON. */
interface State {
  result: string;
  reason: string | null;
  category: string | null;
  attempts: number;
  smtp: string | null;
}

interface RecipientEvent extends EventRow {
  state: State;
}

interface Entry {
  text: string;
  /** Null if it cannot be decoded. */
  atMs: number | null;
}

/** A row without an event of its own: an entry of the history, the recipient's present state, or both. */
interface Addition {
  position: number;
  atMs: number;
  entry: string | null;
  state: State | null;
}

/** Returns the rows of a message with the number `seq`. */
export function eventRows(copied: CopiedMessage, seq: number, numbers: NewNumbers): EventValues[] {
  const { message, recipients, histories, events } = copied;
  const positions = new Map(recipients.toReversed().map(({ email, position }) => [email, position]));
  const decoded = events.map((event) => ({ event, ...decodedDetail(event.detail) }));
  const entries = new Map<number, Entry[]>(recipients.map(({ position }) => [position, []]));
  for (const { position, entry } of histories) entries.get(position)?.push({ text: entry, atMs: timeOf(entry) });
  const attached = new Map<string, string>();
  const [before, after]: [Addition[], Addition[]] = [[], []];
  for (const recipient of recipients) {
    const own = decoded.flatMap(({ event, email, state }) =>
      state !== null && positions.get(email ?? "") === recipient.position ? [{ ...event, state }] : [],
    );
    const arranged = arrange(entries.get(recipient.position) ?? [], own);
    for (const [id, entry] of arranged.attached) attached.set(id, entry);
    addState({ recipient, createdAtMs: message.createdAtMs, events: own, ...arranged }, { before, after });
  }
  const { accountId } = message;
  return [
    ...before.map((addition, i) => additionRow({ seq, accountId, number: i - before.length }, addition)),
    ...decoded.map(({ event, email, state }) =>
      eventRow(seq, event, {
        position: email === null ? null : (positions.get(email) ?? null),
        state,
        entry: attached.get(event.id) ?? null,
      }),
    ),
    ...after.map((addition) => additionRow({ seq, accountId, number: numbers.next() }, addition)),
  ];
}

/** The row of the event of a domain, whose name is its detail. */
export function domainEventRow(event: EventRow, seq: number): EventValues {
  const { accountId, number, id, atMs, type, detail } = event;
  const domain = soundJson(detail, (value): value is string => typeof value === "string");
  // One that cannot be decoded is shown to no reader, as a result without a recipient.
  const result = domain === null ? UNREADABLE.result : null;
  return [seq, number, accountId, id, atMs, type, null, result, null, null, null, null, null, domain];
}

const UNREADABLE: State = { result: "pending", reason: null, category: null, attempts: 0, smtp: null };

/** The recipient of an event. Both are null for the event of a whole message. */
function decodedDetail(detail: string | null): { email: string | null; state: State | null } {
  if (detail === null) return { email: null, state: null };
  const value = soundJson(detail, isObject);
  if (value === null || typeof value.email !== "string") return { email: null, state: UNREADABLE };
  const { email, result, reason, category, attempts, smtp } = value as unknown as State & { email: string };
  return { email, state: { result, reason, category, attempts, smtp: storedJson(smtp) } };
}

/** Entries begin with their time. */
function timeOf(entry: string): number | null {
  const [, time] = /^\{"at_ms":(\d+)[,}]/.exec(entry) ?? [];
  if (time !== undefined) return Number(time);
  const value = soundJson(entry, isObject);
  return typeof value?.at_ms === "number" ? value.at_ms : null;
}

interface Arranged {
  /** Those with a row before all events. */
  before: Entry[];
  /** Those in the row of an event, by its id. */
  attached: Map<string, string>;
  /** Those with a row after all events. */
  after: Entry[];
}

/** Finds the event that each entry was written with, from the newest on. */
function arrange(entries: readonly Entry[], events: readonly EventRow[]): Arranged {
  const attached = new Map<string, string>();
  let [i, j] = [entries.length, events.length];
  const newest = events.at(-1);
  if (newest !== undefined) while (i > 0 && (entries[i - 1]?.atMs ?? 0) > newest.atMs) i -= 1;
  const after = entries.slice(i);
  while (i > 0 && j > 0) {
    const [entry, event] = [entries[i - 1] as Entry, events[j - 1] as EventRow];
    if (entry.atMs === null || entry.atMs > event.atMs) break;
    j -= 1;
    if (entry.atMs < event.atMs) continue;
    attached.set(event.id, entry.text);
    i -= 1;
  }
  return { before: entries.slice(0, i), attached, after };
}

interface ArrangedRecipient extends Arranged {
  recipient: RecipientRow;
  createdAtMs: number;
  events: readonly RecipientEvent[];
}

/** Adds the rows without events, of which the newest has the state unless an event has it. */
function addState(
  { recipient, createdAtMs, events, before, after }: ArrangedRecipient,
  additions: { before: Addition[]; after: Addition[] },
): void {
  const { position, updatedAtMs } = recipient;
  const state = stateOf(recipient);
  const additionOf = ({ text, atMs }: Entry): Addition => ({
    position,
    atMs: atMs ?? updatedAtMs,
    entry: text,
    state: null,
  });
  const [earlier, later] = [before.map(additionOf), after.map(additionOf)];
  const newest = events.at(-1);
  const isShown =
    newest === undefined
      ? earlier.length === 0 && isUntouched(recipient, createdAtMs)
      : newest.atMs === updatedAtMs && isSame(newest.state, state);
  if (later.length > 0 || !isShown) setNewest(newest === undefined ? earlier : later, { position, updatedAtMs, state });
  additions.before.push(...earlier);
  additions.after.push(...later);
}

/** Gives the state to the newest of these rows, or to a row of its own. */
function setNewest(
  rows: Addition[],
  { position, updatedAtMs: atMs, state }: { position: number; updatedAtMs: number; state: State },
): void {
  const last = rows.at(-1);
  if (last === undefined) rows.push({ position, atMs, entry: null, state });
  else Object.assign(last, { atMs, state });
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

/** Whether the recipient is as it was accepted: it needs no row. */
function isUntouched(
  { state, reason, category, attempts, smtp, updatedAtMs }: RecipientRow,
  createdAtMs: number,
): boolean {
  const isPending = state === "pending" || state === "marked";
  const isNew = reason === null && category === null && attempts === 0 && smtp === null;
  return isPending && isNew && updatedAtMs === createdAtMs;
}

function eventRow(
  seq: number,
  { accountId, number, id, atMs, type }: EventRow,
  { position, state, entry }: { position: number | null; state: State | null; entry: string | null },
): EventValues {
  return [seq, number, accountId, id, atMs, type, position, ...stateValues(state), entry, null];
}

function additionRow(
  { seq, accountId, number }: { seq: number; accountId: string; number: number },
  { position, atMs, entry, state }: Addition,
): EventValues {
  return [seq, number, accountId, newId("evt"), atMs, null, position, ...stateValues(state), entry, null];
}

const stateValues = (state: State | null): readonly unknown[] =>
  state === null
    ? [null, null, null, null, null]
    : [state.result, state.reason, state.category, state.attempts, state.smtp];
