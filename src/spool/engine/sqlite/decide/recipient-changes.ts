/**
 * What operations of the store do beside their statements, chiefly to recipients. Those of quarantined or damaged messages are left out,
 * and counted. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import type { Result, SmtpRecord } from "../../../../message/result/outcome.ts";
import type { DomainEvent } from "../../../port/domain-standing.ts";
import { countChange } from "../../../records/counted-change.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { isReply, soundJson } from "../../../records/stored-json.ts";
import type {
  NamedRecipients,
  NewState,
  PendingSelection,
  RecipientKey,
  RepeatingEvent,
  StatesOf,
  TakenFailed,
  TakenRecipient,
  TakenRecipients,
  TakenSome,
} from "../../session.ts";
import type { SessionChanges } from "../connection/sqlite-session.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { DamagedMessages, RowDamaged } from "../files/damage.ts";
import type { Soundness } from "../files/soundness.ts";
import type { Pauses } from "../mail/pauses.ts";
import type { StoredState } from "../mail/recipient-states.ts";

export interface RecipientChangeParts
  extends Pick<
    WriterParts,
    "scheduler" | "hotQueue" | "quarantine" | "activity" | "events" | "states" | "damage" | "rebuilding"
  > {
  soundness: Soundness;
  pauses: Pick<Pauses, "load">;
  /** Schedules the pending recipients of messages released from quarantine. */
  loadQueues: () => void;
}

type FailedRow = Omit<TakenFailed, "smtp" | "former" | "isKept"> & { result: Result; smtp: string | null };

/** What follows the commit of an operation. */
interface Following {
  /** Messages that leave the quarantine. */
  released: Set<number>;
  /** When recipients of these domain queues fall due. */
  due: { accountId: string; domain: string; dueMs: number; isUrgent: boolean }[];
  areStatesChanged: boolean;
  arePausesChanged: boolean;
}

export class RecipientChanges implements SessionChanges {
  readonly #parts;
  readonly #damaged: DamagedMessages;
  readonly #statements;
  #following: Following = nothing();

  constructor(db: Database, parts: RecipientChangeParts) {
    this.#parts = parts;
    this.#damaged = new DamagedMessages(parts.damage, {
      place: (seq) => `the message in row ${seq}, whose recipients an operation changes`,
      rebuilding: parts.rebuilding,
    });
    this.#statements = prepareStatements(db);
  }

  /** Begins an operation. The caller calls the returned function after its commit. */
  begin(): () => void {
    const following = nothing();
    this.#following = following;
    return () => this.#committed(following);
  }

  /** To be called when an operation has failed for another reason than damage: what it left out is read again next time. */
  failed(): void {
    this.#damaged.clear();
  }

  takeRecipients({ accountId, recipients: named }: NamedRecipients, result: "pending" | "unknown"): TakenRecipients {
    const taken: TakenRecipients = { recipients: [], atDot: 0, locked: 0, unreadable: 0 };
    for (const { messageId, positions } of named) {
      const seq = this.#statements.seqOf.get(messageId, accountId);
      if (seq === undefined) continue;
      if (this.#isHeld(seq) || this.#damaged.has(seq)) taken.unreadable += positions.length;
      else for (const position of positions) this.#take({ seq, position }, result, taken);
    }
    return taken;
  }

  #take(key: RecipientKey, result: "pending" | "unknown", taken: TakenRecipients): void {
    const state = this.#damaged.run(key.seq, () => this.#parts.states.of(key));
    if (state === undefined || state.result !== result) return;
    if (state.mark === null) taken.recipients.push(takenRecipient(state));
    else taken.atDot += 1;
  }

  keepPending(selection: PendingSelection): TakenSome {
    const keys = "keys" in selection ? selection.keys : this.#waitingAt(selection);
    const free = keys.filter(({ seq }) => !this.#isHeld(seq));
    const states = this.#damaged.readEach(free, (key) => this.#parts.states.listed(key));
    const pending = states.filter(({ result, mark }) => result === "pending" && mark === null);
    return { recipients: pending.map(takenRecipient), unreadable: keys.length - states.length };
  }

  #waitingAt({ limit, ...selected }: Extract<PendingSelection, { domain: string }>): RecipientKey[] {
    // Damaged ones are left out, however many the operation has met.
    return this.#statements.waitingAt.all({ ...selected, limit: limit + this.#damaged.size });
  }

  takeFailed(
    keys: readonly RecipientKey[],
    released: number | null,
  ): { recipients: TakenFailed[]; unreadable: number } {
    const free = keys.filter(({ seq }) => seq === released || !this.#isHeld(seq));
    const rows = this.#damaged.readEach(free, (key) => {
      const row = this.#statements.failed.get(key);
      if (row === undefined) throw new RowDamaged("the index lists a failed recipient that is missing");
      return { ...row, smtp: replyOf(row.smtp) };
    });
    const recipients = rows
      .filter(({ result }) => result === "failed")
      .map((row): TakenFailed => {
        const former = { result: "failed", atMs: row.failedAtMs } as const;
        return { ...row, former, isKept: false };
      });
    return { recipients, unreadable: keys.length - rows.length };
  }

  setStates(states: readonly NewState[], of: StatesOf): void {
    const { activity, states: stored } = this.#parts;
    const { accountId, nowMs: atMs, areUrgent: isUrgent = false } = of;
    for (const state of states) {
      const { recipient, smtp, ...change } = state;
      const { seq, domain, attempts } = recipient;
      const reply = smtp === null ? null : JSON.stringify(smtp);
      this.#damaged.run(seq, () => stored.set(recipient, { ...change, attempts, smtp: reply, atMs }));
      countChange(activity, state, of);
      const { dueMs } = change;
      if (dueMs !== null) this.#following.due.push({ accountId, domain, dueMs, isUrgent });
    }
    this.#following.areStatesChanged = true;
  }

  takeUnknown(key: RecipientKey): TakenRecipient | null {
    const state = this.#parts.states.of(key);
    return state?.result === "unknown" ? takenRecipient(state) : null;
  }

  /** A recipient that cannot be read or changed keeps the others from it, too. */
  takeQuarantined(seq: number): TakenSome {
    if (this.#damaged.has(seq)) return { recipients: [], unreadable: 1 };
    const positions = this.#damaged.run(seq, () => this.#statements.openOf.all({ seq }));
    const states = positions.map((position) => this.#damaged.run(seq, () => this.#parts.states.of({ seq, position })));
    const recipients = states.flatMap((state) => (state === undefined ? [] : takenRecipient(state)));
    return { recipients, unreadable: positions.length - recipients.length };
  }

  problemOfQuarantined(seq: number): string | null {
    if (!this.#parts.quarantine.has(seq)) return null;
    const known = this.#damaged.errors.get(seq);
    if (known !== undefined) return (known as Error).message;
    try {
      this.#parts.soundness.checkRows(seq);
      this.#parts.soundness.checkContent(seq);
      return null;
    } catch (error) {
      // A page that SQLite cannot read fails the transaction as well.
      if (error instanceof RowDamaged) return error.message;
      return this.#damaged.run(seq, () => {
        throw error;
      });
    }
  }

  releaseQuarantined(seq: number): void {
    if (!this.#parts.quarantine.has(seq)) return;
    this.#parts.quarantine.remove(seq);
    this.#following.released.add(seq);
  }

  addRecipientEvent(key: RecipientKey, event: RepeatingEvent): void {
    const state = this.#parts.states.listed(key);
    this.#parts.events.addRecipient(state, { ...state, ...event });
  }

  addDomainEvent(event: DomainEvent): void {
    this.#parts.events.addDomainEvent(event);
  }

  pausesChanged(): void {
    this.#following.arePausesChanged = true;
  }

  #isHeld(seq: number): boolean {
    return this.#parts.quarantine.has(seq) && !this.#following.released.has(seq);
  }

  #committed({ released, due, areStatesChanged, arePausesChanged }: Following): void {
    const { scheduler, hotQueue, quarantine, pauses, loadQueues } = this.#parts;
    this.#damaged.clear();
    if (arePausesChanged) pauses.load();
    for (const seq of released) quarantine.released(seq);
    if (released.size > 0) loadQueues();
    for (const { accountId, domain, dueMs, isUrgent } of due) {
      if (isUrgent) scheduler.enqueue(accountId, domain, dueMs);
      else scheduler.schedule(accountId, domain, dueMs);
    }
    if (areStatesChanged) hotQueue.clear();
  }
}

const nothing = (): Following => ({
  released: new Set(),
  due: [],
  areStatesChanged: false,
  arePausesChanged: false,
});

const replyOf = (stored: string | null): SmtpRecord | null => (stored === null ? null : soundJson(stored, isReply));

function takenRecipient({ smtp, result, atMs, ...state }: StoredState): TakenRecipient {
  const { seq, position, accountId, domain, attempts, reason, category } = state;
  const former = result === "unknown" ? { result, atMs: atMs ?? 0 } : null;
  return { seq, position, accountId, domain, attempts, reason, category, smtp: replyOf(smtp), former, isKept: false };
}

function prepareStatements(db: Database) {
  return {
    seqOf: db.prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?").pluck(),
    openOf: db
      .prepare<{ seq: number }, number>(
        `SELECT position FROM work WHERE seq = @seq
           UNION ALL SELECT position FROM unknown_recipients WHERE seq = @seq AND result IS NULL ORDER BY position`,
      )
      .pluck(),
    // Only from the indexes: the rows of the recipients may be damaged. The sender has chosen when scheduled ones are due.
    waitingAt: db.prepare<Extract<PendingSelection, { domain: string }>, RecipientKey>(
      `SELECT seq, position FROM work INDEXED BY work_waiting
         WHERE mark IS NULL AND account_id = @accountId AND domain = @domain AND due_ms > @laterThanMs
           AND ${isInQueueSql("seq")}
           AND (seq, due_ms) NOT IN (SELECT seq, send_at_ms FROM messages INDEXED BY messages_scheduled WHERE send_at_ms > @laterThanMs)
         ORDER BY due_ms LIMIT @limit`,
    ),
    failed: db.prepare<RecipientKey, FailedRow>(
      `SELECT r.seq, r.position, r.account_id AS accountId, r.email, r.domain, r.result, r.reason, r.category, r.attempts, r.smtp,
              r.at_ms AS failedAtMs, m.id AS messageId, m.deadline_ms AS deadlineMs,
              EXISTS (SELECT 1 FROM contents c WHERE c.seq = r.seq) AS hasContent
         FROM recipient_states r CROSS JOIN messages m ON m.seq = r.seq WHERE r.seq = @seq AND r.position = @position`,
    ),
  };
}
