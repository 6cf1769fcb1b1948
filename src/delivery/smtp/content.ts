/**
 * A message's content as sent after DATA: its header, dot-stuffed blocks and the closing dot (RFC 5321 §4.5.2). Pure;
 * content-transfer.ts sends the blocks.
 */
import { bodyStart } from "../../message/content.ts";

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const LINE_START_DOT = Buffer.from("\n.");
const LAST_LINE = Buffer.from(".\r\n");
const LINE_END_AND_LAST_LINE = Buffer.from("\r\n.\r\n");

export const BLOCK_BYTES = 64 * 1024;

/** Dots of a block found by searching. With more, reading each byte takes less time: 1 ms for 1 MB of lines with only a dot. */
const SEARCHED_DOTS_MAX = 500;

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
  return first.subarray(0, bodyStart(first));
}

/** Throws on a bare CR or LF: some servers read it as the end of a line, and what follows as commands (SMTP smuggling). */
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
interface Place {
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
      pieces.push(stuffed(slice, atLineStart));
      atLineStart = endsLine(slice);
      offset += slice.length;
      roomBytes -= slice.length;
    }
  }
  if (place.isLast) pieces.push(closingDot(atLineStart));
  if (pieces.length > 0) yield joined(pieces);
}

/** The end of the message: the line with only a dot. `complete`: the content has ended its last line. */
export function closingDot(complete: boolean): Buffer {
  return complete ? LAST_LINE : LINE_END_AND_LAST_LINE;
}

function joined(pieces: Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

/** The slice with its dots at the start of a line doubled; the slice itself if there are none. */
function stuffed(slice: Buffer, atLineStart: boolean): Buffer {
  let dot = atLineStart && slice[0] === DOT ? 0 : lineStartDot(slice, 0);
  if (dot === -1) return slice;
  const target = Buffer.allocUnsafe(2 * slice.length);
  let size = 0;
  let done = 0;
  for (let found = 0; dot !== -1 && found < SEARCHED_DOTS_MAX; found += 1) {
    size += slice.copy(target, size, done, dot);
    target[size++] = DOT;
    done = dot;
    dot = lineStartDot(slice, done);
  }
  if (dot === -1) return target.subarray(0, size + slice.copy(target, size, done));
  // The dot at `done` is doubled already.
  target[size++] = DOT;
  for (done += 1; done < slice.length; done += 1) {
    if (slice[done] === DOT && slice[done - 1] === LF) target[size++] = DOT;
    target[size++] = slice[done] as number;
  }
  return target.subarray(0, size);
}

/** The first dot at the start of a line from this place on, but not at this place; -1 if there is none. */
function lineStartDot(slice: Buffer, from: number): number {
  const lineEnd = slice.indexOf(LINE_START_DOT, from);
  return lineEnd === -1 ? -1 : lineEnd + 1;
}
