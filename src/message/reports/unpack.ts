/** Unpacks a report: gzip, a zip archive of one file, or neither. A bomb is rejected at a fixed size, and nothing is unpacked twice. */
import { gunzipSync } from "node:zlib";
import { isZip, onlyZipEntry } from "./zip-entry.ts";

export const PACKED_BYTES_MAX = 10 * 1024 * 1024;
/** Of the largest report that is read. Reports of large receivers have some megabytes. */
export const UNPACKED_BYTES_MAX = 50 * 1024 * 1024;

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Returns the content; null if it is too large or damaged, or the archive has more than one file. */
export function unpack(packed: Buffer): Buffer | null {
  if (packed.length > PACKED_BYTES_MAX) return null;
  if (isZip(packed)) return onlyZipEntry(packed, UNPACKED_BYTES_MAX);
  if (!isGzip(packed)) return packed;
  try {
    return gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch {
    return null;
  }
}
