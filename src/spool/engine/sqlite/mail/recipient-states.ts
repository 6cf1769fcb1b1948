/**
 * Sets the state of a recipient after a decision, a retry, or a bounce or complaint. attempts.ts sets it during and after an attempt. The
 * caller holds the transaction and adds the event.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../../../message/result/category.ts";
import type { Result } from "../../../../message/result/outcome.ts";
import type { RecipientKey } from "./recipient-key.ts";

export const TOUCH_MESSAGE = "UPDATE messages SET updated_at_ms = ? WHERE seq = ?";

export interface NewState {
  result: Result;
  reason: string | null;
  category: Category | null;
  /** When the next attempt is due; null unless the result is pending. */
  dueMs: number | null;
  /** Whether its last reply stays, as the evidence of the state. */
  keepsReply: boolean;
  nowMs: number;
}

export class RecipientStates {
  readonly #set;
  readonly #touch;

  constructor(db: Database) {
    this.#set = db.prepare(
      `UPDATE recipients SET state = ?, reason = ?, category = ?, next_attempt_at_ms = ?, smtp = iif(?, smtp, NULL), mark = NULL,
         updated_at_ms = ? WHERE seq = ? AND position = ?`,
    );
    this.#touch = db.prepare(TOUCH_MESSAGE);
  }

  /** Gives the recipient the state, whatever it was. */
  set({ seq, position }: RecipientKey, { result, reason, category, dueMs, keepsReply, nowMs }: NewState): void {
    this.#set.run(result, reason, category, dueMs, Number(keepsReply), nowMs, seq, position);
  }

  /** Notes the time of a change in the message's row. */
  touch(seq: number, nowMs: number): void {
    this.#touch.run(nowMs, seq);
  }
}
