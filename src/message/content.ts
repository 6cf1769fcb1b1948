/**
 * A built message (RFC 5322): its bytes, and what a signature needs of them. compose.ts builds it, dkim.ts signs it.
 */
import { type Range, relaxedBodyHash } from "./body-hash.ts";
import type { Unsigned } from "./dkim.ts";

export interface Content {
  /** The whole message, unsigned, with CRLF line ends only. */
  bytes: Buffer;
  /**
   * The body's hash, as `relaxedBodyHash` returns it; null if it is not computed yet. The signing thread computes it for short
   * messages: on the thread that serves HTTP, it would lower the rate of acceptance by a tenth.
   */
  bodyHash: string | null;
}

/** The input of a signature: the header and the body hash, or the whole message if its body is not hashed yet. */
export type SignInput = Unsigned | { bytes: Uint8Array };

/**
 * Returns the content with these bytes. Throws on a CR or LF in the body that is not part of a CRLF. `literal`: ranges of
 * the bytes that need not be examined, see `relaxedBodyHash`.
 */
export function contentOf(bytes: Buffer, literal: readonly Range[] = []): Content & { bodyHash: string } {
  const start = bodyStart(bytes);
  const inBody = literal.map(({ from, to }) => ({ from: from - start, to: to - start }));
  return { bytes, bodyHash: relaxedBodyHash(bytes.subarray(start), inBody) };
}

/** Returns the content with fields before its own. Each of them ends with CRLF. */
export function withFields(content: Content, fields: string): Content {
  const { bytes, bodyHash } = content;
  return fields === "" ? content : { bytes: Buffer.concat([Buffer.from(fields), bytes]), bodyHash };
}

/** Returns the input for a content. If its body is hashed, `bytes` may be only its first part. */
export function signInputOf({ bytes, bodyHash }: Content): SignInput {
  return bodyHash === null ? { bytes } : { header: headerOf(bytes), bodyHash };
}

/** Returns the header and the body hash, which is computed here if the input lacks it. Throws as `contentOf`. */
export function unsignedOf(input: SignInput): Unsigned {
  if (!("bytes" in input)) return input;
  const { buffer, byteOffset, byteLength } = input.bytes;
  const { bytes, bodyHash } = contentOf(Buffer.from(buffer, byteOffset, byteLength));
  return { header: headerOf(bytes), bodyHash };
}

/** Returns the header fields without the empty line after them, from bytes that contain at least the whole header. */
export function headerOf(bytes: Buffer): string {
  const end = bytes.indexOf(END_OF_HEADER);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}

const END_OF_HEADER = "\r\n\r\n";

/** Of a header with the empty line after it. It is signed from the first part of a stored content, which has as many octets. */
export const HEADER_OCTETS_MAX = 256 * 1024;

/** Returns the index of the first byte of the body. A message without an empty line is all header. */
export function bodyStart(bytes: Buffer): number {
  const end = bytes.indexOf(END_OF_HEADER);
  return end < 0 ? bytes.length : end + END_OF_HEADER.length;
}
