/**
 * A validated send request, and the hash that identifies its payload. What is valid is decided by
 * send-request-validation.ts.
 */
import { createHash } from "node:crypto";
import type { Mailbox } from "../address.ts";
import type { Attachment } from "./attachment.ts";
import { jsonHash } from "./json-hash.ts";
import type { OptionalFields } from "./optional-fields.ts";

export interface Submission extends OptionalFields {
  from: Mailbox;
  /** At least one. No mailbox occurs twice in `to`, `cc` and `bcc` together. */
  to: Mailbox[];
  subject: string;
  html: string | null;
  text: string | null;
  /** The message is a report (RFC 6522): its text and attachments are a multipart/report of this type. */
  reportType?: "tlsrpt";
}

/**
 * Returns the SHA-256 (hex) of a submission's values, independent of how the request spells them. Two requests with the same
 * idempotency key are the same request if their hashes are equal. Spools hold these hashes: the input must not change.
 */
export function payloadHash(s: Submission): string {
  const optional = {
    cc: s.cc?.map(mailboxIdentity),
    bcc: s.bcc?.map(mailboxIdentity),
    replyTo: s.replyTo?.map(mailboxIdentity),
    headers: s.headers?.map((h): [string, string] => [h.name, h.value]).sort(byName),
    attachments: s.attachments?.map(attachmentIdentity),
    tags: s.tags,
    metadata: s.metadata && Object.entries(s.metadata).sort(byName),
    expiresInMs: s.expiresInMs,
    sendAtMs: s.sendAtMs,
    unsubscribe: s.unsubscribe,
    statusPage: s.statusPage,
  };
  const present = Object.entries(optional).filter(([, value]) => value !== undefined);
  return jsonHash([mailboxIdentity(s.from), s.to.map(mailboxIdentity), s.subject, s.html, s.text, ...present]);
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : Number(a > b));

function mailboxIdentity(mailbox: Mailbox): (string | null)[] {
  return [mailbox.name, mailbox.local, mailbox.domain];
}

function attachmentIdentity({ filename, contentType, contentId, content }: Attachment): (string | null)[] {
  return [filename, contentType, contentId, createHash("sha256").update(content).digest("hex")];
}
