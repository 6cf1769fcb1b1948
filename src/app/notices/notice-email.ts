/**
 * Notices by email to users of Postrider. They are messages of Postrider's own: belonging to no API key, they cause no notices about failed
 * messages, and an address that is suppressed gets none.
 */
import type { Logger } from "../../lib/log.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { accountOf } from "../../spool/port/memberships.ts";
import type { User } from "../../spool/port/people.ts";
import type { Suppressions } from "../../spool/port/suppressions.ts";
import { FOREIGN_NOTICE_KEY, linkSender } from "../send/link-message.ts";
import { type ServiceMessageParts, type ServiceMessageResult, sendServiceMessage } from "../send/service-message.ts";

/** The key id of these messages. */
export const NOTICE_KEY = "notice";

export interface NoticeEmailParts extends ServiceMessageParts {
  registry: Pick<Registry, "accounts" | "domains">;
  store: Pick<Suppressions, "suppression">;
  log: Pick<Logger, "warn">;
  /** SUPPRESS_AFTER. */
  suppressAfter: number;
}

export interface NoticeEmail {
  /** The notice's: with the user's, it names the message, so that a call that is repeated does not send twice. */
  id: string;
  /** The account that it is about; null for the installation. */
  accountId: string | null;
  subject: string;
  text: string;
}

const FOREIGN_SUBJECT = "A notice from Postrider";

/**
 * Sends a notice to a user, from a domain of the account that it is about if the user belongs to it, else of the user's own account, else of
 * the default account. Returns false if a later call may send what this
 * one could not.
 */
export async function emailNotice(
  parts: NoticeEmailParts,
  user: Pick<User, "id" | "email" | "memberships">,
  notice: NoticeEmail,
): Promise<boolean> {
  const { registry, store, clock, log } = parts;
  const accountId = accountOf(user, notice.accountId);
  const about = { noticeId: notice.id, accountId, userId: user.id };
  const domain = await linkSender(registry, accountId);
  if (domain === null) {
    log.warn(about, "notice not sent: no domain of the account is verified");
    return true;
  }
  const of = { accountId: domain.accountId, after: parts.suppressAfter, nowMs: clock.now(), email: user.email };
  if ((await store.suppression(of)) !== null) {
    log.warn(about, "notice not sent: the user's email address is suppressed");
    return true;
  }
  // Users of the account that sends it do not read what is about another one; lists show them the subject.
  const isOwn = notice.accountId === domain.accountId;
  const isForeign = !isOwn && notice.accountId !== null;
  const result = await sendServiceMessage(parts, {
    keyId: isOwn ? NOTICE_KEY : FOREIGN_NOTICE_KEY,
    domain,
    local: "postrider",
    to: user.email,
    subject: isForeign ? FOREIGN_SUBJECT : notice.subject,
    text: isForeign ? `${notice.subject}\n\n${notice.text}` : notice.text,
    html: null,
    // No program replies to it (RFC 3834 §5).
    headers: [{ name: "Auto-Submitted", value: "auto-generated" }],
    idempotencyKey: `${notice.id} ${user.id}`,
  });
  const fault = faultOf(result);
  if (fault === null) return true;
  log.warn({ ...about, fault: fault.detail }, "notice not sent");
  return fault.isPermanent;
}

/** Why the message was not sent; null if it was, now or by an earlier call. */
function faultOf(result: ServiceMessageResult): { detail: string; isPermanent: boolean } | null {
  if (result.type === "accepted" || result.type === "replayed") return null;
  if (result.type === "invalid_recipient") return { detail: result.detail, isPermanent: true };
  // An earlier call sent it, with another PUBLIC_URL.
  if (result.code === "idempotency_key_reused") return null;
  return { detail: result.detail, isPermanent: result.code === "body_too_large" };
}
