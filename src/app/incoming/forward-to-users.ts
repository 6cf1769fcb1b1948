/**
 * Forwards mail for postmaster and abuse of a return path to the owners of the account, as one message of Postrider's own with the
 * original attached. Mail of programs is never forwarded, so that two programs cannot send each other messages without end.
 */

import { type Clock, rfc3339 } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { TokenBuckets } from "../../lib/token-buckets.ts";
import { MIB } from "../../lib/units.ts";
import { parseMailbox } from "../../message/address.ts";
import type { ForwardedOriginal } from "../../message/compose/forwarded.ts";
import { headerText, isAutoSubmitted } from "../../message/header/incoming-header.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import { membershipIn } from "../../spool/port/memberships.ts";
import type { People, User } from "../../spool/port/people.ts";
import { type ServiceMessageParts, type ServiceMessageResult, sendServiceMessage } from "../send/service-message.ts";
import type { IncomingReader } from "./incoming-reader.ts";

/** The key id of these messages. */
export const FORWARD_KEY = "forward";

/** In an hour, of an account. */
const ACCOUNT_MAX = 20;
const HOUR_S = 3600;
/** In a day, of an account: octets of the originals, each of which reaches OWNERS_MAX owners at most. */
const DAY_OCTETS_MAX = 10 * MIB;
const DAY_S = 24 * HOUR_S;
/** Further owners get none: a mail of a stranger must not become hundreds. */
const OWNERS_MAX = 10;

export interface ForwardParts extends ServiceMessageParts {
  people: Pick<People, "users">;
  /** What strangers have written is converted on its thread. */
  reader: Pick<IncomingReader, "original">;
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
 * - `forwarded`: to the owners, if it can be sent.
 * - `automatic`: a program has sent it.
 * - `too_many`: beyond the account's limits of an hour or a day.
 */
export type ForwardResult = "forwarded" | "automatic" | "too_many";

export class ForwardToUsers {
  readonly #parts: ForwardParts;
  readonly #rate = new TokenBuckets({ perSecond: ACCOUNT_MAX / HOUR_S, burst: ACCOUNT_MAX });

  readonly #octets = new TokenBuckets({ perSecond: DAY_OCTETS_MAX / DAY_S, burst: DAY_OCTETS_MAX });

  constructor(parts: ForwardParts) {
    this.#parts = parts;
  }

  /**
   * Logs mail that is not forwarded; the caller may delete it. Rejects with SpoolUnavailable if a later call may succeed, and with
   * the reader's error if the reader fails.
   */
  async forward(mail: ForwardableMail, to: ForwardTo): Promise<ForwardResult> {
    const { clock, log } = this.#parts;
    const about = { id: mail.id, accountId: to.accountId, recipient: mail.recipient };
    if (mail.envelopeSender === "" || isAutoSubmitted(headerText(mail.content))) {
      log.info(about, "incoming message not forwarded: a program has sent it");
      return "automatic";
    }
    const nowMs = clock.monotonicMs();
    if (this.#rate.secondsToToken(to.accountId, nowMs) > 0 || this.#octets.secondsToToken(to.accountId, nowMs) > 0) {
      log.warn(about, "incoming message not forwarded: too many within an hour, or too many octets within a day");
      return "too_many";
    }
    await this.#send(mail, to);
    this.#rate.take(to.accountId, nowMs);
    this.#octets.take(to.accountId, nowMs, mail.content.length);
    return "forwarded";
  }

  async #send(mail: ForwardableMail, { accountId, domain }: ForwardTo): Promise<void> {
    const { people, reader, log } = this.#parts;
    const to = ownersOf(await people.users(accountId), accountId);
    if (to.length === 0) {
      log.warn(
        { id: mail.id, accountId },
        "incoming message not forwarded: the account has no owner with an email address",
      );
      return;
    }
    const original = await reader.original(mail.content);
    const result = await sendServiceMessage(this.#parts, {
      keyId: FORWARD_KEY,
      domain: { accountId, name: domain },
      local: "postrider",
      to,
      idempotencyKey: `incoming ${mail.id}`,
      ...contentOf(mail, original),
    });
    const fault = faultOf(result);
    if (fault !== null) log.warn({ id: mail.id, accountId, fault }, "incoming message not forwarded");
  }
}

/** The addresses of the first owners, each once. */
function ownersOf(users: readonly Pick<User, "email" | "memberships">[], accountId: string): string[] {
  const owners = users.filter((user) => membershipIn(user, accountId)?.role === "owner");
  const valid = owners.filter(({ email }) => parseMailbox(email).type === "valid");
  return [...new Set(valid.map(({ email }) => email))].slice(0, OWNERS_MAX);
}

/** Why it was not sent; null if it was, now or by an earlier call. Throws SpoolUnavailable where a later call may send it. */
function faultOf(result: ServiceMessageResult): string | null {
  if (result.type === "accepted" || result.type === "replayed") return null;
  if (result.type === "rejected" && result.code === "engine_unavailable") throw new SpoolUnavailable(result.detail);
  return result.detail;
}

function contentOf(
  { recipient, envelopeSender, ip, receivedAtMs }: ForwardableMail,
  { subject, attachment }: ForwardedOriginal,
) {
  const paragraphs = [
    `A message to ${recipient} arrived at ${rfc3339(receivedAtMs)} from ${envelopeSender} (${ip}). It is attached.`,
    "Anyone can write to this address, and Postrider has not checked who did. Be careful with links and attachments.",
  ];
  return {
    subject,
    text: `${paragraphs.join("\n\n")}\n`,
    html: null,
    attachments: [attachment],
    // No program replies to it (RFC 3834 §5).
    headers: [{ name: "Auto-Submitted", value: "auto-generated" }],
  };
}
