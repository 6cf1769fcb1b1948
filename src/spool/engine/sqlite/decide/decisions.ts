/**
 * A person's decisions about recipients: the result of unknown ones, and the end of pending ones. records/decision.ts decides what
 * they become. Recipients whose state has changed are left out, and so are those of quarantined or damaged messages. The caller
 * holds the transaction.
 */
import type { Database } from "better-sqlite3";
import { isTestRoute } from "../../../../message/test-route.ts";
import type {
  CancelledRecipients,
  RecipientsDecision,
  Resolution,
  ResolvedRecipients,
} from "../../../port/operations.ts";
import {
  cancelledRecipient,
  type Decided,
  type DecidedRecipient,
  resolvedRecipient,
} from "../../../records/decision.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { DamagedMessages } from "../files/damage.ts";
import type { RecipientKey } from "../mail/recipient-key.ts";
import { RecipientStates } from "../mail/recipient-states.ts";

interface DecisionRow extends RecipientKey, DecidedRecipient {
  state: string;
  domain: string;
  updatedAtMs: number;
}

interface ReadRows {
  rows: DecisionRow[];
  unreadable: number;
}

export class Decisions {
  readonly #parts;
  readonly #damaged: DamagedMessages;
  readonly #seqOf;
  readonly #row;
  readonly #states: RecipientStates;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "hotQueue" | "quarantine" | "activity" | "events" | "damage" | "rebuilding">,
  ) {
    this.#parts = parts;
    this.#damaged = new DamagedMessages(parts.damage, {
      place: (seq) => `the message in row ${seq}, about which a person has decided`,
      rebuilding: parts.rebuilding,
    });
    this.#seqOf = db
      .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
      .pluck();
    this.#row = db.prepare<RecipientKey, DecisionRow>(
      `SELECT seq, position, state, domain, attempts, reason, category, updated_at_ms AS updatedAtMs FROM recipients
         WHERE seq = @seq AND position = @position`,
    );
    this.#states = new RecipientStates(db);
  }

  resolve(resolution: Resolution): Written<ResolvedRecipients> {
    const { activity } = this.#parts;
    const { rows, unreadable } = this.#read(resolution);
    const unknown = rows.filter(({ state }) => state === "unknown");
    for (const row of unknown) {
      if (!isTestRoute(row.domain)) activity.unknownNoLonger(resolution.accountId, row.updatedAtMs);
      this.#decide(row, resolvedRecipient(row, resolution), resolution);
    }
    const committed = (): void => this.#damaged.clear();
    return { value: { resolved: unknown.length, unreadable }, committed };
  }

  cancel(decision: RecipientsDecision): Written<CancelledRecipients> {
    const { rows, unreadable } = this.#read(decision);
    const value = {
      cancelled: 0,
      unknown: 0,
      atDot: rows.filter(({ state }) => state === "marked").length,
      unreadable,
    };
    for (const row of rows.filter(({ state }) => state === "pending")) {
      const decided = cancelledRecipient(row, decision);
      this.#decide(row, decided, decision);
      value[decided.result === "failed" ? "cancelled" : "unknown"] += 1;
    }
    const committed = (): void => {
      this.#damaged.clear();
      this.#parts.hotQueue.clear();
    };
    return { value, committed };
  }

  #read({ accountId, recipients }: RecipientsDecision): ReadRows {
    const read: ReadRows = { rows: [], unreadable: 0 };
    for (const { messageId, positions } of recipients) {
      const seq = this.#seqOf.get(messageId, accountId);
      if (seq === undefined) continue;
      if (this.#parts.quarantine.has(seq) || this.#damaged.has(seq)) read.unreadable += positions.length;
      else for (const position of positions) read.rows.push(...this.#rowOf({ seq, position }));
    }
    return read;
  }

  #rowOf(key: RecipientKey): DecisionRow[] {
    const row = this.#damaged.run(key.seq, () => this.#row.get(key));
    return row === undefined ? [] : [row];
  }

  #decide(
    { seq, position, domain }: DecisionRow,
    { history, ...state }: Decided<"delivered" | "failed" | "unknown">,
    { accountId, nowMs }: RecipientsDecision,
  ): void {
    const { activity, events } = this.#parts;
    const keepsReply = state.result !== "unknown";
    this.#damaged.run(seq, () => {
      this.#states.set({ seq, position }, { ...state, dueMs: null, keepsReply, nowMs });
      this.#states.touch(seq, nowMs);
    });
    if (!isTestRoute(domain)) activity.decided(accountId, nowMs, state.result);
    events.addRecipient({ seq, position }, { accountId, atMs: nowMs, result: state.result, history });
  }
}
