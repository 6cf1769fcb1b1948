/**
 * Base64 (RFC 4648 §4) of whole files. Encoding uses Node's conversion block by block: no string is as long as the file.
 * Decoding allocates only the decoded bytes.
 */

/** RFC 2045 §6.8. */
const LINE_LENGTH = 76;
/** What a line encodes. */
export const LINE_BYTES = (LINE_LENGTH / 4) * 3;
/** Lines encoded at once. Their strings stay in V8's young generation. */
const BLOCK_LINES = 256;

/** Returns the size of `sizeBytes` bytes in base64, in lines of 76 characters, without a final CRLF. */
export function base64LinesBytes(sizeBytes: number): number {
  const characters = Math.ceil(sizeBytes / 3) * 4;
  return characters + 2 * Math.max(0, Math.ceil(characters / LINE_LENGTH) - 1);
}

/** Writes `bytes` in base64, in lines of 76 characters, into `target` from `start`. Returns the index after them. */
export function writeBase64Lines(bytes: Buffer, target: Buffer, start: number): number {
  let at = start;
  for (let from = 0; from < bytes.length; from += BLOCK_LINES * LINE_BYTES) {
    if (from > 0) at = writeCrlf(target, at);
    const text = bytes.toString("base64", from, Math.min(from + BLOCK_LINES * LINE_BYTES, bytes.length));
    target.write(text, at, "latin1");
    at = breakLines(target, at, text.length);
  }
  return at;
}

/** Inserts CRLFs into the `length` characters from `start`. The last line moves first: no line is overwritten. */
function breakLines(target: Buffer, start: number, length: number): number {
  const last = Math.ceil(length / LINE_LENGTH) - 1;
  for (let line = last; line > 0; line -= 1) {
    const from = start + line * LINE_LENGTH;
    const to = from + 2 * line;
    target.copyWithin(to, from, Math.min(from + LINE_LENGTH, start + length));
    writeCrlf(target, to - 2);
  }
  return start + length + 2 * last;
}

function writeCrlf(target: Buffer, at: number): number {
  target[at] = 0x0d;
  target[at + 1] = 0x0a;
  return at + 2;
}

const WHITE_SPACE = [" ", "\t", "\r", "\n"];

/** Decodes a base64 text, which may contain white space anywhere. Returns null if any part of it is not base64. */
export function decodeBase64(text: string): Buffer | null {
  const isSpaced = WHITE_SPACE.some((space) => text.includes(space));
  const length = isSpaced ? lengthWithoutSpace(text) : text.length;
  if (length % 4 !== 0 || hasForeignCharacters(text)) return null;
  // Node skips characters that it cannot decode: all are base64 if and only if no decoded byte is missing.
  const bytes = Buffer.allocUnsafe((length / 4) * 3 - paddingOf(text));
  return bytes.write(text, "base64") === bytes.length ? bytes : null;
}

/** Characters that Node decodes although they are not base64: base64url, and some beyond U+00FF by their low byte. */
function hasForeignCharacters(text: string): boolean {
  return text.includes("-") || text.includes("_") || /[\u0100-\uffff]/.test(text);
}

function lengthWithoutSpace(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += 1) if (!isSpace(text.charCodeAt(at))) length += 1;
  return length;
}

/** Returns the number of trailing equals signs, at most two. */
function paddingOf(text: string): number {
  let padding = 0;
  for (let at = text.length - 1; at >= 0 && padding < 2; at -= 1) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) continue;
    if (code !== 0x3d) break;
    padding += 1;
  }
  return padding;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
