/**
 * Unpacks a report: gzip, a zip archive of one file, or neither. Yields the content in chunks of at most CHUNK_BYTES, so that its
 * reader can stop at the first fault, and ends where it is larger than a report.
 */
import { crc32 } from "node:zlib";
import { gzipTrailer, isGzip, TRAILER_BYTES, withoutGzipHeader } from "./gzip-member.ts";
import { CHUNK_BYTES, inflated } from "./inflate.ts";
import { UnreadableReport } from "./unreadable-report.ts";
import { isZip, onlyZipEntry } from "./zip-entry.ts";

export const PACKED_BYTES_MAX = 10 * 1024 * 1024;
/** Of the largest report that is read. Reports of large receivers have some megabytes. */
export const UNPACKED_BYTES_MAX = 10 * 1024 * 1024;
/** Reports shrink to between a tenth and a thirtieth, a bomb to a thousandth. */
const RATIO_MAX = 100;
/** A short content may repeat itself. */
const ANY_RATIO_BYTES = 1024 * 1024;
/** Of a gzip file: programs that append write several, reports have one. */
const MEMBERS_MAX = 8;

/** Throws UnreadableReport if the content is too large or damaged, or the archive has more than one file. */
export async function* unpack(packed: Buffer): AsyncGenerator<Buffer> {
  if (packed.length > PACKED_BYTES_MAX) throw new UnreadableReport("too_large");
  if (isZip(packed)) yield* zipContent(packed);
  else if (isGzip(packed)) yield* gzipContent(packed);
  else yield* chunksOf(packed);
}

const unpackedMax = (packed: Buffer): number =>
  Math.min(UNPACKED_BYTES_MAX, Math.max(ANY_RATIO_BYTES, RATIO_MAX * packed.length));

/** The directory may understate the size: inflating ends at it. */
async function* zipContent(archive: Buffer): AsyncGenerator<Buffer> {
  const { data, isDeflated, sizeBytes, crc } = onlyZipEntry(archive);
  if (sizeBytes > unpackedMax(archive)) throw new UnreadableReport("too_large");
  const sums = new Sums();
  if (isDeflated) yield* sums.over(inflated(data, sizeBytes));
  else yield* sums.over(chunksOf(data));
  sums.check(crc, sizeBytes);
}

/** Some filters append a line end to the file. What follows the last member is not read. */
async function* gzipContent(packed: Buffer): AsyncGenerator<Buffer> {
  let bytesLeft = unpackedMax(packed);
  let rest = packed;
  for (let members = 0; members < MEMBERS_MAX && isGzip(rest); members += 1) {
    const data = withoutGzipHeader(rest);
    const sums = new Sums();
    const dataBytes = yield* sums.over(inflated(data, bytesLeft));
    rest = data.subarray(dataBytes);
    const { crc, sizeBytes } = gzipTrailer(rest);
    sums.check(crc, sizeBytes);
    rest = rest.subarray(TRAILER_BYTES);
    bytesLeft -= sizeBytes;
  }
}

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer, number> {
  for (let at = 0; at < content.length; at += CHUNK_BYTES) yield content.subarray(at, at + CHUNK_BYTES);
  return content.length;
}

/** The checksum and the size of what has been unpacked. */
class Sums {
  #crc = 0;
  #bytes = 0;

  async *over(chunks: AsyncGenerator<Buffer, number>): AsyncGenerator<Buffer, number> {
    let next = await chunks.next();
    for (; next.done !== true; next = await chunks.next()) {
      this.#crc = crc32(next.value, this.#crc);
      this.#bytes += next.value.length;
      yield next.value;
    }
    return next.value;
  }

  check(crc: number, sizeBytes: number): void {
    if (crc !== this.#crc || sizeBytes !== this.#bytes) throw new UnreadableReport("damaged_archive");
  }
}
