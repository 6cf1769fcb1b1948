/**
 * The bodies of a stored message and its Reply-To addresses, as its sender gave them. Unlike readable-content.ts, which shows the
 * beginning of a text, it returns a body as a whole or not at all.
 */
import addressparser from "nodemailer/lib/addressparser";
import { decoderFor } from "./charset-decoder.ts";
import { type TextPart, textParts } from "./text-parts.ts";
import { decodeTransfer } from "./transfer-decoding.ts";

export interface MessageBodies {
  /** With LF line ends, without that of the last line. Null if there is none, or one of more than BODY_BYTES_MAX. */
  text: string | null;
  html: string | null;
  /** Addresses without names. */
  replyTo: string[];
}

/** Decoded bytes. A longer body is not returned: it would take the memory of many others. */
export const BODY_BYTES_MAX = 512 * 1024;

/** Characters of a header, and of a field. A field with more is cut. */
const HEADER_LENGTH_MAX = 64 * 1024;
const FIELD_LENGTH_MAX = 16 * 1024;

/** Returns the bodies of any content, whatever it contains. */
export function bodiesOf(content: Buffer): MessageBodies {
  const { plain, html } = textParts(content);
  return { text: bodyOf(plain), html: bodyOf(html), replyTo: replyToOf(content) };
}

function bodyOf(part: TextPart | null): string | null {
  if (part === null) return null;
  const { bytes, isTruncated } = decodeTransfer(part.body, part.encoding, BODY_BYTES_MAX);
  if (isTruncated) return null;
  return decoderFor(part.charset).decode(bytes).replaceAll("\r\n", "\n").replace(/\n$/, "");
}

function replyToOf(content: Buffer): string[] {
  const end = content.indexOf("\r\n\r\n");
  const header = content.toString("utf8", 0, Math.min(end === -1 ? content.length : end, HEADER_LENGTH_MAX));
  const [, value = ""] = /^reply-to:((?:[^\r]*\r\n[ \t])*[^\r]*)/im.exec(header) ?? [];
  const mailboxes = addressparser(value.slice(0, FIELD_LENGTH_MAX).replaceAll("\r\n", ""), { flatten: true });
  return mailboxes.map(({ address }) => address).filter((address) => address !== "");
}
