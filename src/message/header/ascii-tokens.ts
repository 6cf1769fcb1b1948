/** Structured text that can have encoded words only in comments (RFC 2047 §5), such as dates, identifiers and media types. */
import { isAscii } from "../address.ts";
import { decodeWords, encodedWords } from "../encoded-words.ts";
import { percentEncoded } from "./address-text.ts";
import { splitComments } from "./comments.ts";

/**
 * The text in ASCII, with its folds. Octets outside comments have no form there: they are written as %C3%BC, always in the same
 * way, so that an identifier is the same in each message that names it.
 */
export function asciiTokens(text: string): string {
  if (isAscii(text)) return text;
  const pieces = splitComments(text) ?? [{ text, isComment: false }];
  return pieces.map((piece) => (piece.isComment ? asciiComment(piece.text) : percentEncoded(piece.text))).join("");
}

/** A comment, with its parentheses. It stays one: where it was encoded without them, an address in it would become one of the field. */
export function asciiComment(comment: string): string {
  if (isAscii(comment)) return comment;
  const text = comment.slice(1, -1).replaceAll("\r\n", "").replace(/\\(.)/gsu, "$1");
  return `(${encodedWords(decodeWords(text))})`;
}
