/** What feedback needs of an incoming message: its header, its text as people read it, and its other parts. */
import { isUtf8 } from "node:buffer";
import { decodeWords } from "../encoded-words.ts";
import { decoderFor } from "../reading/charset-decoder.ts";
import { type Fields, type Leaf, leafParts } from "./leaf-parts.ts";

/** Of a text that is examined. The reason of a bounce is at its beginning. */
const TEXT_LENGTH_MAX = 64 * 1024;
const SUBJECT_LENGTH_MAX = 1000;

/** A message as far as feedback needs it. */
export interface IncomingMessage {
  /** The values of the header fields, unfolded, by lower-case name. */
  fields: Fields;
  /** Decoded; empty without one. */
  subject: string;
  /** The text as people read it. */
  text: string;
  /** All parts that are no text: their types in lower case, and their contents. */
  parts: readonly IncomingPart[];
}

export interface IncomingPart {
  type: string;
  /** As the message names it, in lower case; null if it does not. */
  charset: string | null;
  text: string;
  bytes: Buffer;
}

/** Takes a message apart, whatever it contains. */
export function readIncoming(raw: Buffer): IncomingMessage {
  const { fields, leaves } = leafParts(raw);
  const isText = ({ type, isAttachment }: Leaf): boolean => !isAttachment && /^text\/(?:plain|html)$/.test(type);
  return {
    fields,
    subject: decodeWords(fields.get("subject")?.[0] ?? "").slice(0, SUBJECT_LENGTH_MAX),
    text: textOf(leaves.filter(isText)),
    parts: leaves
      .filter((leaf) => !isText(leaf))
      .map((leaf) => ({ type: leaf.type, charset: leaf.charset, text: decoded(leaf), bytes: leaf.bytes })),
  };
}

/** The plain text; the HTML where there is none. */
function textOf(leaves: readonly Leaf[]): string {
  const of = (wanted: string): string =>
    leaves
      .filter(({ type }) => type === wanted)
      .slice(0, TEXTS_MAX)
      .map(decoded)
      .join("\n");
  const plain = of("text/plain");
  const text =
    plain.trim() === "" || /^\s{0,100}<(?:html|!doctype)/i.test(plain)
      ? withoutTags(`${of("text/html")}${plain}`)
      : plain;
  return text.slice(0, TEXT_LENGTH_MAX);
}

const TEXTS_MAX = 10;

/** Decodes the beginning of a part. A text whose character set is missing or wrong may be Japanese in seven bits. */
function decoded({ bytes, charset }: Leaf): string {
  const start = bytes.subarray(0, TEXT_LENGTH_MAX);
  if (charset === null || charset === "us-ascii" || charset === "utf-8") {
    if (start.includes("\x1b$")) return decoderFor("iso-2022-jp").decode(start);
    return decoderFor(isUtf8(start) || charset === "utf-8" ? "utf-8" : "latin1").decode(start);
  }
  return decoderFor(charset).decode(start);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", nbsp: " ", quot: '"', amp: "&" };

/** Enough for texts of mail servers, which are not shown. Addresses in angle brackets stay, since some programs do not escape them. */
function withoutTags(html: string): string {
  return html
    .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h\d)\b[^<>]{0,1000}>/gi, "\n")
    .replace(/<(?![^<>@\s"'=]{1,100}@)[^<>]{0,2000}>/g, "")
    .replace(/&(?:(lt|gt|nbsp|quot|amp)|#(\d{2,4}));/g, (_whole, name?: string, number?: string) =>
      name === undefined ? String.fromCharCode(Number(number)) : (ENTITIES[name] ?? " "),
    );
}
