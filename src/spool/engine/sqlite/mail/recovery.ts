/**
 * Recovery: settles the marked recipients whose lease has expired, at the start of a process all that the last one left. The
 * final dot may have been sent for them, so they become `unknown`, or `pending` if the policy is to retry. The caller holds
 * the transaction.
 */

import type { Database } from "better-sqlite3";
import { categoryOfReason } from "../../../../message/result/classifier.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import { INTERRUPTED, recoveredEntry } from "../../../records/attempt-entry.ts";
import type { RecipientKey } from "../../session.ts";
import { NUMBER } from "../connection/parameters.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage, RowDamaged } from "../files/damage.ts";

export interface RecoverArgs {
  nowMs: number;
  result: "unknown" | "pending";
}

interface MarkedRow {
  accountId: string;
  domain: string;
  attempts: number;
  mark: string;
  /** The earlier of the expiry and the sender's deadline. */
  until_ms: number;
}

export class Recovery {
  readonly #parts;
  readonly #marked;
  readonly #markedRow;
  /** Messages with marked recipients that could not be settled; the next start tries them again. */
  readonly #unrecoverable = new Set<number>();

  constructor(
    db: Database,
    parts: Pick<WriterParts, "leases" | "quarantine" | "activity" | "states" | "damage" | "rebuilding">,
  ) {
    this.#parts = parts;
    this.#marked = db.prepare<[], RecipientKey>(
      "SELECT seq, position FROM work INDEXED BY work_marked WHERE mark IS NOT NULL",
    );
    this.#markedRow = db.prepare<[number, number], MarkedRow>(
      `SELECT w.account_id AS accountId, w.domain, w.attempts, w.mark,
              min(m.expires_at_ms, coalesce(m.deadline_ms, m.expires_at_ms)) AS until_ms
         FROM work w JOIN messages m USING (seq) WHERE seq = ${NUMBER} AND position = ${NUMBER}`,
    );
  }

  /** Reads the index of marked recipients. Throws if it is damaged. */
  checkIndex(): void {
    this.#marked.all();
  }

  /** Returns every marked recipient; none if the index is known to be damaged. */
  marked(): RecipientKey[] {
    return this.#parts.damage.runOptional("the index of marked recipients", () => this.#marked.all(), []);
  }

  /** Settles every marked recipient that is not under a live lease. Returns how many. */
  recover(args: RecoverArgs): number {
    const { leases, quarantine } = this.#parts;
    quarantine.setNow(args.nowMs);
    quarantine.forgetGone();
    const marked = this.marked().filter((key) => !leases.isLive(key) && !this.#unrecoverable.has(key.seq));
    for (const recipient of marked) this.#recoverOrQuarantine(recipient, args);
    return marked.length;
  }

  /** Settles one marked recipient. Throws if its row is damaged; if only the mark is damaged, it is replaced. */
  recoverOne(key: RecipientKey, { nowMs, result: policy }: RecoverArgs): void {
    const { seq, position } = key;
    const row = this.#markedRow.get(seq, position);
    if (row === undefined) throw new RowDamaged("the index lists a marked recipient that is missing");
    // A pending recipient would fail as expired at once, although it may have been delivered.
    const result = nowMs < row.until_ms ? policy : "unknown";
    const nextMs = result === "pending" ? nowMs : null;
    const { states, activity } = this.#parts;
    const smtp = result === "pending" ? (states.of(key)?.smtp ?? null) : null;
    const history = recoveredEntry({ ...row, atMs: nowMs, nextMs });
    const attempts = row.attempts + 1;
    const cause = { reason: INTERRUPTED, category: categoryOfReason(INTERRUPTED) };
    states.settle({ ...key, ...row }, { result, ...cause, attempts, smtp, dueMs: nextMs, atMs: nowMs, history });
    if (!isTestRoute(row.domain)) activity.recovered(row.accountId, { nowMs, result });
    const unknown = result === "unknown" ? { attempts, sinceMs: nowMs } : null;
    this.#parts.leases.recovered(key, unknown);
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
