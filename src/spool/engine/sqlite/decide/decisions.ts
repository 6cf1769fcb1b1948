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
import { cancelledRecipient, type Decided, resolvedRecipient } from "../../../records/decision.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { DamagedMessages } from "../files/damage.ts";
import type { RecipientKey } from "../mail/recipient-key.ts";
import type { StoredState } from "../mail/recipient-states.ts";

interface ReadRows {
  rows: StoredState[];
  unreadable: number;
}

export class Decisions {
  readonly #parts;
  readonly #damaged: DamagedMessages;
  readonly #seqOf;

  constructor(
    db: Database,
    parts: Pick<WriterParts, "hotQueue" | "quarantine" | "activity" | "states" | "damage" | "rebuilding">,
  ) {
    this.#parts = parts;
    this.#damaged = new DamagedMessages(parts.damage, {
      place: (seq) => `the message in row ${seq}, about which a person has decided`,
      rebuilding: parts.rebuilding,
    });
    this.#seqOf = db
      .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
      .pluck();
  }

  resolve(resolution: Resolution): Written<ResolvedRecipients> {
    const { activity } = this.#parts;
    const { rows, unreadable } = this.#read(resolution);
    const unknown = rows.filter(({ result }) => result === "unknown");
    for (const row of unknown) {
      if (!isTestRoute(row.domain)) activity.unknownNoLonger(resolution.accountId, row.atMs ?? 0);
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
      atDot: rows.filter(({ mark }) => mark !== null).length,
      unreadable,
    };
    for (const row of rows.filter(({ result, mark }) => result === "pending" && mark === null)) {
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

  #rowOf(key: RecipientKey): StoredState[] {
    const row = this.#damaged.run(key.seq, () => this.#parts.states.of(key));
    return row === undefined ? [] : [row];
  }

  #decide(
    recipient: StoredState,
    decided: Decided<"delivered" | "failed" | "unknown">,
    { accountId, nowMs }: RecipientsDecision,
  ): void {
    const { activity, states } = this.#parts;
    const { seq, domain, attempts } = recipient;
    const smtp = decided.result === "unknown" ? null : recipient.smtp;
    this.#damaged.run(seq, () => states.set(recipient, { ...decided, attempts, smtp, dueMs: null, atMs: nowMs }));
    if (!isTestRoute(domain)) activity.decided(accountId, nowMs, decided.result);
  }
}
