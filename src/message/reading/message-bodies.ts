/**
 * The bodies of a stored message, its author and its Reply-To addresses, as its sender gave them. Unlike readable-content.ts, which shows the
 * beginning of a text, it returns a body as a whole or not at all.
 */
import { mailboxesIn } from "./address-fields.ts";
import { decoderFor } from "./charset-decoder.ts";
import { type LeafPart, textParts } from "./text-parts.ts";
import { decodeTransfer } from "./transfer-decoding.ts";

export interface MessageBodies {
  /** With LF line ends, without that of the last line. Null if there is none, or one of more than BODY_BYTES_MAX. */
  text: string | null;
  html: string | null;
  /** The name of the author; null for none. */
  fromName: string | null;
  /** Addresses without names. */
  replyTo: string[];
}

/** Decoded bytes. A longer body is not returned: it would take the memory of many others. */
export const BODY_BYTES_MAX = 512 * 1024;

/** Returns the bodies of any content, whatever it contains. */
export function bodiesOf(content: Buffer): MessageBodies {
  const { plain, html } = textParts(content);
  return {
    text: bodyOf(plain),
    html: bodyOf(html),
    fromName: mailboxesIn(content, "from")[0]?.name ?? null,
    replyTo: mailboxesIn(content, "reply-to").map(({ address }) => address),
  };
}

function bodyOf(part: LeafPart | null): string | null {
  if (part === null) return null;
  const { bytes, isTruncated } = decodeTransfer(part.body, part.encoding, BODY_BYTES_MAX);
  if (isTruncated) return null;
  return decoderFor(part.charset).decode(bytes).replaceAll("\r\n", "\n").replace(/\n$/, "");
}
