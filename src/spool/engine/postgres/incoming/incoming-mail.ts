/**
 * The effects of mail that comes back: stores an effect, and deletes the mail in the same transaction. records/recipient-feedback.ts
 * decides what an effect changes. The row of the mail is locked first and that of the message next, so two processes that apply the
 * same mail, or feedback about the same message, do so one after the other.
 */
import { refusalKey, refusalOfBounce } from "../../../../message/result/suppression.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import {
  EARLY_MS,
  type Incoming,
  type IncomingEffect,
  SENT_AFTER_MS,
  SENT_BEFORE_MS,
  SENT_LOOKED_AT,
  type Unsubscription,
} from "../../../port/incoming.ts";
import type { RetriedRecipient } from "../../../records/activity-counts.ts";
import {
  type FeedbackChange,
  feedbackChange,
  type RecipientEffect,
  settlesBy,
} from "../../../records/recipient-feedback.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import { addressOf } from "../../../records/suppressed-address.ts";
import { postponeIncoming } from "../../../store/incoming/incoming-mail.ts";
import type { IncomingPort } from "../../../store/incoming-port.ts";
import type { Database } from "../connection/database.ts";
import { PostgresSession } from "../connection/postgres-session.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { lockCommand, type NewEvent, writeEvents } from "../mail/event-writer.ts";
import { firstNumberAt } from "../mail/message-number.ts";
import type { ActivityCounts } from "../reports/activity.ts";
import { newestStates, recipientName } from "../reports/recipient-states.ts";
import { applyRefusals } from "./refusal-history.ts";
import { suppressAddress } from "./suppressed-addresses.ts";

const lockMail = statement("SELECT 1 FROM incoming WHERE id = $1 FOR UPDATE");
const remove = statement("DELETE FROM incoming WHERE id = $1");

interface FoundMessage {
  seq: number;
  accountId: string;
  createdAtMs: number;
}

// Retention deletes no message while its row is locked.
const lockMessage = statement<FoundMessage>(
  `SELECT seq, account_id AS "accountId", created_at_ms AS "createdAtMs" FROM messages WHERE id = $1 FOR NO KEY UPDATE`,
);
const findRecipient = statement<{ email: string; domain: string; isAtDot: boolean; isPending: boolean }>(
  `SELECT r.email, r.domain, w.mark IS NOT NULL AS "isAtDot", w.seq IS NOT NULL AS "isPending"
     FROM recipients r LEFT JOIN work w ON w.seq = r.seq AND w.position = r.position
     WHERE r.seq = $1 AND r.position = $2`,
);
const findSent = statement<{ id: string }>(
  `SELECT id FROM (SELECT id, message_id FROM messages WHERE account_id = $1 AND seq BETWEEN $2 AND $3
                     ORDER BY seq LIMIT ${SENT_LOOKED_AT}) AS sent WHERE message_id = $4 LIMIT 1`,
);
const addFeedback = statement(
  `INSERT INTO feedback (seq, position, kind, at_ms, detail) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
);
const takeUnknown = statement<{ attempts: number; unknownAtMs: number }>(
  `DELETE FROM unknown_recipients WHERE seq = $1 AND position = $2 RETURNING attempts, at_ms AS "unknownAtMs"`,
);

export interface IncomingParts {
  database: Database;
  activity: Pick<ActivityCounts, "retried" | "settled">;
  /** Called after a commit with the accounts that have new events. */
  onEvents: (accountIds: ReadonlySet<string>) => void;
  /** Called after a commit that may have changed a result of the message. */
  onChanged: (messageId: string) => void;
}

/** A recipient that feedback is about. */
interface Addressee {
  message: FoundMessage;
  position: number;
  email: string;
  domain: string;
}

/** What a transaction has changed. */
interface Recorded {
  accountId: string;
  /** The recipient's result was unknown. */
  late: { retried: RetriedRecipient; createdAtMs: number; result: "delivered" | "failed" } | null;
}

type Applied = { result: "applied" | "early" | "gone"; recorded: Recorded | null };

export function incomingOperations(parts: IncomingParts): Omit<Incoming, keyof IncomingPort> {
  const { database } = parts;
  return {
    async applyIncoming({ id, effect, atMs }) {
      const { result, recorded } = await database.transaction((session) => apply(session, { id, effect, atMs }));
      if (effect.type !== "none") after(parts, { recorded, messageId: effect.messageId, atMs });
      return result;
    },
    async sentMessage({ accountId, messageId, aboutMs }) {
      const [from, to] = [firstNumberAt(aboutMs - SENT_BEFORE_MS), firstNumberAt(aboutMs + SENT_AFTER_MS)];
      const { rows } = await database.run(findSent, [accountId, from, to, storedText(messageId)]);
      return rows[0]?.id ?? null;
    },
    async recordUnsubscribed(unsubscription) {
      const recorded = await database.transaction((session) => unsubscribe(session, unsubscription));
      after(parts, { recorded, messageId: unsubscription.messageId, atMs: unsubscription.atMs });
    },
  };
}

/** What follows the commit. */
function after(
  { activity, onEvents, onChanged }: IncomingParts,
  { recorded, messageId, atMs }: { recorded: Recorded | null; messageId: string; atMs: number },
): void {
  if (recorded === null) return;
  const { accountId, late } = recorded;
  if (late !== null) {
    activity.retried(late.retried);
    activity.settled({ accountId, createdAtMs: late.createdAtMs }, atMs, late.result);
  }
  onEvents(new Set([accountId]));
  onChanged(messageId);
}

async function apply(
  session: Session,
  { id, effect, atMs }: { id: string; effect: IncomingEffect; atMs: number },
): Promise<Applied> {
  if ((await session.run(lockMail, [id])).count === 0) return { result: "gone", recorded: null };
  const applied: Applied =
    effect.type === "none" ? { result: "applied", recorded: null } : await applyTo(session, effect, atMs);
  if (applied.result === "early") await postponeIncoming(new PostgresSession(session), id, atMs + EARLY_MS);
  else await session.run(remove, [id]);
  return applied;
}

async function applyTo(session: Session, effect: RecipientEffect, atMs: number): Promise<Applied> {
  const found = await findAddressee(session, effect);
  if (found === null) return { result: "applied", recorded: null };
  if (found.isAtDot) return { result: "early", recorded: null };
  const change = feedbackChange(effect, atMs);
  const suppress = async (): Promise<void> => {
    const { email, domain, message } = found;
    const [accountId, address] = [message.accountId, refusalKey(email, domain)];
    if (isTestRoute(domain)) return;
    if (effect.type === "bounced" && effect.blamesAddress && effect.bounce.permanent) {
      await applyRefusals(session, [{ accountId, address, refusal: refusalOfBounce(effect.bounce, { atMs, domain }) }]);
    }
    const { suppresses: cause } = change;
    if (cause !== null)
      await suppressAddress(session, { accountId, address, cause, atMs, messageId: effect.messageId });
  };
  return { result: "applied", recorded: await record(session, found, { change, atMs, suppress }) };
}

async function unsubscribe(
  session: Session,
  { accountId, email, messageId, position, test, atMs }: Unsubscription,
): Promise<Recorded | null> {
  const address = test === true ? null : addressOf(email);
  if (address !== null) await suppressAddress(session, { accountId, address, cause: "unsubscribed", atMs, messageId });
  const found = await findAddressee(session, { messageId, position });
  if (found === null || found.message.accountId !== accountId || found.email !== email) return null;
  const change = feedbackChange({ type: "unsubscribed", messageId, position }, atMs);
  return record(session, found, { change, atMs });
}

async function findAddressee(
  session: Session,
  { messageId, position }: { messageId: string; position: number },
): Promise<(Addressee & { isAtDot: boolean; isPending: boolean }) | null> {
  const [message] = (await session.run(lockMessage, [storedText(messageId)])).rows;
  if (message === undefined) return null;
  const [recipient] = (await session.run(findRecipient, [message.seq, position])).rows;
  return recipient === undefined ? null : { message, position, ...recipient };
}

/** Returns null if the recipient has feedback of this kind already, or nothing is to be stored. */
async function record(
  session: Session,
  { message, position, domain }: Addressee,
  { change, atMs, suppress }: { change: FeedbackChange; atMs: number; suppress?: () => Promise<void> },
): Promise<Recorded | null> {
  const { seq, accountId, createdAtMs } = message;
  const { kind, detail, type, history } = change;
  if (kind !== null && (await session.run(addFeedback, [seq, position, kind, atMs, detail])).count === 0) return null;
  await suppress?.();
  // Before the rows: settlements take them under the account's lock.
  const { query, values } = lockCommand([accountId]);
  await session.run(query, values);
  const [unknown] = change.proves === null ? [] : (await session.run(takeUnknown, [seq, position])).rows;
  if (kind === null && unknown === undefined) return null;
  const former = (await newestStates(session, [{ seq, position }])).get(recipientName({ seq, position }));
  const late = unknown === undefined ? null : settlesBy("unknown", change);
  const result = former?.result ?? "pending";
  const state = {
    position,
    attempts: former?.attempts ?? 0,
    smtp: former?.smtp ?? null,
    ...(late ?? { result, reason: former?.reason ?? null, category: former?.category ?? null }),
  };
  const events: NewEvent[] = [{ seq, accountId, atMs, type, recipient: state, history }];
  if (late !== null) {
    events.unshift({ seq, accountId, atMs, type: typeOfResult(late.result), recipient: state, history: null });
  }
  await writeEvents(session, events);
  const isCounted = late !== null && unknown !== undefined && !isTestRoute(domain);
  const retried = { accountId, result: "unknown" as const, countedAtMs: unknown?.unknownAtMs ?? atMs };
  return { accountId, late: isCounted ? { retried, createdAtMs, result: late.result } : null };
}
