/**
 * Recovery at start: settles the recipients that the last process left marked. The final dot may have been sent for them,
 * so they become `unknown`, or `pending` if the policy is to retry. The caller holds the transaction.
 */

import type { Database } from "better-sqlite3";
import { categoryOfReason } from "../../message/category-of-reply.ts";
import type { SpoolEvent } from "../port/results.ts";
import { SETTLE, TOUCH_MESSAGE } from "./attempts.ts";
import { isDamage, isObject, RowDamaged, soundJson } from "./damage.ts";
import type { HistoryWriter } from "./history-writer.ts";
import type { RecipientKey } from "./recipient-key.ts";
import type { WriterParts } from "./writer-parts.ts";

export interface RecoverArgs {
  nowMs: number;
  result: "unknown" | "pending";
}

interface MarkedRow {
  account_id: string;
  attempts: number;
  mark: string;
  /** The earlier of the expiry and the sender's deadline. */
  until_ms: number;
}

interface StoredMark {
  mx: string;
  ip: string | null;
}

/** The state alone shows that the final dot was about to be sent. */
const UNREADABLE_MARK: StoredMark = { mx: "(the stored mark is damaged)", ip: null };

const REASON = "interrupted_after_final_dot";

export class Recovery {
  readonly #parts;
  readonly #marked;
  readonly #markedRow;
  readonly #settle;
  readonly #touch;
  /** Messages with marked recipients that could not be settled; the next start tries them again. */
  readonly #unrecoverable = new Set<number>();

  constructor(
    db: Database,
    parts: Pick<WriterParts, "quarantine" | "activity" | "outbox" | "damage" | "rebuilding"> & {
      history: HistoryWriter;
    },
  ) {
    this.#parts = parts;
    this.#marked = db.prepare<[], RecipientKey>(
      "SELECT seq, position FROM recipients INDEXED BY recipients_marked WHERE state = 'marked'",
    );
    this.#markedRow = db.prepare<[number, number], MarkedRow>(
      `SELECT r.account_id, r.attempts, r.mark, min(m.expires_at_ms, coalesce(m.deadline_ms, m.expires_at_ms)) AS until_ms
         FROM recipients r JOIN messages m USING (seq) WHERE seq = ? AND position = ?`,
    );
    this.#settle = db.prepare(SETTLE);
    this.#touch = db.prepare(TOUCH_MESSAGE);
  }

  /** Reads the index of marked recipients. Throws if it is damaged. */
  checkIndex(): void {
    this.#marked.all();
  }

  /** Returns every marked recipient; none if the index is known to be damaged. */
  marked(): RecipientKey[] {
    return this.#parts.damage.runOptional("the index of marked recipients", () => this.#marked.all(), []);
  }

  /** Settles every marked recipient. Returns how many. */
  recover(args: RecoverArgs): number {
    const { quarantine } = this.#parts;
    quarantine.setNow(args.nowMs);
    quarantine.forgetGone();
    const marked = this.marked().filter(({ seq }) => !this.#unrecoverable.has(seq));
    for (const recipient of marked) this.#recoverOrQuarantine(recipient, args);
    return marked.length;
  }

  /** Settles one marked recipient. Throws if its row is damaged; a damaged mark alone is replaced. */
  recoverOne({ seq, position }: RecipientKey, { nowMs, result: policy }: RecoverArgs): void {
    const row = this.#markedRow.get(seq, position);
    if (row === undefined) throw new RowDamaged("the index lists a marked recipient that is missing");
    // A pending recipient would fail as expired at once, although it may have been delivered.
    const result = nowMs < row.until_ms ? policy : "unknown";
    const nextMs = result === "pending" ? nowMs : null;
    const category = categoryOfReason(REASON);
    this.#settle.run(result, REASON, category, 1, nextMs, nowMs, null, result, seq, position);
    this.#touch.run(nowMs, seq);
    this.#parts.history.add(seq, position, JSON.stringify(recoveredEvent(row, { nowMs, nextMs })));
    this.#parts.outbox.addRecipient({ seq, position }, { accountId: row.account_id, atMs: nowMs, result });
    this.#parts.activity.recovered(row.account_id, { nowMs, result });
  }

  /** As `recoverOne`. If it throws, the transaction must be repeated; the message is left out then. */
  #recoverOrQuarantine(recipient: RecipientKey, args: RecoverArgs): void {
    try {
      this.recoverOne(recipient, args);
    } catch (error) {
      const { quarantine, damage, rebuilding } = this.#parts;
      // Before the indexes are checked, the damage may be an index's.
      if (!isDamage(error) || !rebuilding.hasTriedIndexes) throw error;
      this.#unrecoverable.add(recipient.seq);
      quarantine.suspect({ seq: recipient.seq, part: "mark", error });
      damage.avoid();
      throw error;
    }
  }
}

function recoveredEvent(
  { attempts, mark: stored }: MarkedRow,
  { nowMs, nextMs }: { nowMs: number; nextMs: number | null },
): SpoolEvent {
  const { mx, ip } = soundJson(stored, isMark) ?? UNREADABLE_MARK;
  const error = "Postrider stopped before the reply to the final dot arrived";
  return {
    at_ms: nowMs,
    type: "recovered",
    attempt: attempts + 1,
    reason: REASON,
    category: categoryOfReason(REASON),
    tries: [{ mx, ip, tls: null, stage: "final_dot", reply: null, error, note: null, policy: null }],
    next_attempt_at_ms: nextMs,
  };
}

const isMark = (value: unknown): value is StoredMark =>
  isObject(value) && typeof value.mx === "string" && (value.ip === null || typeof value.ip === "string");
