/**
 * Attachments whose content is an array of bytes: `[37,80,68]`, or `{"type":"Buffer","data":[37,80,68]}`, as some of Resend's
 * clients write them. They are converted to base64 in the JSON text: parsed, each byte would take the memory of a number, and
 * a text with more numbers is rejected (message/send-request/json-text.ts).
 */

/** The members that may have such a value, with their quotes. */
const NAMES = ['"content"', '"data"'].map((name) => Buffer.from(name));

const [QUOTE, COLON, COMMA, BACKSLASH, OPENING, CLOSING, ZERO] = [0x22, 0x3a, 0x2c, 0x5c, 0x5b, 0x5d, 0x30];
const BYTE_MAX = 255;

/** Returns the text with those arrays as base64 strings. Anything else, also invalid JSON, is left as it is. */
export function encodeByteArrays(json: Buffer): Buffer {
  if (!json.includes('"content"')) return json;
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let start = json.indexOf(QUOTE); start !== -1; ) {
    const end = endOfString(json, start + 1);
    if (end === -1) break;
    let next = end + 1;
    const array = isName(json, start, next) ? arrayAfter(json, next) : null;
    if (array !== null) {
      pieces.push(json.subarray(copied, array.start), Buffer.from(`"${array.bytes.toString("base64")}"`));
      copied = array.end;
      next = array.end;
    }
    start = json.indexOf(QUOTE, next);
  }
  return copied === 0 ? json : Buffer.concat([...pieces, json.subarray(copied)]);
}

/** The index of a string's closing quote; -1 if it has none. */
function endOfString(json: Buffer, from: number): number {
  let at = json.indexOf(QUOTE, from);
  while (at !== -1 && isEscaped(json, at, from)) at = json.indexOf(QUOTE, at + 1);
  return at;
}

function isEscaped(json: Buffer, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - backslashes > from && json[at - backslashes - 1] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

const isName = (json: Buffer, start: number, end: number): boolean =>
  NAMES.some((name) => name.length === end - start && name.equals(json.subarray(start, end)));

interface ByteArray {
  /** The index of the opening bracket, and the one after the closing bracket. */
  start: number;
  end: number;
  bytes: Buffer;
}

/** Returns the array of bytes that is the value of a name; null if its value is anything else. */
function arrayAfter(json: Buffer, nameEnd: number): ByteArray | null {
  const colon = skipSpace(json, nameEnd);
  const start = skipSpace(json, colon + 1);
  if (json[colon] !== COLON || json[start] !== OPENING) return null;
  // Not a search for the bracket: it could pass over the same bytes for each of many names.
  const closing = endOfNumbers(json, start + 1);
  const bytes = json[closing] === CLOSING ? bytesBetween(json, start + 1, closing) : null;
  return bytes === null ? null : { start, end: closing + 1, bytes };
}

/** Returns the index of the first character that is no digit, comma or space. */
function endOfNumbers(json: Buffer, from: number): number {
  let at = from;
  while (digitAt(json, at) !== -1 || json[at] === COMMA || isSpace(json[at])) at += 1;
  return at;
}

/** Reads numbers from 0 to 255 with a comma between each two. Null if there is anything else. */
function bytesBetween(json: Buffer, from: number, to: number): Buffer | null {
  // A byte and its comma are two characters at least.
  const bytes = Buffer.allocUnsafe((to - from + 1) >> 1);
  let count = 0;
  let at = skipSpace(json, from);
  if (at === to) return bytes.subarray(0, 0);
  for (;;) {
    const [value, end] = numberAt(json, at);
    if (value > BYTE_MAX) return null;
    bytes[count++] = value;
    at = skipSpace(json, end);
    if (at === to) return bytes.subarray(0, count);
    if (json[at] !== COMMA) return null;
    at = skipSpace(json, at + 1);
  }
}

/** Returns the number at an index, and the index after it. A number that is not an unsigned integer of JSON is returned as Infinity. */
function numberAt(json: Buffer, start: number): [value: number, end: number] {
  let value = 0;
  let at = start;
  for (let digit = digitAt(json, at); digit !== -1 && at - start < 4; digit = digitAt(json, at)) {
    value = 10 * value + digit;
    at += 1;
  }
  const isWritten = at > start && (json[start] !== ZERO || at === start + 1);
  return [isWritten ? value : Number.POSITIVE_INFINITY, at];
}

function digitAt(json: Buffer, at: number): number {
  const digit = (json[at] ?? 0) - ZERO;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
}

/** RFC 8259 §2. */
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
