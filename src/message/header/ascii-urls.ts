/** Fields of URLs (RFC 2369 §2): URLs in angle brackets, and text and comments around them; or only one URL (RFC 2557). */
import { isAscii } from "../address.ts";
import { decodeWords, encodedWords } from "../encoded-words.ts";
import { asciiUrl } from "./address-text.ts";
import { asciiComment } from "./ascii-tokens.ts";
import { splitComments } from "./comments.ts";

/** `text`: as written, with its folds. A URL may have parentheses, so comments are searched only outside angle brackets. */
export function urlsInAscii(text: string): string {
  let written = "";
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf("<", at);
    const close = open === -1 ? -1 : text.indexOf(">", open);
    if (close === -1) return written + aroundUrls(text.slice(at));
    written += `${aroundUrls(text.slice(at, open))}<${asciiUrl(text.slice(open + 1, close))}>`;
    at = close + 1;
  }
  return written;
}

function aroundUrls(text: string): string {
  if (isAscii(text)) return text;
  const pieces = splitComments(text) ?? [{ text, isComment: false }];
  return pieces.map((piece) => (piece.isComment ? asciiComment(piece.text) : wordsInAscii(piece.text))).join("");
}

/** A word with a colon is a URL; all other text is for readers. */
function wordsInAscii(text: string): string {
  if (isAscii(text)) return text;
  if (!text.includes(":")) return ` ${encodedWords(decodeWords(text.replaceAll("\r\n", "").trim()))} `;
  return text
    .split(/([ \t\r\n]+)/)
    .map(asciiUrl)
    .join("");
}
