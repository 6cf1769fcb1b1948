/**
 * Header fields in ASCII. Programs write UTF-8 into header fields without SMTPUTF8 (RFC 6531), which few servers offer. Encoded
 * words (RFC 2047) say the same everywhere. Addresses that are not ASCII themselves cannot be encoded and stay.
 */
import { isAscii } from "../address.ts";
import { encodedWords } from "../encoded-words.ts";
import { splitComments } from "./comments.ts";
import type { HeaderField } from "./header-fields.ts";

/** Fields of mailboxes: only names are text there. */
const MAILBOX_FIELDS: ReadonlySet<string> = new Set(
  "from sender reply-to to cc resent-from resent-sender resent-to resent-cc".split(" "),
);
/** Fields with parameters (RFC 2045 §5.1, RFC 2183), such as the name of a file. */
const PARAMETER_FIELDS: ReadonlySet<string> = new Set(["content-type", "content-disposition"]);
/** Fields in which an encoded word has no meaning. */
const STRUCTURED_FIELDS: ReadonlySet<string> = new Set(
  "message-id in-reply-to references content-id content-transfer-encoding mime-version date".split(" "),
);

/** The field as it is sent. One in ASCII is not changed. */
export function inAscii({ name, key, value, text }: HeaderField): string {
  if (isAscii(text) || STRUCTURED_FIELDS.has(key)) return text;
  if (PARAMETER_FIELDS.has(key)) return parametersInAscii(text);
  const encoded = MAILBOX_FIELDS.has(key) ? encodedNames(value) : encodedWords(value);
  return `${name}: ${encoded}\r\n`;
}

/**
 * A quoted string, with the domain where it is a local part; an address in angle brackets; a separator; or a run of words. What is not
 * closed extends to the end, so that each character is read once.
 */
const TOKEN = /"(?:[^"\\]|\\.?)*(?:"(?:@[^\s"<>,;:]*)?|$)|<[^>]*(?:>|$)|[,;:]|[^"<,;:]+/gsu;

const unquoted = (token: string): string => token.slice(1).replace(/"$/, "").replace(/\\(.)/gsu, "$1");

/**
 * Each name in encoded words, on lines of their own. A comment is encoded within its parentheses: where it was encoded with the text
 * around it, an address in it would become one of the field.
 */
function encodedNames(value: string): string {
  const pieces = splitComments(value) ?? [{ text: value, isComment: false }];
  return pieces
    .map(({ text, isComment }) => (isComment ? encodedComment(text) : namesIn(text)))
    .join("")
    .trim();
}

const encodedComment = (comment: string): string =>
  isAscii(comment) ? comment : `(${encodedWords(comment.slice(1, -1).replace(/\\(.)/gsu, "$1"))})`;

function namesIn(text: string): string {
  const tokens = text.match(TOKEN) ?? [text];
  return tokens
    .map((token) => {
      const isQuoted = token.startsWith('"');
      const isAddress = token.startsWith("<") || (isQuoted ? /"@[^"]*$/.test(token) : token.includes("@"));
      if (isAddress || isAscii(token)) return token === "," ? ",\r\n " : token;
      return ` ${encodedWords(isQuoted ? unquoted(token) : token.trim())} `;
    })
    .join("");
}

const PARAMETER = /;([ \t\r\n]*)([\w-]+)="((?:[^"\\]|\\.)*)"/g;

/** Parameters such as filename="ü.pdf" as RFC 2231 has them. */
function parametersInAscii(field: string): string {
  return field.replace(PARAMETER, (whole, space: string, name: string, value: string) => {
    if (isAscii(value)) return whole;
    const text = value.replace(/\\(.)/g, "$1");
    return `;${space}${name}*=utf-8''${encodeURIComponent(text.toWellFormed()).replace(/['()*!]/g, percent)}`;
  });
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
