/**
 * The effects of mail that comes back: stores an effect, and deletes the mail in the same transaction. records/recipient-feedback.ts
 * decides what an effect changes. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import { refusalKey, refusalOfBounce } from "../../../../message/result/suppression.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import {
  EARLY_MS,
  type IncomingEffect,
  SENT_AFTER_MS,
  SENT_BEFORE_MS,
  SENT_LOOKED_AT,
  type SentMessageQuery,
  type Unsubscription,
} from "../../../port/incoming.ts";
import {
  type FeedbackChange,
  feedbackChange,
  type RecipientEffect,
  settlesBy,
} from "../../../records/recipient-feedback.ts";
import { addressOf } from "../../../records/suppressed-address.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import type { LeasedMessage } from "../mail/leases.ts";
import type { StoredState } from "../mail/recipient-states.ts";
import { RefusalHistory } from "./refusal-history.ts";
import { SuppressedAddresses } from "./suppressed-addresses.ts";

type ApplyArgs = { id: string; effect: IncomingEffect; atMs: number };
type ApplyResult = "applied" | "early" | "gone";

/** A recipient that feedback is about. */
interface Addressee extends StoredState {
  message: LeasedMessage;
}

class IncomingWrites {
  readonly #parts;
  readonly #refusals: RefusalHistory;
  readonly #suppressed: SuppressedAddresses;
  readonly #statements;

  constructor(db: Database, parts: Pick<WriterParts, "activity" | "events" | "states" | "damage">) {
    this.#parts = parts;
    this.#refusals = new RefusalHistory(db, parts.damage);
    this.#suppressed = new SuppressedAddresses(db, parts.damage);
    this.#statements = prepareStatements(db);
  }

  apply({ id, effect, atMs }: ApplyArgs): Written<ApplyResult> {
    if (this.#statements.exists.get(id) === undefined) return { value: "gone" };
    if (effect.type !== "none" && !this.#applyTo(effect, atMs)) {
      this.#statements.postpone.run(atMs + EARLY_MS, id);
      return { value: "early" };
    }
    this.#statements.remove.run(id);
    return { value: "applied" };
  }

  unsubscribe({ accountId, email, messageId, position, test, atMs }: Unsubscription): Written<void> {
    const address = test === true ? null : addressOf(email);
    if (address !== null) this.#suppressed.add({ accountId, address, cause: "unsubscribed", atMs, messageId });
    const addressee = this.#find({ messageId, position });
    if (addressee !== null && addressee.message.accountId === accountId && addressee.email === email) {
      this.#record(addressee, feedbackChange({ type: "unsubscribed", messageId, position }, atMs), atMs);
    }
    return { value: undefined };
  }

  /** Returns false if the recipient is at its final dot. */
  #applyTo(effect: RecipientEffect, atMs: number): boolean {
    const addressee = this.#find(effect);
    if (addressee === null) return true;
    if (addressee.mark !== null) return false;
    const change = feedbackChange(effect, atMs);
    if (!this.#record(addressee, change, atMs) || isTestRoute(addressee.domain)) return true;
    const { email, domain, message } = addressee;
    const [accountId, address] = [message.accountId, refusalKey(email, domain)];
    if (effect.type === "bounced" && effect.blamesAddress && effect.bounce.permanent) {
      this.#refusals.add(accountId, address, refusalOfBounce(effect.bounce, { atMs, domain }));
    }
    const { suppresses: cause } = change;
    if (cause !== null) this.#suppressed.add({ accountId, address, cause, atMs, messageId: effect.messageId });
    return true;
  }

  #find({ messageId, position }: { messageId: string; position: number }): Addressee | null {
    const message = this.#statements.message.get(messageId);
    const row = message === undefined ? undefined : this.#parts.states.of({ seq: message.seq, position });
    return message === undefined || row === undefined ? null : { ...row, message };
  }

  /** Returns false if the recipient has feedback of this kind already, or nothing is to be stored. */
  #record(addressee: Addressee, change: FeedbackChange, atMs: number): boolean {
    const { seq, position, result } = addressee;
    const { kind, detail, type, history } = change;
    const late = settlesBy(result, change);
    if (kind !== null && this.#statements.addFeedback.run(seq, position, kind, atMs, detail).changes === 0)
      return false;
    if (kind === null && late === null) return false;
    if (late !== null) this.#settle(addressee, late, atMs);
    this.#parts.events.addRecipient(addressee, { ...addressee, ...late, atMs, type, history });
    return true;
  }

  /** Gives an unknown recipient its late result. */
  #settle(addressee: Addressee, late: NonNullable<FeedbackChange["proves"]>, atMs: number): void {
    const { message, accountId, domain, attempts, smtp, atMs: sinceMs } = addressee;
    const { activity, states } = this.#parts;
    states.set(addressee, { ...late, attempts, smtp, dueMs: null, atMs, history: null });
    if (isTestRoute(domain)) return;
    activity.unknownNoLonger(accountId, sinceMs ?? atMs);
    activity.settled(message, atMs, late.result);
  }
}

function prepareStatements(db: Database) {
  return {
    postpone: db.prepare("UPDATE incoming SET due_at_ms = ? WHERE id = ?"),
    exists: db.prepare<[string], 1>("SELECT 1 FROM incoming WHERE id = ?").pluck(),
    remove: db.prepare("DELETE FROM incoming WHERE id = ?"),
    message: db.prepare<[string], LeasedMessage>(
      "SELECT seq, account_id AS accountId, created_at_ms AS createdAtMs FROM messages WHERE id = ?",
    ),
    addFeedback: db.prepare(
      "INSERT OR IGNORE INTO feedback (seq, position, kind, at_ms, detail) VALUES (?, ?, ?, ?, ?)",
    ),
  };
}

export function prepareIncomingWrites(
  db: Database,
  parts: Pick<WriterParts, "activity" | "events" | "states" | "damage">,
) {
  const writes = new IncomingWrites(db, parts);
  return {
    applyIncoming: (args: ApplyArgs) => writes.apply(args),
    recordUnsubscribed: (unsubscription: Unsubscription) => writes.unsubscribe(unsubscription),
  };
}

export function prepareIncomingReads(db: Database) {
  const sent = db
    .prepare<[string, number, number, string], string>(
      `SELECT id FROM (SELECT id, message_id FROM messages WHERE account_id = ? AND created_at_ms BETWEEN ? AND ?
                         ORDER BY created_at_ms LIMIT ${SENT_LOOKED_AT}) WHERE message_id = ? LIMIT 1`,
    )
    .pluck();
  return {
    sentMessage: ({ accountId, messageId, aboutMs }: SentMessageQuery) =>
      sent.get(accountId, aboutMs - SENT_BEFORE_MS, aboutMs + SENT_AFTER_MS, messageId) ?? null,
  };
}
