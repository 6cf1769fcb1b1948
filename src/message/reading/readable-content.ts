/**
 * Extracts the parts of a stored message that a page shows: its addresses, the start of its text and of its source, its HTML, and a
 * list of its files. Decodes only these, however large or hostile the message is; the whole source can be downloaded. Omits parts that
 * it cannot parse.
 */
import { mailboxesIn, type ShownMailbox } from "./address-fields.ts";
import { type AttachedFiles, attachedFiles } from "./attached-files.ts";
import { decoderFor } from "./charset-decoder.ts";
import { withInlineImages } from "./inline-images.ts";
import { textParts } from "./text-parts.ts";
import { decodeTransfer } from "./transfer-decoding.ts";

/** The start of a text. */
export interface Excerpt {
  text: string;
  /** Whether the text continues. */
  isTruncated: boolean;
}

/** The addresses of the header. */
interface ShownAddresses {
  from: ShownMailbox[];
  replyTo: ShownMailbox[];
  to: ShownMailbox[];
  cc: ShownMailbox[];
}

export interface ReadableContent {
  addresses: ShownAddresses;
  text: Excerpt | null;
  hasHtml: boolean;
  /** The stored bytes, decoded as UTF-8. */
  source: Excerpt;
  sizeBytes: number;
  attachments: AttachedFiles;
}

/** Decoded bytes of the text, and bytes of the source. The page escapes them and the browser lays them out. */
export const SHOWN_BYTES_MAX = 128 * 1024;
/** Decoded bytes of the HTML, which is a separate document. */
export const HTML_BYTES_MAX = 2 * 1024 * 1024;

/** Returns the parts of a message that a page shows, within these limits. */
export function readContent(content: Buffer): ReadableContent {
  const { plain, html } = textParts(content);
  return {
    addresses: {
      from: mailboxesIn(content, "from"),
      replyTo: mailboxesIn(content, "reply-to"),
      to: mailboxesIn(content, "to"),
      cc: mailboxesIn(content, "cc"),
    },
    text: plain === null ? null : excerptOf(decodeTransfer(plain.body, plain.encoding, SHOWN_BYTES_MAX), plain.charset),
    hasHtml: html !== null,
    source: excerptOf(
      { bytes: content.subarray(0, SHOWN_BYTES_MAX), isTruncated: content.length > SHOWN_BYTES_MAX },
      "utf-8",
    ),
    sizeBytes: content.length,
    attachments: attachedFiles(content),
  };
}

/** Tags that take effect before a sandbox or a content security policy: refreshes and preconnects. */
const ACTIVE_TAGS = /<(?=(?:link|meta|base)[\s/>])/gi;

/**
 * Returns the HTML part as UTF-8, its `link`, `meta` and `base` tags renamed to unknown ones, with the message's own images in it; null
 * if there is none.
 */
export function htmlDocumentOf(content: Buffer): Buffer | null {
  const { html } = textParts(content);
  if (html === null) return null;
  const { text } = excerptOf(decodeTransfer(html.body, html.encoding, HTML_BYTES_MAX), html.charset);
  return Buffer.from(withInlineImages(text.replace(ACTIVE_TAGS, "<x-"), content));
}

function excerptOf({ bytes, isTruncated }: { bytes: Buffer; isTruncated: boolean }, charset: string): Excerpt {
  return { text: decoderFor(charset).decode(bytes, { stream: isTruncated }), isTruncated };
}
