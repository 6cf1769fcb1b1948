/**
 * Forwards mail for postmaster and abuse of a return path to each user of the account, as a message of Postrider's own with the
 * original attached. Mail of programs is never forwarded, so that two programs cannot send each other messages without end.
 */
import { type Clock, rfc3339 } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { TokenBuckets } from "../lib/token-buckets.ts";
import { attachedMessage, forwardedSubject } from "../message/forwarded.ts";
import { headerText, isAutoSubmitted } from "../message/incoming-header.ts";
import { SpoolUnavailable } from "../spool/port/errors.ts";
import type { People } from "../spool/port/people.ts";
import { type ServiceMessageParts, type ServiceMessageResult, sendServiceMessage } from "./service-message.ts";

/** The key id of these messages. */
export const FORWARD_KEY = "forward";

/** In an hour, for all users of an account together. */
const ACCOUNT_MAX = 20;
const HOUR_S = 3600;

export interface ForwardParts extends ServiceMessageParts {
  people: Pick<People, "users">;
  clock: Clock;
  log: Pick<Logger, "warn" | "info">;
}

/** An incoming mail as it is stored. */
export interface ForwardableMail {
  /** Unique and constant, so that a mail that is forwarded again is not sent again. */
  id: string;
  /** The address that it was sent to. */
  recipient: string;
  /** "" for the null sender. */
  envelopeSender: string;
  ip: string;
  receivedAtMs: number;
  content: Buffer;
}

/** The account that it concerns, and the sender domain of the message that carries it. */
export interface ForwardTo {
  accountId: string;
  domain: string;
}

/**
 * - `forwarded`: to each user to whom it can be sent.
 * - `automatic`: a program has sent it.
 * - `too_many`: beyond the account's limit of an hour.
 */
export type ForwardResult = "forwarded" | "automatic" | "too_many";

export class ForwardToUsers {
  readonly #parts: ForwardParts;
  readonly #rate = new TokenBuckets({ perSecond: ACCOUNT_MAX / HOUR_S, burst: ACCOUNT_MAX });

  constructor(parts: ForwardParts) {
    this.#parts = parts;
  }

  /** What is not forwarded is logged, and may be deleted. Rejects with SpoolUnavailable where a later call may succeed. */
  async forward(mail: ForwardableMail, to: ForwardTo): Promise<ForwardResult> {
    const { clock, log } = this.#parts;
    const about = { id: mail.id, accountId: to.accountId, recipient: mail.recipient };
    if (mail.envelopeSender === "" || isAutoSubmitted(headerText(mail.content))) {
      log.info(about, "incoming message not forwarded: a program has sent it");
      return "automatic";
    }
    if (this.#rate.secondsToToken(to.accountId, clock.monotonicMs()) > 0) {
      log.warn(about, "incoming message not forwarded: too many within an hour");
      return "too_many";
    }
    await this.#send(mail, to);
    this.#rate.take(to.accountId, clock.monotonicMs());
    return "forwarded";
  }

  async #send(mail: ForwardableMail, { accountId, domain }: ForwardTo): Promise<void> {
    const { people, log } = this.#parts;
    const content = contentOf(mail);
    for (const user of await people.users(accountId)) {
      const result = await sendServiceMessage(this.#parts, {
        ...{ keyId: FORWARD_KEY, domain: { accountId, name: domain }, local: "postrider", to: user.email },
        idempotencyKey: `incoming ${mail.id} ${user.id}`,
        ...content,
      });
      const fault = faultOf(result);
      if (fault !== null)
        log.warn({ id: mail.id, accountId, userId: user.id, fault }, "incoming message not forwarded");
    }
  }
}

/** Why it was not sent; null if it was, now or by an earlier call. Throws SpoolUnavailable where a later call may send it. */
function faultOf(result: ServiceMessageResult): string | null {
  if (result.type === "accepted" || result.type === "replayed") return null;
  if (result.type === "rejected" && result.code === "engine_unavailable") throw new SpoolUnavailable(result.detail);
  return result.detail;
}

function contentOf({ recipient, envelopeSender, ip, receivedAtMs, content }: ForwardableMail) {
  const paragraphs = [
    `A message to ${recipient} arrived at ${rfc3339(receivedAtMs)} from ${envelopeSender} (${ip}). It is attached.`,
    "Anyone can write to this address, and Postrider has not checked who did. Be careful with links and attachments.",
  ];
  return {
    subject: forwardedSubject(content),
    text: `${paragraphs.join("\n\n")}\n`,
    html: null,
    attachments: [attachedMessage(content)],
    // No program replies to it (RFC 3834 §5).
    headers: [{ name: "Auto-Submitted", value: "auto-generated" }],
  };
}
