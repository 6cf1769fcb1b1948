/** Encoded words (RFC 2047) in header fields: decodes those of a received field, and encodes text that is not ASCII. */
import { encodeWord } from "nodemailer/lib/mime-funcs";

/** Octets of an encoded word; the standard allows 75. */
const WORD_LENGTH_MAX = 52;
const WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;

/** Returns an unfolded field's text with its encoded words decoded. A word that cannot be decoded stays as it is. */
export function decodeWords(text: string): string {
  if (!text.includes("=?")) return text;
  // White space between two encoded words is not part of the text.
  return text
    .replace(/(\?=)[ \t]+(?==\?)/g, "$1")
    .replace(WORD, (whole, charset: string, form: string, data: string) => {
      const bytes = form.toLowerCase() === "b" ? Buffer.from(data, "base64") : quotedBytes(data);
      try {
        return new TextDecoder(charset).decode(bytes);
      } catch {
        return whole;
      }
    });
}

/** Returns the text as encoded words, one on each line of a folded field. */
export function encodedWords(text: string): string {
  const others = text.replace(/[ -~]/g, "").length;
  const encoding = others * 2 > text.length ? "B" : "Q";
  return encodeWord(text, encoding, WORD_LENGTH_MAX).replaceAll("?= =?", "?=\r\n =?");
}

function quotedBytes(data: string): Buffer {
  const text = data
    .replaceAll("_", " ")
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1");
}
