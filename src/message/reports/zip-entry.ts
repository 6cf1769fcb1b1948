/**
 * Reads the only file of a zip archive (APPNOTE.TXT 6.3), as reports come in. Archives with more files, encryption, parts, or 64-bit
 * sizes are rejected.
 */
import { crc32, inflateRawSync } from "node:zlib";

const [LOCAL_FILE, CENTRAL_FILE, CENTRAL_END] = [0x04034b50, 0x02014b50, 0x06054b50];
const [LOCAL_BYTES, CENTRAL_BYTES, END_BYTES] = [30, 46, 22];
const COMMENT_BYTES_MAX = 0xffff;
const IS_ENCRYPTED = 1;
const [STORED, DEFLATED] = [0, 8];

interface Entry {
  method: number;
  crc: number;
  compressedBytes: number;
  sizeBytes: number;
  localAt: number;
}

export const isZip = (bytes: Buffer): boolean => bytes.length >= END_BYTES && bytes.readUInt32LE(0) === LOCAL_FILE;

/** Returns the file's content; null if the archive is not of this kind, is damaged, or has more than `bytesMax`. */
export function onlyZipEntry(archive: Buffer, bytesMax: number): Buffer | null {
  const entry = onlyEntry(archive);
  // The directory may understate the size; inflating stops at it.
  if (entry === null || entry.sizeBytes > bytesMax) return null;
  const data = compressedData(archive, entry);
  if (data === null) return null;
  const content = entry.method === DEFLATED ? inflated(data, entry.sizeBytes) : data;
  return content !== null && content.length === entry.sizeBytes && crc32(content) === entry.crc ? content : null;
}

function onlyEntry(archive: Buffer): Entry | null {
  const end = directoryEnd(archive);
  if (end === null || end.readUInt16LE(10) !== 1) return null;
  const at = end.readUInt32LE(16);
  if (at + CENTRAL_BYTES > archive.length || archive.readUInt32LE(at) !== CENTRAL_FILE) return null;
  const header = archive.subarray(at, at + CENTRAL_BYTES);
  const method = header.readUInt16LE(10);
  if ((header.readUInt16LE(8) & IS_ENCRYPTED) !== 0 || (method !== STORED && method !== DEFLATED)) return null;
  return {
    method,
    crc: header.readUInt32LE(16),
    compressedBytes: header.readUInt32LE(20),
    sizeBytes: header.readUInt32LE(24),
    localAt: header.readUInt32LE(42),
  };
}

/** The last record of the archive, which a comment may follow. */
function directoryEnd(archive: Buffer): Buffer | null {
  const first = Math.max(0, archive.length - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) {
    if (archive.readUInt32LE(at) === CENTRAL_END) return archive.subarray(at, at + END_BYTES);
  }
  return null;
}

function compressedData(archive: Buffer, { localAt, compressedBytes }: Entry): Buffer | null {
  if (localAt + LOCAL_BYTES > archive.length || archive.readUInt32LE(localAt) !== LOCAL_FILE) return null;
  const from = localAt + LOCAL_BYTES + archive.readUInt16LE(localAt + 26) + archive.readUInt16LE(localAt + 28);
  return from + compressedBytes > archive.length ? null : archive.subarray(from, from + compressedBytes);
}

function inflated(data: Buffer, sizeBytes: number): Buffer | null {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, sizeBytes) });
  } catch {
    return null;
  }
}
