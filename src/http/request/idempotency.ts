/**
 * Reads the Idempotency-Key header field.
 */
import { Problem } from "../response/problems.ts";

const PRINTABLE = /^[\x20-\x7e]{1,256}$/;

/**
 * Returns the key of the Idempotency-Key header field, bare or as a quoted string (RFC 8941 §3.3.3), or null without the field.
 * `lines` are the values of each such field line: The problem of a request whose path is not one of the API's. Throws a 400 Problem.
 */
export function readIdempotencyKey(lines: string[] = []): string | null {
  const [header, ...others] = lines;
  if (header === undefined) return null;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header);
  const key = quoted?.[1]?.replace(/\\(["\\])/g, "$1") ?? header;
  if (others.length > 0 || !PRINTABLE.test(key) || (quoted === null && header.includes('"'))) {
    throw invalidIdempotencyKey();
  }
  return key;
}

export function invalidIdempotencyKey(): Problem {
  return new Problem(
    "invalid_idempotency_key",
    "Idempotency-Key must be 1 to 256 printable ASCII characters, bare or as one quoted string.",
  );
}
