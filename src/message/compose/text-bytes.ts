/**
 * Texts as UTF-8 bytes: the counts that select their encoding, and quoted-printable (RFC 2045 §6.7). Line ends are read as CR,
 * LF or CRLF and written as CRLF. Bytes are written directly into the message's buffer: intermediate strings would take several
 * times the memory of the text.
 *
 * Code that runs for each byte is in this file. In a thread that tsx compiles to CommonJS, each use of an import calls a getter,
 * which takes longer than the rest of the loop.
 */
const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const EQUALS = 0x3d;
const DELETE = 0x7f;
const HEX_DIGITS = Buffer.from("0123456789ABCDEF");

/** Kinds of bytes, in this order: printable ASCII other than "="; "="; space and tab; CR and LF; all others. */
const LITERAL = 0;
const EQUALS_SIGN = 1;
const BLANK = 2;
const LINE_END = 3;
const NON_PRINTABLE = 4;

/** The kind of each byte. A table lookup takes half the time of comparisons. */
const BYTE_KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === LF || byte === CR) return LINE_END;
  if (byte === 0x20 || byte === 0x09) return BLANK;
  if (byte === EQUALS) return EQUALS_SIGN;
  return byte > 0x20 && byte < 0x7f ? LITERAL : NON_PRINTABLE;
});

/** Includes the equals sign of a soft line break. */
const LINE_LENGTH_MAX = 76;
/** Shortest line before a soft line break: an escaped UTF-8 sequence has at most 12 characters. */
const BROKEN_LINE_LENGTH_MIN = LINE_LENGTH_MAX - 12;
const SOFT_BREAK_SIZE = 3;

export interface TextBytes {
  /** With the original line ends. */
  bytes: Buffer;
  /** Size with CRLF line ends. */
  sizeBytes: number;
  /** Bytes other than printable ASCII, spaces, tabs and line ends. */
  nonPrintable: number;
  /** Bytes that quoted-printable escapes: non-printable bytes, equals signs, and a blank at the end of a line. */
  escaped: number;
}

/** Encodes a text as UTF-8 and counts its bytes. Comparisons in this order take half the time of looking up each byte's kind. */
export function textBytes(text: string): TextBytes {
  const bytes = Buffer.from(text);
  const length = bytes.length;
  let sizeBytes = length;
  let nonPrintable = 0;
  let escaped = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] as number;
    if (byte > EQUALS) {
      if (byte >= DELETE) nonPrintable += 1;
    } else if (byte > SPACE) {
      if (byte === EQUALS) escaped += 1;
    } else if (byte === SPACE || byte === TAB) {
      if (isLineEnd(bytes, at + 1)) escaped += 1;
    } else if (byte === CR || byte === LF) {
      if (isCrlf(bytes, at)) at += 1;
      else sizeBytes += 1;
    } else nonPrintable += 1;
  }
  return { bytes, sizeBytes, nonPrintable, escaped: escaped + nonPrintable };
}

/** Whether a line ends at this index: a CR, an LF or the end of the text. */
function isLineEnd(bytes: Buffer, at: number): boolean {
  return at === bytes.length || BYTE_KINDS[bytes[at] as number] === LINE_END;
}

function isCrlf(bytes: Buffer, at: number): boolean {
  return bytes[at] === CR && at + 1 < bytes.length && bytes[at + 1] === LF;
}

/** Writes a CRLF and returns the index after it. */
function writeCrlf(target: Buffer, at: number): number {
  target[at] = CR;
  target[at + 1] = LF;
  return at + 2;
}

/** Returns the bytes with CRLF line ends. */
export function withCrlf({ bytes, sizeBytes }: TextBytes): Buffer {
  const length = bytes.length;
  if (sizeBytes === length) return bytes;
  const target = Buffer.allocUnsafe(sizeBytes);
  let to = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === LF || byte === CR) {
      if (isCrlf(bytes, at)) at += 1;
      to = writeCrlf(target, to);
    } else {
      target[to] = byte;
      to += 1;
    }
  }
  return target;
}

/** Returns an upper bound of the encoded size, at most 5 % too large. */
export function quotedPrintableBytesMax({ sizeBytes, escaped }: TextBytes): number {
  const characters = sizeBytes + 2 * escaped;
  return characters + SOFT_BREAK_SIZE * Math.floor(characters / BROKEN_LINE_LENGTH_MIN);
}

/**
 * Writes UTF-8 bytes as quoted-printable into `target` from `start`, and returns the index after them. Lines have at most
 * 76 characters and end with CRLF. A UTF-8 sequence is never split across lines.
 */
export function writeQuotedPrintable(bytes: Buffer, target: Buffer, start: number): number {
  const length = bytes.length;
  let to = start;
  let lineStart = start;
  for (let at = 0; at < length; ) {
    const run = literalRun(bytes, at, LINE_LENGTH_MAX - 1 - (to - lineStart));
    for (const end = at + run; at < end; at += 1) target[to++] = bytes[at] as number;
    if (at === length) break;
    const byte = bytes[at] as number;
    const kind = BYTE_KINDS[byte];
    if (kind === LINE_END) {
      at += isCrlf(bytes, at) ? 2 : 1;
      to = writeCrlf(target, to);
      lineStart = to;
      continue;
    }
    // Mail servers may remove blanks at the end of a line.
    const isLiteral = kind === LITERAL || (kind === BLANK && !isLineEnd(bytes, at + 1));
    const next = isLiteral ? at + 1 : at + sequenceSize(byte);
    const lineLength = to - lineStart + (isLiteral ? 1 : 3 * (next - at));
    if (lineLength >= LINE_LENGTH_MAX && !(lineLength === LINE_LENGTH_MAX && isLineEnd(bytes, next))) {
      to = writeSoftBreak(target, to);
      lineStart = to;
    }
    if (isLiteral) target[to++] = byte;
    else for (let i = at; i < next; i += 1) to = writeEscaped(bytes[i] as number, target, to);
    at = next;
  }
  return to;
}

/** Returns how many of the next bytes, at most `max`, are written as they are: literals, and spaces before a literal. */
function literalRun(bytes: Buffer, from: number, max: number): number {
  const end = Math.min(from + max, bytes.length);
  let at = from;
  for (; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte > SPACE) {
      if (byte === EQUALS || byte >= DELETE) break;
    } else if (byte !== SPACE || !((bytes[at + 1] as number) > SPACE)) break;
  }
  return at - from;
}

/** Returns the size of the UTF-8 sequence that begins with this byte. */
function sequenceSize(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function writeSoftBreak(target: Buffer, at: number): number {
  target[at] = EQUALS;
  return writeCrlf(target, at + 1);
}

function writeEscaped(byte: number, target: Buffer, at: number): number {
  target[at] = EQUALS;
  target[at + 1] = HEX_DIGITS[byte >> 4] as number;
  target[at + 2] = HEX_DIGITS[byte & 15] as number;
  return at + 3;
}
