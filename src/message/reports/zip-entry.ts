/**
 * Finds the only file of a zip archive (APPNOTE.TXT 6.3), as reports come in. Archives with more files, encryption, parts, or 64-bit
 * sizes are rejected.
 */
import { UnreadableReport } from "./unreadable-report.ts";

const [LOCAL_FILE, CENTRAL_FILE, CENTRAL_END] = [0x04034b50, 0x02014b50, 0x06054b50];
const [LOCAL_BYTES, CENTRAL_BYTES, END_BYTES] = [30, 46, 22];
const COMMENT_BYTES_MAX = 0xffff;
const IS_ENCRYPTED = 1;
const [STORED, DEFLATED] = [0, 8];

export const isZip = (bytes: Buffer): boolean => bytes.length >= END_BYTES && bytes.readUInt32LE(0) === LOCAL_FILE;

export interface ZipEntry {
  data: Buffer;
  isDeflated: boolean;
  /** As the directory states them. */
  sizeBytes: number;
  crc: number;
}

/** Returns the archive's only file as it is packed. Throws UnreadableReport if the archive is not of this kind, or is damaged. */
export function onlyZipEntry(archive: Buffer): ZipEntry {
  const end = directoryEnd(archive);
  if (end === null) throw new UnreadableReport("damaged_archive");
  if (end.readUInt16LE(10) !== 1) throw new UnreadableReport("several_files");
  const at = end.readUInt32LE(16);
  if (at + CENTRAL_BYTES > archive.length || archive.readUInt32LE(at) !== CENTRAL_FILE) {
    throw new UnreadableReport("damaged_archive");
  }
  const header = archive.subarray(at, at + CENTRAL_BYTES);
  const method = header.readUInt16LE(10);
  const data = compressedData(archive, { compressedBytes: header.readUInt32LE(20), localAt: header.readUInt32LE(42) });
  if ((header.readUInt16LE(8) & IS_ENCRYPTED) !== 0 || (method !== STORED && method !== DEFLATED) || data === null) {
    throw new UnreadableReport("damaged_archive");
  }
  return { data, isDeflated: method === DEFLATED, sizeBytes: header.readUInt32LE(24), crc: header.readUInt32LE(16) };
}

/** The last record of the archive, which a comment may follow. */
function directoryEnd(archive: Buffer): Buffer | null {
  const first = Math.max(0, archive.length - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) {
    if (archive.readUInt32LE(at) === CENTRAL_END) return archive.subarray(at, at + END_BYTES);
  }
  return null;
}

interface Place {
  localAt: number;
  compressedBytes: number;
}

function compressedData(archive: Buffer, { localAt, compressedBytes }: Place): Buffer | null {
  if (localAt + LOCAL_BYTES > archive.length || archive.readUInt32LE(localAt) !== LOCAL_FILE) return null;
  const from = localAt + LOCAL_BYTES + archive.readUInt16LE(localAt + 26) + archive.readUInt16LE(localAt + 28);
  return from + compressedBytes > archive.length ? null : archive.subarray(from, from + compressedBytes);
}
