/**
 * A built message (RFC 5322): its bytes, and what a signature needs of them. compose.ts builds it, dkim.ts signs it.
 */
import { type Range, relaxedBodyHash } from "./body-hash.ts";
import type { Unsigned } from "./dkim.ts";

export interface Content {
  /** The whole message, unsigned, with CRLF line ends only. */
  bytes: Buffer;
  /** The body's hash, as `relaxedBodyHash` returns it. */
  bodyHash: string;
}

/**
 * Returns the content with these bytes. Throws on a CR or LF in the body that is not part of a CRLF. `literal`: ranges of the bytes
 * that need not be examined, see `relaxedBodyHash`.
 */
export function contentOf(bytes: Buffer, literal: readonly Range[] = []): Content {
  const start = bodyStart(bytes);
  const inBody = literal.map(({ from, to }) => ({ from: from - start, to: to - start }));
  return { bytes, bodyHash: relaxedBodyHash(bytes.subarray(start), inBody) };
}

/** Returns what is signed of a content. */
export function unsignedOf({ bytes, bodyHash }: Content): Unsigned {
  return { header: headerOf(bytes), bodyHash };
}

/** Returns the header fields without the empty line after them, from bytes that contain at least the whole header. */
export function headerOf(bytes: Buffer): string {
  const end = bytes.indexOf(END_OF_HEADER);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}

const END_OF_HEADER = "\r\n\r\n";

/** The index of the first byte of the body. A message without an empty line is all header. */
function bodyStart(bytes: Buffer): number {
  const end = bytes.indexOf(END_OF_HEADER);
  return end < 0 ? bytes.length : end + END_OF_HEADER.length;
}
