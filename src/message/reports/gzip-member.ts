/** The frame of a member of a gzip file (RFC 1952 §2.3): what precedes and follows its deflate data. */
import { UnreadableReport } from "./unreadable-report.ts";

const HEADER_BYTES = 10;
export const TRAILER_BYTES = 8;
const DEFLATED = 8;
const [HAS_CHECKSUM, HAS_EXTRA, HAS_NAME, HAS_COMMENT] = [2, 4, 8, 16];

export const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Returns what follows the header. Throws UnreadableReport if it is damaged. */
export function withoutGzipHeader(member: Buffer): Buffer {
  if (member.length < HEADER_BYTES || member[2] !== DEFLATED) throw new UnreadableReport("damaged_archive");
  const flags = member[3] ?? 0;
  let at = HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) at += 2 + (at + 2 <= member.length ? member.readUInt16LE(at) : 0);
  if ((flags & HAS_NAME) !== 0) at = afterZero(member, at);
  if ((flags & HAS_COMMENT) !== 0) at = afterZero(member, at);
  if ((flags & HAS_CHECKSUM) !== 0) at += 2;
  return member.subarray(at);
}

function afterZero(member: Buffer, at: number): number {
  const zero = member.indexOf(0, at);
  if (zero === -1) throw new UnreadableReport("damaged_archive");
  return zero + 1;
}

/** Throws UnreadableReport if the trailer is cut off. */
export function gzipTrailer(bytes: Buffer): { crc: number; sizeBytes: number } {
  if (bytes.length < TRAILER_BYTES) throw new UnreadableReport("damaged_archive");
  return { crc: bytes.readUInt32LE(0), sizeBytes: bytes.readUInt32LE(4) };
}
