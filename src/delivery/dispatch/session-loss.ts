/**
 * Sessions that end, or are refused, at MAIL, before the host has taken anything of the message: which of them say nothing about the
 * message, so that another session may replace them.
 */
import type { Stage } from "../../message/result/outcome.ts";
import type { ConnectionFailure } from "../smtp/connection.ts";
import type { RecipientResult } from "../smtp/recipient-results.ts";
import type { Session } from "../smtp/session.ts";
import type { TransactionResult } from "../smtp/transaction.ts";
import { isRefusalOfSession } from "../verdict.ts";

/** Whether a pooled session turned out to be dead before it took anything of this message. */
export function isStale(session: Session, result: TransactionResult): boolean {
  if (session.usable || result.type !== "done" || result.dotSent) return false;
  return result.recipients.every((recipient) => {
    if (recipient.type === "lost") return recipient.stage === "mail";
    return recipient.type === "reply" && recipient.stage === "mail" && recipient.reply.code === 421;
  });
}

/**
 * Whether a session that has carried messages before refuses MAIL in a way that may be its own: it has carried enough, or is out of
 * step. On a new session such a refusal counts. Retires the session then.
 */
export function needsFreshSession(session: Session, result: TransactionResult): boolean {
  if (session.transactions < 2 || result.type !== "done" || !result.recipients.every(isOfThisSession)) return false;
  session.retire();
  return true;
}

function isOfThisSession(result: RecipientResult): boolean {
  return result.type === "reply" && result.stage === "mail" && isRefusalOfSession(result.reply);
}

export type SessionBreak = { stage: Stage } & ConnectionFailure;

/**
 * How a session under TLS broke before the reply to its first MAIL; null if it did not. Silence is no break, nor is
 * an error of this server.
 */
export function brokenAtFirstMail(session: Session, result: TransactionResult): SessionBreak | null {
  if (session.tls === null || session.transactions !== 1 || result.type !== "done") return null;
  const [first] = result.recipients;
  return first !== undefined && isBreak(first) && result.recipients.every(isBreak) ? first : null;
}

function isBreak(result: RecipientResult): result is SessionBreak {
  return (result.type === "lost" || result.type === "protocol_error") && result.stage === "mail" && !result.isLocal;
}
