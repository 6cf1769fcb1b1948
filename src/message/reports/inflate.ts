/** Inflates in chunks, up to a limit: nothing beyond it is computed. */
import { createInflateRaw } from "node:zlib";
import { UnreadableReport } from "./unreadable-report.ts";

export const CHUNK_BYTES = 64 * 1024;

/**
 * Yields the content of raw deflate data (RFC 1951), and returns how many bytes of `data` it took: others may follow. Throws
 * UnreadableReport if the data is damaged, or has more than `bytesMax`.
 */
export async function* inflated(data: Buffer, bytesMax: number): AsyncGenerator<Buffer, number> {
  const stream = createInflateRaw({ chunkSize: CHUNK_BYTES });
  stream.end(data);
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw new UnreadableReport("too_large");
      yield chunk;
    }
  } catch (error) {
    // Its own errors, and those of who reads the chunks, have a meaning already.
    throw isOfZlib(error) ? new UnreadableReport("damaged_archive") : error;
  }
  return stream.bytesWritten;
}

const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_");
