/**
 * A message's content as sent after DATA: its header, dot-stuffed blocks and the closing dot (RFC 5321 §4.5.2). Pure;
 * content-transfer.ts sends the blocks.
 */
const CR = 0x0d;
const LF = 0x0a;
const DOT = Buffer.from(".");
const LINE_START_DOT = Buffer.from("\n.");
const LAST_LINE = Buffer.from(".\r\n");
const LINE_END_AND_LAST_LINE = Buffer.from("\r\n.\r\n");
const END_OF_HEADER = "\r\n\r\n";

export const BLOCK_BYTES = 64 * 1024;

/** A content with CRLF line ends only, not dot-stuffed, in parts that end anywhere. */
export interface ContentParts {
  /** Contains at least the whole header. */
  first: Buffer;
  /** How many parts follow the first one. */
  laterParts: number;
  /** Reads a later part; the first of them is number 1. The buffer must not change afterwards. */
  part(number: number): Promise<Buffer>;
}

/** The header with the empty line after it. A content without an empty line is all header. */
export function headerOf({ first }: ContentParts): Buffer {
  const end = first.indexOf(END_OF_HEADER);
  return end < 0 ? first : first.subarray(0, end + END_OF_HEADER.length);
}

/** Throws on a CR or LF alone: some servers read it as the end of a line, and what follows as commands (SMTP smuggling). */
export function assertCrlfOnly(bytes: Buffer): void {
  let lineStart = 0;
  for (;;) {
    const cr = bytes.indexOf(CR, lineStart);
    const lf = bytes.indexOf(LF, lineStart);
    if (cr === -1 && lf === -1) return;
    if (cr === -1 || lf !== cr + 1) throw new Error("bare CR or LF in a message that is about to be sent");
    lineStart = lf + 1;
  }
}

export function endsLine(bytes: Buffer): boolean {
  return bytes.length === 0 || bytes[bytes.length - 1] === LF;
}

/** Where a run of bytes stands in the message. */
export interface Place {
  atLineStart: boolean;
  /** Whether the message ends with it. */
  isLast: boolean;
}

const WHOLE: Place = { atLineStart: true, isLast: true };

/**
 * The pieces in sequence, in blocks of 64 KiB before stuffing, the last block of the message with the closing dot. A block of one
 * piece without a dot to stuff is a view of it, any other a copy. The pieces must have CRLF line ends only.
 */
export function* wireBlocks(bytes: Buffer[], blockBytes = BLOCK_BYTES, place = WHOLE): Generator<Buffer> {
  let pieces: Buffer[] = [];
  let roomBytes = blockBytes;
  let { atLineStart } = place;
  for (const piece of bytes) {
    for (let offset = 0; offset < piece.length; ) {
      if (roomBytes === 0) {
        yield joined(pieces);
        pieces = [];
        roomBytes = blockBytes;
      }
      const slice = piece.subarray(offset, offset + roomBytes);
      pieces.push(...stuffed(slice, atLineStart));
      atLineStart = endsLine(slice);
      offset += slice.length;
      roomBytes -= slice.length;
    }
  }
  if (place.isLast) pieces.push(closingDot(atLineStart));
  if (pieces.length > 0) yield joined(pieces);
}

/** The end of the message: the dot on a line of its own. `complete`: the content has ended its last line. */
export function closingDot(complete: boolean): Buffer {
  return complete ? LAST_LINE : LINE_END_AND_LAST_LINE;
}

function joined(pieces: Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

function stuffed(slice: Buffer, atLineStart: boolean): Buffer[] {
  const pieces: Buffer[] = atLineStart && slice[0] === DOT[0] ? [DOT] : [];
  let done = 0;
  for (;;) {
    const at = slice.indexOf(LINE_START_DOT, done);
    if (at === -1) break;
    pieces.push(slice.subarray(done, at + 1), DOT);
    done = at + 1;
  }
  pieces.push(slice.subarray(done));
  return pieces;
}
