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
  if (MAILBOX_FIELDS.has(key)) return folded(`${name}: ${encodedNames(value)}\r\n`);
  return `${name}: ${encodedWords(value)}\r\n`;
}

/** Octets of a line before it is folded again: a value is unfolded. A word has fewer than 998, because it was on one line. */
const LINE_OCTETS_MAX = 900;

/** Folds long lines at white space. */
function folded(text: string): string {
  const octets = Buffer.from(text).toString("latin1");
  const lines = octets.split("\r\n").map((line) => piecesOf(line).join("\r\n"));
  return Buffer.from(lines.join("\r\n"), "latin1").toString();
}

function piecesOf(written: string): string[] {
  if (written.length <= LINE_OCTETS_MAX) return [written];
  // A run of white space could become a line of its own.
  const line = written.replace(/[ \t]+/g, " ");
  const pieces: string[] = [];
  let from = 0;
  while (line.length - from > LINE_OCTETS_MAX) {
    const rest = line.slice(from + 1);
    const last = rest.lastIndexOf(" ", LINE_OCTETS_MAX - 1);
    const next = last > 0 ? last : rest.indexOf(" ");
    if (next < 0) break;
    pieces.push(line.slice(from, from + 1 + next));
    from += 1 + next;
  }
  return [...pieces, line.slice(from)];
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
  return text.replace(TOKEN, (token) => {
    const isQuoted = token.startsWith('"');
    const isAddress = token.startsWith("<") || (isQuoted ? /"@[^"]*$/.test(token) : token.includes("@"));
    if (isAddress || isAscii(token)) return token === "," ? ",\r\n " : token;
    return ` ${encodedWords(isQuoted ? unquoted(token) : token.trim())} `;
  });
}

const PARAMETER = /;([ \t\r\n]*)([\w-]{1,100})="((?:[^"\\]|\\.)*)"/g;

/** Octets of a line without its CRLF. */
const OCTETS_MAX = 998;
/** A value with more encoded octets is continued on further lines (RFC 2231 §3). */
const PIECE = /(?:%..|[^%]){1,60}/g;

/** Parameters such as filename="ü.pdf" as RFC 2231 has them, on lines of their own where one would be too long. */
function parametersInAscii(field: string): string {
  const converted = withParameters(field, ({ space, name, encoded }) => `;${space}${name}*=utf-8''${encoded}`);
  if (converted.split("\r\n").every((line) => Buffer.byteLength(line) <= OCTETS_MAX)) return converted;
  return withParameters(field, ({ name, encoded }) => {
    const pieces = encoded.match(PIECE) ?? [];
    return pieces.map((piece, i) => `;\r\n ${name}*${i}*=${i === 0 ? "utf-8''" : ""}${piece}`).join("");
  });
}

/** A parameter whose value is not ASCII. `space`: what is before its name; `encoded`: the value. */
interface Parameter {
  space: string;
  name: string;
  encoded: string;
}

function withParameters(field: string, written: (parameter: Parameter) => string): string {
  return field.replace(PARAMETER, (whole, space: string, name: string, value: string) => {
    if (isAscii(value)) return whole;
    const text = value.replace(/\\(.)/g, "$1");
    const encoded = encodeURIComponent(text.toWellFormed()).replace(/['()*!]/g, percent);
    return written({ space, name, encoded });
  });
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
