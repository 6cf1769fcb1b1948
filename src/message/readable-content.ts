/**
 * What a page shows of a stored message: the beginning of its text and of its source, and its HTML. Decodes no more
 * than that, however large or hostile the message is; the source can be downloaded whole. Forgiving: it leaves out what
 * it cannot read.
 */
import { textParts } from "./text-parts.ts";
import { decodeTransfer } from "./transfer-decoding.ts";

/** The beginning of a text. */
export interface Beginning {
  text: string;
  /** Whether there is more of it. */
  isCut: boolean;
}

export interface ReadableContent {
  text: Beginning | null;
  hasHtml: boolean;
  /** As stored, decoded as UTF-8. */
  source: Beginning;
  sizeBytes: number;
}

/** Decoded bytes of the text, and bytes of the source: a page escapes them and a browser lays them out. */
export const SHOWN_BYTES_MAX = 128 * 1024;
/** Decoded bytes of the HTML, which is a document of its own and is sent as it is. */
export const HTML_BYTES_MAX = 2 * 1024 * 1024;

export function readContent(content: Buffer): ReadableContent {
  const { plain, html } = textParts(content);
  return {
    text:
      plain === null ? null : beginningOf(decodeTransfer(plain.body, plain.encoding, SHOWN_BYTES_MAX), plain.charset),
    hasHtml: html !== null,
    source: beginningOf(
      { bytes: content.subarray(0, SHOWN_BYTES_MAX), isCut: content.length > SHOWN_BYTES_MAX },
      "utf-8",
    ),
    sizeBytes: content.length,
  };
}

/** Tags that act before a sandbox or a content policy is asked: a refresh, and connections opened beforehand. */
const ACTING_TAGS = /<(?=(?:link|meta|base)[\s/>])/gi;

/** The HTML part as UTF-8, its `link`, `meta` and `base` tags made unknown ones; null when there is none. */
export function htmlDocumentOf(content: Buffer): Buffer | null {
  const { html } = textParts(content);
  if (html === null) return null;
  const { text } = beginningOf(decodeTransfer(html.body, html.encoding, HTML_BYTES_MAX), html.charset);
  return Buffer.from(text.replace(ACTING_TAGS, "<x-"));
}

function beginningOf({ bytes, isCut }: { bytes: Buffer; isCut: boolean }, charset: string): Beginning {
  return { text: decoderFor(charset).decode(bytes, { stream: isCut }), isCut };
}

/** Latin-1 for a name that is not known: it has a character for every byte. */
function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder("latin1");
  }
}
