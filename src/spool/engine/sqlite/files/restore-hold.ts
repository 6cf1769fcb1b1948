/**
 * The restore hold: after a restore nothing is claimed until an operator decides whether to send what was pending in the
 * backup, or to make it unknown. If it cannot be read whether the spool was restored, it counts as restored. The caller holds the transaction.
 */

import type { Database } from "better-sqlite3";
import { categoryOfReason } from "../../../../message/result/classifier.ts";
import { PAUSE_ENTRY, parsePause, UNREADABLE_PAUSE } from "../../../port/delivery-pause.ts";
import type { ResumeResult } from "../../../port/operations.ts";
import { RESTORED, restoredEntry } from "../../../records/restored-entry.ts";
import type { RecipientKey } from "../../session.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import type { StoredState } from "../mail/recipient-states.ts";
import { DamagedMessages, isDamage } from "./damage.ts";

export interface ResumeArgs {
  nowMs: number;
  waiting: "send" | "hold";
}

export class RestoreHold {
  readonly #parts;
  readonly #note;
  readonly #addNote;
  readonly #removeNote;
  readonly #pending;
  readonly #damaged: DamagedMessages;
  /** The stored pause as committed; null if there is none. Each claim checks it. */
  #pause: string | null | "not read" = "not read";

  constructor(db: Database, parts: Pick<WriterParts, "hotQueue" | "quarantine" | "states" | "damage" | "rebuilding">) {
    const { damage, rebuilding } = parts;
    this.#parts = parts;
    this.#note = db.prepare<[string], string>("SELECT text FROM key_values WHERE name = ?").pluck();
    this.#addNote = db.prepare("INSERT INTO key_values (name, text) VALUES (?, ?)");
    this.#removeNote = db.prepare("DELETE FROM key_values WHERE name = ?");
    // Only from the index: the rows of the recipients may be damaged.
    this.#pending = db.prepare<[number], RecipientKey>(
      "SELECT seq, position FROM work INDEXED BY work_waiting WHERE mark IS NULL AND seq <= ?",
    );
    this.#damaged = new DamagedMessages(damage, {
      place: (seq) => `the message in row ${seq}, which was pending in the backup`,
      rebuilding,
    });
    this.load();
  }

  /** Reads the pause. Returns false if its note is damaged; then the pause read before stays in force. */
  load(): boolean {
    try {
      this.#pause = this.#note.get(PAUSE_ENTRY) ?? null;
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#parts.damage.note("the key-value entries", error);
      return false;
    }
  }

  isPaused(): boolean {
    // It may be readable now.
    if (this.#pause === "not read") this.load();
    return this.#pause !== null;
  }

  /** Returns the newest message of the backup while delivery is paused; 0 if that is unknown. */
  newestSeq(): number {
    if (this.#pause === null || this.#pause === "not read") return 0;
    const { backupAtMs, newestSeq } = parsePause(this.#pause);
    return backupAtMs === null ? 0 : newestSeq;
  }

  /** Recreates the damaged table of notes, with the pause if there is one or if that is unknown. Returns whether it could. */
  remakeKeyValues(): boolean {
    this.load();
    return this.#parts.rebuilding.table("key_values", () => {
      const pause = this.#pause;
      if (pause !== null) this.#addNote.run(PAUSE_ENTRY, pause === "not read" ? UNREADABLE_PAUSE : pause);
    });
  }

  /** Ends the pause. Returns null if there is none. */
  resumeDelivery({ nowMs, waiting }: ResumeArgs): Written<ResumeResult | null> {
    const text = this.#note.get(PAUSE_ENTRY);
    if (text === undefined) return { value: null };
    const { newestSeq } = parsePause(text);
    const value = waiting === "hold" ? this.#holdAll(newestSeq, nowMs) : { unknown: 0, unreadable: 0 };
    this.#removeNote.run(PAUSE_ENTRY);
    const committed = (): void => {
      this.#quarantineDamaged(nowMs);
      this.#parts.hotQueue.clear();
      this.load();
    };
    return { value, committed };
  }

  /** Makes what was pending in the backup unknown, except damaged messages. */
  #holdAll(newestSeq: number, nowMs: number): ResumeResult {
    const pending = this.#pending.all(newestSeq);
    const recipients = this.#damaged.readEach(pending, (key) => this.#parts.states.listed(key));
    for (const recipient of recipients) this.#holdOne(recipient, nowMs);
    return { unknown: recipients.length, unreadable: pending.length - recipients.length };
  }

  #holdOne(recipient: StoredState, nowMs: number): void {
    const held = { result: "unknown", reason: RESTORED, category: categoryOfReason(RESTORED), dueMs: null } as const;
    const { seq, attempts, smtp } = recipient;
    const history = restoredEntry(attempts, nowMs);
    this.#damaged.run(seq, () => this.#parts.states.set(recipient, { ...held, attempts, smtp, atMs: nowMs, history }));
  }

  /** Quarantines messages that could not be made unknown: no claim may return them until an operator decides. */
  #quarantineDamaged(nowMs: number): void {
    const { quarantine } = this.#parts;
    quarantine.setNow(nowMs);
    for (const [seq, error] of this.#damaged.errors) quarantine.suspect({ seq, part: "hold", error });
    this.#damaged.clear();
  }
}
