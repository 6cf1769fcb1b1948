/**
 * A message's bytes as sent after DATA: dot-stuffed blocks and the closing dot (RFC 5321 §4.5.2). Pure; transaction.ts
 * sends them.
 */
const CR = 0x0d;
const LF = 0x0a;
const DOT = Buffer.from(".");
const LINE_START_DOT = Buffer.from("\n.");
const LAST_LINE = Buffer.from(".\r\n");
const LINE_END_AND_LAST_LINE = Buffer.from("\r\n.\r\n");

export const BLOCK_BYTES = 64 * 1024;

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

/**
 * The parts in sequence, in blocks of 64 KiB before stuffing, the last block with the closing dot. Copies the bytes once. The parts
 * must have CRLF line ends only, and all but the last must end a line.
 */
export function* wireBlocks(parts: Buffer[], blockBytes = BLOCK_BYTES): Generator<Buffer> {
  let pieces: Buffer[] = [];
  let roomBytes = blockBytes;
  let atLineStart = true;
  for (const part of parts) {
    for (let offset = 0; offset < part.length; ) {
      if (roomBytes === 0) {
        yield Buffer.concat(pieces);
        pieces = [];
        roomBytes = blockBytes;
      }
      const slice = part.subarray(offset, offset + roomBytes);
      pieces.push(...stuffed(slice, atLineStart));
      atLineStart = endsLine(slice);
      offset += slice.length;
      roomBytes -= slice.length;
    }
  }
  pieces.push(closingDot(atLineStart));
  yield Buffer.concat(pieces);
}

/** The end of the message: the dot on a line of its own. `complete`: the content has ended its last line. */
export function closingDot(complete: boolean): Buffer {
  return complete ? LAST_LINE : LINE_END_AND_LAST_LINE;
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
