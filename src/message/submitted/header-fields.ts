/** Splits the header of a message that a client has built into its fields (RFC 5322 §2.2), which stay as they are written. */
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
  /** The field as written, with its last CRLF. */
  text: string;
}

export type Header = { type: "valid"; fields: HeaderField[] } | { type: "invalid"; detail: string };

const CRLF = Buffer.from("\r\n");

/** Returns the fields in their order; none if the first line is empty, because all after it is the body. The message has CRLF line ends only. */
export function headerFields(message: Buffer): Header {
  const end = message.subarray(0, 2).equals(CRLF) ? 0 : bodyStart(message);
  if (end > HEADER_OCTETS_MAX) return invalid(`The header is longer than ${HEADER_OCTETS_MAX} octets.`);
  const header = message.subarray(0, end);
  if (!isUtf8(header)) {
    return invalid("The header is not UTF-8. Encode text in other character sets as RFC 2047 specifies.");
  }
  const lines = header
    .toString()
    .split(/\r\n(?![ \t])/)
    .filter((line) => line !== "");
  if (lines.length > FIELDS_MAX) return invalid(`The header has more than ${FIELDS_MAX} fields.`);
  const fields: HeaderField[] = [];
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      return invalid(`The header has a line that is not a field: ${echo(line.split("\r\n")[0] ?? "")}`);
    }
    fields.push({ name, key: name.toLowerCase(), value: unfold(value), text: `${line}\r\n` });
  }
  return { type: "valid", fields };
}

/** White space before the colon is obsolete, but some programs write it (RFC 5322 §4.5). */
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
