/**
 * The end of a quarantined message by an operator: every recipient without a final result fails, as far as its row can be read and
 * written. What cannot be is left out when the transaction is repeated: the message's row in the quarantine keeps it out of claims
 * and counts. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { DiscardedMessage, DiscardRequest, QuarantinedMessage } from "../../../port/quarantine.ts";
import { discardedRecipient } from "../../../records/decision.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage } from "../files/damage.ts";
import type { RecipientKey } from "../mail/recipient-key.ts";
import type { StoredState } from "../mail/recipient-states.ts";

export class Discards {
  readonly #parts;
  readonly #open;
  /** Rows that cannot be read or written, until the transaction has committed. */
  readonly #damaged = new Set<string>();

  constructor(db: Database, parts: Pick<WriterParts, "quarantine" | "activity" | "states" | "damage">) {
    this.#parts = parts;
    this.#open = db
      .prepare<{ seq: number }, number>(
        `SELECT position FROM work WHERE seq = @seq UNION ALL SELECT position FROM unknown_recipients WHERE seq = @seq AND result IS NULL
           ORDER BY position`,
      )
      .pluck();
  }

  discard({ message, ...decision }: DiscardRequest): Written<DiscardedMessage | null> {
    const found = this.#parts.quarantine.find(message);
    if (found === undefined) return { value: null };
    const { seq, messageId } = found;
    const positions = this.#unlessDamaged(`${seq}`, () => this.#open.all({ seq })) ?? [];
    const rows = this.#readEach(seq, positions);
    const failed = rows.filter((row) => this.#failOne(row, found, decision));
    this.#parts.quarantine.discard(seq);
    const isComplete = ![...this.#damaged].some((name) => name === `${seq}` || name.startsWith(`${seq}/`));
    return { value: { seq, messageId, failed: failed.length, isComplete }, committed: () => this.#damaged.clear() };
  }

  /** Reads all rows before it throws, so that the transaction is repeated once, not once for each. */
  #readEach(seq: number, positions: readonly number[]): StoredState[] {
    let firstError: unknown;
    const rows = positions.flatMap((position) => {
      try {
        return this.#unlessDamaged(nameOf({ seq, position }), () => this.#parts.states.of({ seq, position })) ?? [];
      } catch (error) {
        firstError ??= error;
        return [];
      }
    });
    if (firstError !== undefined) throw firstError;
    return rows;
  }

  /** Returns whether the recipient has failed. */
  #failOne(row: StoredState, found: QuarantinedMessage, decision: Pick<DiscardRequest, "by" | "nowMs">): boolean {
    const { activity, states } = this.#parts;
    const { accountId, domain, attempts, smtp } = row;
    const { nowMs } = decision;
    const decided = discardedRecipient(row, found, decision);
    const written = this.#unlessDamaged(nameOf(row), () => {
      states.set(row, { ...decided, attempts, smtp, dueMs: null, atMs: nowMs });
      return true;
    });
    if (written !== true) return false;
    if (!isTestRoute(domain)) {
      if (row.result === "unknown") activity.unknownNoLonger(accountId, row.atMs ?? 0);
      activity.decided(accountId, nowMs, "failed");
    }
    return true;
  }

  /** Undefined for a row that is known to be damaged. Throws the damage that it finds: the transaction must be repeated. */
  #unlessDamaged<T>(name: string, run: () => T): T | undefined {
    if (this.#damaged.has(name)) return undefined;
    try {
      return run();
    } catch (error) {
      if (isDamage(error)) {
        this.#damaged.add(name);
        this.#parts.damage.avoid();
      }
      throw error;
    }
  }
}

const nameOf = ({ seq, position }: RecipientKey): string => `${seq}/${position}`;
