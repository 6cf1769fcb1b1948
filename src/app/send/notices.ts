/** Emails to Postrider's own users about what they have to know. What that is, and when, is decided elsewhere. */
import type { Logger } from "../../lib/log.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { People, User } from "../../spool/port/people.ts";
import { type ServiceMessageParts, type ServiceMessageResult, sendServiceMessage } from "./service-message.ts";

/** The key id of these messages. */
export const NOTICE_KEY = "notice";

export interface NoticeParts extends ServiceMessageParts {
  registry: Pick<Registry, "domains">;
  people: Pick<People, "users">;
  log: Pick<Logger, "warn">;
}

export interface Notice {
  subject: string;
  text: string;
  /** With the user's id, names the message: a call that is repeated must not send twice. */
  idempotencyKey: string;
  /** Names the notice in the log. */
  about: object;
}

/**
 * Sends a notice to users of an account. Returns false if a later call may send what this one could not. Of an account without a
 * verified domain nothing is sent.
 */
export async function sendNotice(
  parts: NoticeParts,
  { accountId, users }: { accountId: string; users: readonly User[] },
  notice: Notice,
): Promise<boolean> {
  const { registry, log } = parts;
  const domain = (await registry.domains(accountId)).find(({ verified }) => verified);
  if (domain === undefined) {
    log.warn({ ...notice.about, accountId }, "notice not sent: the account has no verified domain");
    return true;
  }
  let isDone = true;
  for (const user of users) isDone = (await sendTo(parts, domain, { ...notice, user })) && isDone;
  return isDone;
}

async function sendTo(parts: NoticeParts, domain: Domain, notice: Notice & { user: User }): Promise<boolean> {
  const { user, subject, text, idempotencyKey, about } = notice;
  const result = await sendServiceMessage(parts, {
    keyId: NOTICE_KEY,
    domain,
    local: "postrider",
    to: user.email,
    subject,
    text,
    html: null,
    idempotencyKey: `${idempotencyKey} ${user.id}`,
  });
  const fault = faultOf(result);
  if (fault === null) return true;
  parts.log.warn({ ...about, accountId: user.accountId, userId: user.id, fault: fault.detail }, "notice not sent");
  return fault.isPermanent;
}

/** Why the message was not sent; null if it was, now or by an earlier call. */
function faultOf(result: ServiceMessageResult): { detail: string; isPermanent: boolean } | null {
  if (result.type === "accepted" || result.type === "replayed") return null;
  if (result.type === "invalid_recipient") return { detail: result.detail, isPermanent: true };
  // An earlier call sent another text.
  if (result.code === "idempotency_key_reused") return null;
  return { detail: result.detail, isPermanent: result.code === "body_too_large" };
}

/** Sends a notice to all operators, from a domain of their account each. Returns as sendNotice. */
export async function notifyOperators(
  parts: NoticeParts & { registry: Pick<Registry, "accounts"> },
  notice: Notice,
): Promise<boolean> {
  let isDone = true;
  for (const { id: accountId } of await parts.registry.accounts()) {
    const users = (await parts.people.users(accountId)).filter(({ operator }) => operator);
    if (users.length > 0) isDone = (await sendNotice(parts, { accountId, users }, notice)) && isDone;
  }
  return isDone;
}
