/**
 * The effects of mail that comes back: stores an effect, and deletes the mail in the same transaction. records/recipient-feedback.ts
 * decides what an effect changes. The row of the mail is locked first and that of the message next, so two processes that apply the
 * same mail, or feedback about the same message, do so one after the other.
 */
import {
  addRefusal,
  type Refusal,
  refusalKey,
  refusalOfBounce,
  type SetCause,
} from "../../../message/result/suppression.ts";
import { isTestRoute } from "../../../message/test-route.ts";
import { first, type RecipientKey, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { EARLY_MS, type IncomingEffect, type Unsubscription } from "../../port/incoming.ts";
import { type FeedbackChange, feedbackChange, type RecipientEffect } from "../../records/recipient-feedback.ts";
import { storedRefusals } from "../../records/stored-refusals.ts";
import { addressOf } from "../../records/suppressed-address.ts";
import { postponeIncoming } from "./incoming-mail.ts";
import { setSuppressions } from "./suppressions.ts";

const remove = statement("DELETE FROM incoming WHERE id = $1");

const findMessage = statement<{ seq: number; accountId: string; createdAtMs: number }>(
  `SELECT seq, account_id AS "accountId", created_at_ms AS "createdAtMs" FROM messages WHERE id = $1`,
);

const findRecipient = statement<{ email: string; domain: string; isAtDot: boolean }>(
  `SELECT r.email, r.domain, w.mark IS NOT NULL AS "isAtDot"
     FROM recipients r LEFT JOIN work w ON w.seq = r.seq AND w.position = r.position
     WHERE r.seq = $1 AND r.position = $2`,
  { booleans: ["isAtDot"] },
);

const addFeedback = statement(
  `INSERT INTO feedback (seq, position, kind, at_ms, detail) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
);

const REFUSALS = { ifDamaged: "the refused addresses" };

// Adds a row for an address that has none, because there must be one to lock.
const lockRefusals = statement<{ refusals: string }>(
  `INSERT INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES ($1, $2, 0, '[]')
     ON CONFLICT (account_id, address) DO UPDATE SET refusals = refused_addresses.refusals RETURNING refusals`,
  REFUSALS,
);
const storeRefusals = statement(
  "UPDATE refused_addresses SET newest_at_ms = $3, refusals = $4 WHERE account_id = $1 AND address = $2",
  REFUSALS,
);

/** A recipient that feedback is about. */
interface Addressee extends RecipientKey {
  messageId: string;
  accountId: string;
  createdAtMs: number;
  email: string;
  domain: string;
  isAtDot: boolean;
}

async function applyIncoming(
  session: Session,
  { id, effect, atMs }: { id: string; effect: IncomingEffect; atMs: number },
): Promise<"applied" | "early" | "gone"> {
  if (!(await session.lock("incoming", id))) return "gone";
  if (effect.type !== "none" && !(await applyEffect(session, effect, atMs))) {
    await postponeIncoming(session, id, atMs + EARLY_MS);
    return "early";
  }
  await session.run(remove, [id]);
  return "applied";
}

/** Returns false if the recipient is at its final dot. */
async function applyEffect(session: Session, effect: RecipientEffect, atMs: number): Promise<boolean> {
  const addressee = await find(session, effect);
  if (addressee === null) return true;
  if (addressee.isAtDot) return false;
  const change = feedbackChange(effect, atMs);
  const suppress = (): Promise<void> => suppressBy(session, addressee, { effect, change, atMs });
  await record(session, addressee, { change, atMs, suppress });
  return true;
}

/** Adds the refusal and the suppression of the address that follow from an effect. */
async function suppressBy(
  session: Session,
  { accountId, email, domain }: Addressee,
  { effect, change, atMs }: { effect: RecipientEffect; change: FeedbackChange; atMs: number },
): Promise<void> {
  if (isTestRoute(domain)) return;
  const address = refusalKey(email, domain);
  if (effect.type === "bounced" && effect.blamesAddress && effect.bounce.permanent) {
    await addRefusalOf(session, { accountId, address, refusal: refusalOfBounce(effect.bounce, { atMs, domain }) });
  }
  const { suppresses: cause } = change;
  if (cause !== null) await suppressAddress(session, { accountId, address, cause, atMs, messageId: effect.messageId });
}

async function recordUnsubscribed(
  session: Session,
  { accountId, email, messageId, position, test, atMs }: Unsubscription,
): Promise<void> {
  const address = test === true ? null : addressOf(email);
  if (address !== null) await suppressAddress(session, { accountId, address, cause: "unsubscribed", atMs, messageId });
  const addressee = await find(session, { messageId, position });
  if (addressee === null || addressee.accountId !== accountId || addressee.email !== email) return;
  await record(session, addressee, {
    change: feedbackChange({ type: "unsubscribed", messageId, position }, atMs),
    atMs,
  });
}

/** Locks the message: retention deletes none whose row is locked. */
async function find(
  session: Session,
  { messageId, position }: { messageId: string; position: number },
): Promise<Addressee | null> {
  if (!(await session.lock("messages", messageId))) return null;
  const message = await first(session, findMessage, [messageId]);
  if (message === null) return null;
  const recipient = await first(session, findRecipient, [message.seq, position]);
  return recipient === null ? null : { messageId, position, ...message, ...recipient };
}

/** Stores nothing if the recipient has feedback of this kind already, or a report that only settles finds it settled. */
async function record(
  session: Session,
  { seq, position, accountId, createdAtMs }: Addressee,
  { change, atMs, suppress }: { change: FeedbackChange; atMs: number; suppress?: () => Promise<void> },
): Promise<void> {
  const { kind, detail, type, history, proves } = change;
  if (kind !== null && (await session.run(addFeedback, [seq, position, kind, atMs, detail])).count === 0) return;
  // Before the account's lock: on PostgreSQL, settlements take the rows of addresses before that, too.
  await suppress?.();
  const unknown = proves === null ? null : await session.takeUnknown({ seq, position, accountId });
  if (kind === null && unknown === null) return;
  if (proves !== null && unknown !== null) {
    const late = { recipient: unknown, ...proves, smtp: unknown.smtp, dueMs: null, history: null };
    await session.setStates([late], { accountId, nowMs: atMs, acceptedAtMs: createdAtMs });
  }
  await session.addRecipientEvent({ seq, position, accountId }, { type, atMs, history });
}

async function addRefusalOf(
  session: Session,
  { accountId, address, refusal }: { accountId: string; address: string; refusal: Refusal },
): Promise<void> {
  const row = await first(session, lockRefusals, [accountId, address]);
  const refusals = addRefusal(storedRefusals(row?.refusals ?? "[]"), refusal);
  const newestMs = refusals.at(-1)?.at_ms ?? refusal.at_ms;
  await session.run(storeRefusals, [accountId, address, newestMs, JSON.stringify(refusals)]);
}

async function suppressAddress(
  session: Session,
  { accountId, ...row }: { accountId: string; address: string; cause: SetCause; atMs: number; messageId: string },
): Promise<void> {
  await setSuppressions(session, accountId, { rows: [{ ...row, untilMs: null }], nowMs: row.atMs });
}

export const feedbackWrites = { applyIncoming, recordUnsubscribed };
