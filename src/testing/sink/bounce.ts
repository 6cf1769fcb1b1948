/**
 * The bounce of a message that the sink has accepted: a delivery status notification (RFC 3464) in a multipart/report (RFC 6522), with
 * the header of the message. It is 7-bit; parts with addresses that are not ASCII are encoded, with the types of RFC 6533.
 */
import { isAscii } from "../../message/address.ts";

export interface BounceOptions {
  /** Of the message: the bounce goes to it. */
  envelopeSender: string;
  recipient: string;
  /** What the client has given with RCPT for the recipient, such as `rfc822;a@b.example` (RFC 3461 §4.2); null for nothing. */
  originalRecipient: string | null;
  /** What it has given with MAIL; null for nothing. */
  envelopeId: string | null;
  /** Of the message, or its beginning, with CRLF line ends. */
  header: Buffer;
  atMs: number;
  /** Distinguishes the bounce from others: letters and digits. */
  id: string;
}

/** The host that the sink says it is. */
export const SINK_HOST = "sink.invalid";

const REPLY = "550 5.1.1 No such mailbox";

export function bounceOf({ envelopeSender, atMs, id, ...about }: BounceOptions): Buffer {
  const boundary = `bounce-${id}`;
  const lines = [
    `From: Mail Delivery System <MAILER-DAEMON@${SINK_HOST}>`,
    `To: <${envelopeSender}>`,
    "Subject: Undelivered mail returned to sender",
    `Date: ${dateOf(atMs)}`,
    `Message-ID: <${id}@${SINK_HOST}>`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    "",
    ...[textPart(about.recipient), statusPart(about, atMs), headerPart(about.header)].flatMap((part) => [
      `--${boundary}`,
      ...part,
    ]),
    `--${boundary}--`,
    "",
  ];
  return Buffer.from(lines.join("\r\n"));
}

function textPart(recipient: string): string[] {
  return part(
    ["text/plain; charset=utf-8"],
    [
      `The message was accepted by ${SINK_HOST} and could not be delivered to this recipient:`,
      "",
      `<${recipient}>: ${REPLY}`,
      "",
      "The header of the message follows.",
    ],
  );
}

type StatusOptions = Pick<BounceOptions, "recipient" | "originalRecipient" | "envelopeId">;

function statusPart({ recipient, originalRecipient, envelopeId }: StatusOptions, atMs: number): string[] {
  const types = ["message/delivery-status", "message/global-delivery-status"];
  return part(types, [
    `Reporting-MTA: dns; ${SINK_HOST}`,
    ...(envelopeId === null ? [] : [`Original-Envelope-Id: ${printable(envelopeId)}`]),
    `Arrival-Date: ${dateOf(atMs)}`,
    "",
    `Final-Recipient: ${isAscii(recipient) ? "rfc822" : "utf-8"}; ${recipient}`,
    ...(originalRecipient === null ? [] : [`Original-Recipient: ${printable(originalRecipient)}`]),
    "Action: failed",
    "Status: 5.1.1",
    `Diagnostic-Code: smtp; ${REPLY}`,
  ]);
}

function headerPart(header: Buffer): string[] {
  return part(["text/rfc822-headers", "message/global-headers"], header.toString("utf8").trimEnd().split("\r\n"));
}

/** `types`: of ASCII text, and of other text if that is another one. */
function part([type, otherType = type]: string[], lines: string[]): string[] {
  const text = lines.join("\r\n");
  if (isAscii(text)) return [`Content-Type: ${type}`, "", ...lines, ""];
  const encoded =
    Buffer.from(`${text}\r\n`)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return [`Content-Type: ${otherType}`, "Content-Transfer-Encoding: base64", "", ...encoded, ""];
}

const dateOf = (atMs: number): string => new Date(atMs).toUTCString().replace("GMT", "+0000");

/** Without the control characters that an xtext (RFC 3461 §4) can contain: a line end would begin another field. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, "?");
