/**
 * The states of recipients: the place of each that is not final, and the event of each change. If the events of an account are damaged,
 * its final results are stored in their places, because a result is worth more than its event. The caller holds the transaction.
 * schema/sqlite.ts describes the tables.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../../../message/result/category.ts";
import type { Result } from "../../../../message/result/outcome.ts";
import type { EventType } from "../../../port/events.ts";
import type { SpoolEvent } from "../../../port/results.ts";
import type { RecipientKey } from "../../session.ts";
import { RowDamaged } from "../files/damage.ts";
import type { EventState, EventWriter } from "./event-writer.ts";

/** A recipient, and what its place repeats of it. */
export interface PlacedRecipient extends RecipientKey {
  accountId: string;
  domain: string;
}

/** The state of a recipient as it is stored. */
export interface StoredState extends PlacedRecipient {
  email: string;
  result: Result;
  reason: string | null;
  category: Category | null;
  /** Attempts settled. */
  attempts: number;
  /** The last reply, in JSON. */
  smtp: string | null;
  /** When the next attempt is due; null unless the result is pending. */
  dueMs: number | null;
  /** The evidence of the mark, in JSON; null unless the recipient is at its final dot. */
  mark: string | null;
  /** The time of the result; null before the first one. */
  atMs: number | null;
}

/** A change of a recipient's state. */
export interface StateChange extends EventState {
  /** When the next attempt is due; null unless the result is pending. */
  dueMs: number | null;
  atMs: number;
  /** The type of the event; that of the result if absent. */
  type?: EventType | null;
  /** The entry of the history, or its JSON; null for none. */
  history: SpoolEvent | string | null;
}

const STATE = `
  SELECT seq, position, account_id AS accountId, email, domain, result, reason, category, attempts, smtp, due_ms AS dueMs, mark,
         at_ms AS atMs
    FROM recipient_states`;

export class RecipientStates {
  readonly #events: EventWriter;
  readonly #statements;

  constructor(db: Database, events: EventWriter) {
    this.#events = events;
    this.#statements = { ...prepareReads(db), ...prepareWrites(db) };
  }

  /** Undefined if there is no such recipient. Throws if the row is damaged. */
  of({ seq, position }: RecipientKey): StoredState | undefined {
    const state = this.#statements.one.get(seq, position);
    if (state !== undefined && !Number.isInteger(state.attempts)) throw noAttempts(position);
    return state;
  }

  /** As `of`, of a recipient that an index lists. Throws if its row is missing. */
  listed(key: RecipientKey): StoredState {
    const state = this.of(key);
    if (state === undefined) throw new RowDamaged("the index lists a recipient that is missing");
    return state;
  }

  /** Of all recipients of a message, in the order of their positions. */
  ofMessage(seq: number): StoredState[] {
    return this.#statements.all.all(seq);
  }

  /** Gives a new recipient its final result. */
  addFinal(recipient: PlacedRecipient, change: Omit<StateChange, "dueMs">): void {
    this.#addEvent(recipient, { ...change, dueMs: null });
  }

  /** Sets the state of a recipient that waits or is in an attempt. Returns false, and changes nothing, if it is neither. */
  settle(recipient: PlacedRecipient, change: StateChange): boolean {
    const { seq, position } = recipient;
    const { wait, endWork } = this.#statements;
    const { changes } =
      change.dueMs === null ? endWork.run(seq, position) : wait.run(change.dueMs, change.attempts, seq, position);
    if (changes === 0) return false;
    if (change.result === "unknown") this.#addUnknown(recipient, change);
    this.#addEvent(recipient, change);
    return true;
  }

  /**
   * Sets the state of a recipient that was recovered as unknown. Returns false, and changes nothing, unless it has been unknown since
   * `sinceMs`, after `change.attempts` attempts.
   */
  settleUnknown(recipient: PlacedRecipient, sinceMs: number, change: StateChange): boolean {
    const { seq, position } = recipient;
    if (this.#statements.endRecovered.run(seq, position, sinceMs, change.attempts).changes === 0) return false;
    this.#place(recipient, change);
    this.#addEvent(recipient, change);
    return true;
  }

  /** Sets the state of a recipient, whatever it was. */
  set(recipient: PlacedRecipient, change: StateChange): void {
    const { seq, position } = recipient;
    this.#statements.endWork.run(seq, position);
    this.#statements.endUnknown.run(seq, position);
    this.#place(recipient, change);
    this.#addEvent(recipient, change);
  }

  #place(recipient: PlacedRecipient, change: StateChange): void {
    const { seq, position, accountId, domain } = recipient;
    const { dueMs, attempts } = change;
    if (dueMs !== null) this.#statements.addWork.run(seq, position, accountId, domain, dueMs, attempts);
    else if (change.result === "unknown") this.#addUnknown(recipient, change);
  }

  /** `known`: a result whose event could not be written. */
  #addUnknown(
    { seq, position, accountId, domain }: PlacedRecipient,
    { attempts, atMs }: Pick<StateChange, "attempts" | "atMs">,
    known: Pick<StateChange, "result" | "reason" | "category" | "smtp"> | null = null,
  ): void {
    const { result = null, reason = null, category = null, smtp = null } = known ?? {};
    const place = [seq, position, accountId, domain, attempts, atMs] as const;
    this.#statements.addUnknown.run(...place, result, reason, category, smtp);
  }

  /** Without its event, a final result is stored all the same. */
  #addEvent(recipient: PlacedRecipient, { dueMs: _, ...event }: StateChange): void {
    if (this.#events.addRecipient(recipient, event)) return;
    if (event.result === "delivered" || event.result === "failed") this.#addUnknown(recipient, event, event);
  }
}

export const noAttempts = (position: number): RowDamaged =>
  new RowDamaged(`recipient ${position} has no number of attempts`);

function prepareReads(db: Database) {
  return {
    one: db.prepare<[number, number], StoredState>(`${STATE} WHERE seq = ? AND position = ?`),
    all: db.prepare<[number], StoredState>(`${STATE} WHERE seq = ? ORDER BY position`),
  };
}

function prepareWrites(db: Database) {
  return {
    wait: db.prepare<[number, number, number, number]>(
      "UPDATE work SET due_ms = ?, attempts = ?, mark = NULL WHERE seq = ? AND position = ?",
    ),
    endWork: db.prepare<[number, number]>("DELETE FROM work WHERE seq = ? AND position = ?"),
    endUnknown: db.prepare<[number, number]>("DELETE FROM unknown_recipients WHERE seq = ? AND position = ?"),
    endRecovered: db.prepare<[number, number, number, number]>(
      "DELETE FROM unknown_recipients WHERE seq = ? AND position = ? AND at_ms = ? AND attempts = ? AND result IS NULL",
    ),
    addWork: db.prepare<[number, number, string, string, number, number]>(
      "INSERT INTO work (seq, position, account_id, domain, due_ms, attempts) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    addUnknown: db.prepare(
      `INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms, result, reason, category, smtp)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}
