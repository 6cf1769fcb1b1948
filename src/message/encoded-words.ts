/** Encoded words (RFC 2047) in header fields: decodes those of a received field, and encodes text that is not ASCII. */
import { encodeWord } from "nodemailer/lib/mime-funcs";

/** Octets of an encoded word; the standard allows 75. */
const WORD_LENGTH_MAX = 52;
const WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;

/** Different charsets of one text. */
const CHARSETS_MAX = 20;

/** Returns an unfolded field's text with its encoded words decoded. A word that cannot be decoded stays as it is. */
export function decodeWords(text: string): string {
  if (!text.includes("=?")) return text;
  const decoders = new Map<string, TextDecoder | null>();
  // White space between two encoded words is not part of the text.
  return text
    .replace(/(\?=)[ \t]+(?==\?)/g, "$1")
    .replace(WORD, (whole, charset: string, form: string, data: string) => {
      const decoder = decoderIn(decoders, charset);
      if (decoder === null) return whole;
      return decoder.decode(form.toLowerCase() === "b" ? Buffer.from(data, "base64") : quotedBytes(data));
    });
}

/** A decoder takes 20 µs to make, also one that there is not, and a header may have ten thousand words. */
function decoderIn(decoders: Map<string, TextDecoder | null>, charset: string): TextDecoder | null {
  const known = decoders.get(charset);
  if (known !== undefined || decoders.size >= CHARSETS_MAX) return known ?? null;
  const decoder = newDecoder(charset);
  decoders.set(charset, decoder);
  return decoder;
}

function newDecoder(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}

/** Returns the text as encoded words, one on each line of a folded field. */
export function encodedWords(text: string): string {
  const others = text.replace(/[ -~]/g, "").length;
  const encoding = others * 2 > text.length ? "B" : "Q";
  return shortWord(text, encoding) ?? encodeWord(text, encoding, WORD_LENGTH_MAX).replaceAll("?= =?", "?=\r\n =?");
}

/** By octet: as in the encoding Q, also in the name of a mailbox (RFC 2047 §5). */
const Q_FORMS: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if (/[a-z0-9!*+\-/]/i.test(character)) return character;
  return character === " " ? "_" : `=${octet.toString(16).toUpperCase().padStart(2, "0")}`;
});

const FRAME_LENGTH = "=?UTF-8?Q??=".length;

/** The text as one word, in a tenth of the library's time: a header may have ten thousand names. Null if one is too short for it. */
function shortWord(text: string, encoding: "B" | "Q"): string | null {
  if (text.length > WORD_LENGTH_MAX) return null;
  const octets = Buffer.from(text);
  let encoded = "";
  if (encoding === "B") encoded = octets.toString("base64");
  else for (const octet of octets) encoded += Q_FORMS[octet];
  return encoded.length + FRAME_LENGTH > WORD_LENGTH_MAX ? null : `=?UTF-8?${encoding}?${encoded}?=`;
}

function quotedBytes(data: string): Buffer {
  const text = data
    .replaceAll("_", " ")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
