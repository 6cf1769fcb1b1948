/**
 * The parts of a stored content and their checksums. Each part has its own checksum, so that it can be sent before the later
 * ones are read. What becomes of a message whose content has changed is decided by each form of the spool.
 */
import { crc32 } from "node:zlib";

/** A larger content is stored in parts of this size. */
export const PART_BYTES = 256 * 1024;

/** Returns the checksum of a content's first or only part. It also covers the body hash and the number of later parts. */
export function contentChecksum(
  first: Uint8Array,
  { bodyHash, laterParts }: { bodyHash: string | null; laterParts: number | null },
): number {
  const beside = laterParts === null ? (bodyHash ?? "") : `${bodyHash} ${laterParts}`;
  // Without either, as in rows of earlier versions, only the checksum of the bytes.
  return crc32(first, crc32(beside));
}

/** A part's checksum depends on its message and number too: the part of another message is not mistaken for it. */
export function partChecksum(bytes: Uint8Array, { messageId, part }: { messageId: string; part: number }): number {
  return crc32(bytes, crc32(`${messageId} ${part}`));
}
