/**
 * Messages that Postrider itself sends: to its own users, and reports to other domains. They come from a domain of an account, and
 * are accepted and delivered like any other message, but belong to no API key, and use no token of the sending rate.
 */
import type { Clock } from "../../lib/clock.ts";
import { pooledRandomBytes } from "../../lib/random.ts";
import { type Mailbox, parseMailbox } from "../../message/address.ts";
import { draftOf } from "../../message/compose/draft.ts";
import { messageIdToken } from "../../message/ids.ts";
import type { Attachment } from "../../message/send-request/attachment.ts";
import type { CustomHeader } from "../../message/send-request/custom-header.ts";
import { FULL_ACCESS } from "../../spool/port/api-keys.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { AcceptMessage, AcceptResult } from "./accept-message.ts";

export interface ServiceMessageParts {
  acceptMessage: Pick<AcceptMessage, "accept">;
  clock: Pick<Clock, "now">;
}

export interface ServiceMessage {
  /** Stands for the API key of the message: the part of Postrider that sends it. */
  keyId: string;
  /** The sender's domain. Its account sends the message. */
  domain: Pick<Domain, "accountId" | "name">;
  /** The local part of the sender. */
  local: string;
  /** One message, also to several: each has its own envelope. */
  to: string | readonly string[];
  /** The request that asks for the message, if one does. */
  requestId?: string;
  subject: string;
  text: string;
  html: string | null;
  headers?: CustomHeader[];
  attachments?: Attachment[];
  /** The message is a report of this type: its text, and the report as an attachment. */
  report?: { type: "tlsrpt"; attachment: Attachment };
  /** Null: the message is sent again with each call. */
  idempotencyKey: string | null;
}

/** `invalid_recipient`: `to` is not an email address. */
export type ServiceMessageResult = AcceptResult | { type: "invalid_recipient"; detail: string };

/** `accepted` and `replayed` mean on disk. Rejects with SpoolUnavailable. */
export async function sendServiceMessage(
  { acceptMessage, clock }: ServiceMessageParts,
  message: ServiceMessage,
): Promise<ServiceMessageResult> {
  const { keyId, domain, local, to, subject, text, html, headers, attachments, report, requestId, idempotencyKey } =
    message;
  const recipients: Mailbox[] = [];
  const from = parseMailbox(`Postrider <${local}@${domain.name}>`);
  for (const address of typeof to === "string" ? [to] : to) {
    const recipient = parseMailbox(address);
    if (recipient.type === "invalid") {
      return { type: "invalid_recipient", detail: `${address} is not a valid email address: ${recipient.detail}` };
    }
    recipients.push(recipient);
  }
  if (from.type === "invalid") throw new Error(`${domain.name} makes no sender address: ${from.detail}`);
  const receivedAtMs = clock.now();
  const optional = {
    ...(headers === undefined ? {} : { headers }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(report === undefined ? {} : { reportType: report.type, attachments: [report.attachment] }),
  };
  const draft = draftOf(
    { from, to: recipients, subject, text, html, ...optional },
    {
      token: messageIdToken(receivedAtMs, pooledRandomBytes),
      dateMs: receivedAtMs,
      boundary: pooledRandomBytes(15).toString("hex"),
    },
  );
  const { accountId } = domain;
  return acceptMessage.accept({
    accountId,
    keyId,
    isTest: false,
    access: FULL_ACCESS,
    draft,
    idempotencyKey,
    receivedAtMs,
    isRated: false,
    ...(requestId === undefined ? {} : { requestId }),
  });
}
