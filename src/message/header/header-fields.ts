/**
 * Splits the header of a message that a client has built, or of one of its parts, into its fields (RFC 5322 §2.2), which stay as
 * they are written. White space before a colon, which is obsolete (RFC 5322 §4.5), is left out: readers differ in whether such a
 * line is a field.
 */
import { isUtf8 } from "node:buffer";
import { bodyStart } from "../content.ts";
import { echo } from "../field-errors.ts";

/** Of the whole header. Postfix accepts 100 KiB. */
const HEADER_OCTETS_MAX = 128 * 1024;
const FIELDS_MAX = 1000;

export interface HeaderField {
  /** As written. */
  name: string;
  /** In lower case. */
  key: string;
  /** Unfolded, without white space at its ends. Encoded words are not decoded. */
  value: string;
  /** The field as written, with its last CRLF, but without white space before its colon. */
  text: string;
}

export type Header = { type: "valid"; fields: HeaderField[] } | { type: "invalid"; detail: string };

const CRLF = Buffer.from("\r\n");

/** Returns the fields in their order; none if the first line is empty, because all after it is the body. The message has CRLF line ends only. */
export function headerFields(message: Buffer, octetsMax = HEADER_OCTETS_MAX): Header {
  const end = message.subarray(0, CRLF.length).equals(CRLF) ? 0 : bodyStart(message);
  const header = withoutMailboxLine(message.subarray(0, end));
  if (header.length > octetsMax) return invalid(`The header is longer than ${octetsMax} octets.`);
  if (!isUtf8(header)) {
    return invalid("The header is not UTF-8. Encode text in other character sets as RFC 2047 specifies.");
  }
  return fieldsOf(linesOf(header.toString()));
}

/**
 * The fields of a part within a message, where old programs write file names in the character set of their system: a field that is not
 * UTF-8 is read as Windows-1252, as web browsers do.
 */
export function partFields(header: Buffer): Header {
  if (header.length > HEADER_OCTETS_MAX) return invalid(`The header is longer than ${HEADER_OCTETS_MAX} octets.`);
  if (isUtf8(header)) return fieldsOf(linesOf(header.toString()));
  return fieldsOf(linesOf(header.toString("latin1")).map(decodedLine));
}

/** Followed by a colon, with white space before it, it is a field. */
const MAILBOX_LINE = /^>?From (?![ \t]*:)/;

/** Programs that read a message from a mailbox file leave the line before it (RFC 4155), which is no field. */
function withoutMailboxLine(header: Buffer): Buffer {
  const end = header.indexOf(CRLF);
  if (end === -1 || !MAILBOX_LINE.test(header.toString("latin1", 0, end))) return header;
  return header.subarray(end + CRLF.length);
}

const linesOf = (header: string): string[] => header.split(/\r\n(?![ \t])/).filter((line) => line !== "");

/** The octets 80 to 9F in Windows-1252. The decoder of Node 20 reads them as ISO 8859-1. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** `line`: one character for each octet. */
function decodedLine(line: string): string {
  const octets = Buffer.from(line, "latin1");
  if (isUtf8(octets)) return octets.toString();
  return line.replace(/[\u0080-\u009f]/g, (octet) => WINDOWS_1252[octet.charCodeAt(0) - 0x80] ?? octet);
}

function fieldsOf(lines: readonly string[]): Header {
  if (lines.length > FIELDS_MAX) return invalid(`The header has more than ${FIELDS_MAX} fields.`);
  const fields: HeaderField[] = [];
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      return invalid(`The header has a line that is not a field: ${echo(line.split("\r\n")[0] ?? "")}`);
    }
    fields.push({ name, key: name.toLowerCase(), value: unfold(value), text: `${name}:${value}\r\n` });
  }
  return { type: "valid", fields };
}

const FIELD = /^([!-9;-~]+)[ \t]*:(.*)$/s;

/** A regular expression would take quadratic time on a run of white space. */
function unfold(value: string): string {
  const text = value.replaceAll("\r\n", "");
  const isBlank = (at: number): boolean => text[at] === " " || text[at] === "\t";
  let [from, to] = [0, text.length];
  while (from < to && isBlank(from)) from += 1;
  while (to > from && isBlank(to - 1)) to -= 1;
  return text.slice(from, to);
}

const invalid = (detail: string): Header => ({ type: "invalid", detail });
