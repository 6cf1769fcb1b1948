/**
 * The body hash of a DKIM signature (RFC 6376 §3.7): SHA-256 over the body in relaxed canonical form (§3.4.4). Computed once,
 * when a message is composed, and stored with it; dkim.ts signs the stored hash.
 *
 * Neither library computes it here. dkim-signer's hash is wrong for a blank body, and for vertical tab, form feed, Unicode
 * spaces and invalid UTF-8, because it applies \s to decoded text; on a run of white space it takes quadratic time. mailauth's
 * is right, and hashes line by line where lines change: 14 ms for 1 MB of indented HTML, this code 2 ms. Tests compare the two.
 *
 * Every byte is read here, so a bare CR or LF is found here too: some servers read it as the end of a line, and what follows
 * as commands (SMTP smuggling).
 */
import { createHash, type Hash, hash } from "node:crypto";

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** Body bytes canonicalised at once. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes from `from` to `to`. */
export interface Range {
  from: number;
  to: number;
}

/**
 * Returns the base64 SHA-256 of the canonical body. Throws on a CR or LF that is not part of a CRLF. The ranges of `literal`, in
 * ascending order, are not examined: they must be in canonical form, as base64 is, and begin and end with neither blanks nor
 * line ends.
 */
export function relaxedBodyHash(body: Buffer, literal: readonly Range[] = []): string {
  const end = endOfText(body);
  if (literal.length === 0 && isCanonical(body, end)) return hash("sha256", body, "base64");
  const hashing = createHash("sha256");
  let from = 0;
  for (const range of literal) {
    hashCanonical(hashing, body, { from, to: range.from });
    hashing.update(body.subarray(range.from, range.to));
    from = range.to;
  }
  hashCanonical(hashing, body, { from, to: end });
  if (end > 0) hashing.update("\r\n");
  return hashing.digest("base64");
}

/** The hash of a body that comes in pieces, which end anywhere. The same as `relaxedBodyHash` of them all. */
export class PiecewiseBodyHash {
  readonly #hashing = createHash("sha256");
  /** Up to the end of the text so far; null where nothing is hashed after it. */
  #upToText: Hash | null = null;
  #hasText = false;
  /** The last octet, if what it becomes depends on the next one. */
  #held: Buffer = Buffer.alloc(0);

  /** Throws on a CR or LF that is not part of a CRLF. */
  add(piece: Buffer): void {
    if (piece.length === 0) return;
    const octets = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const last = octets[octets.length - 1];
    const to = last === CR || last === SPACE || last === TAB ? octets.length - 1 : octets.length;
    this.#held = Buffer.from(octets.subarray(to));
    const end = endOfText(octets.subarray(0, to));
    if (end > 0) {
      hashCanonical(this.#hashing, octets, { from: 0, to: end });
      this.#hasText = true;
      this.#upToText = null;
    }
    if (end === to) return;
    this.#upToText ??= this.#hashing.copy();
    hashCanonical(this.#hashing, octets, { from: end, to });
  }

  /** The hash, after the last piece. */
  digest(): string {
    endOfText(this.#held);
    if (!this.#hasText) return hash("sha256", "", "base64");
    return (this.#upToText ?? this.#hashing).update("\r\n").digest("base64");
  }
}

/** Whether the body is its own canonical form, as most bodies are. */
function isCanonical(body: Buffer, end: number): boolean {
  return (
    end > 0 && body.length === end + 2 && body[end + 1] === LF && canonicalUpTo(body, { from: 0, to: end }) === end
  );
}

/** Adds the canonical form of a range to the hash. */
function hashCanonical(hashing: Hash, body: Buffer, { from, to }: Range): void {
  const unchanged = canonicalUpTo(body, { from, to });
  if (unchanged > from) hashing.update(body.subarray(from, unchanged));
  const block = Buffer.allocUnsafe(Math.min(to - unchanged, BLOCK_BYTES));
  for (let at = unchanged; at < to; at += BLOCK_BYTES) {
    hashing.update(block.subarray(0, writeCanonical(body, { from: at, to: Math.min(at + BLOCK_BYTES, to) }, block)));
  }
}

/** Returns up to where the range is its own canonical form. Takes half of the time of writing that form. */
function canonicalUpTo(body: Buffer, { from, to }: Range): number {
  for (let at = from; at < to; at += 1) {
    const byte = body[at] as number;
    if (byte > SPACE) continue;
    if (byte === SPACE) {
      if ((body[at + 1] as number) <= SPACE) return at;
    } else if (byte === CR) {
      if (body[at + 1] !== LF) return at;
      at += 1;
    } else if (byte === TAB || byte === LF) return at;
  }
  return to;
}

/** Returns the end of the text, without the white space and empty lines that follow it. */
function endOfText(body: Buffer): number {
  let end = body.length;
  for (; end > 0; end -= 1) {
    const byte = body[end - 1] as number;
    if (byte > SPACE || !(byte === SPACE || byte === TAB || isLineEnd(body, end - 1))) return end;
  }
  return end;
}

/**
 * Writes the canonical form of a part of the body to `target` and returns its size: the last blank of a run becomes a space,
 * the others and those before a CRLF are left out.
 */
function writeCanonical(body: Buffer, part: Range, target: Buffer): number {
  let size = 0;
  for (let at = part.from; at < part.to; at += 1) {
    const byte = body[at] as number;
    if (byte > SPACE) {
      target[size++] = byte;
    } else if (byte === SPACE || byte === TAB) {
      const next = body[at + 1];
      if (next !== SPACE && next !== TAB && next !== CR) target[size++] = SPACE;
    } else {
      if (byte <= CR) isLineEnd(body, at);
      target[size++] = byte;
    }
  }
  return size;
}

/** Whether the byte is part of a CRLF; false for a byte other than CR and LF. Throws on a bare CR or LF. */
function isLineEnd(body: Buffer, at: number): boolean {
  const byte = body[at];
  if (byte !== CR && byte !== LF) return false;
  const isPair = byte === CR ? body[at + 1] === LF : body[at - 1] === CR;
  if (!isPair) throw new Error(`bare ${byte === CR ? "CR" : "LF"} at byte ${at} of the body`);
  return true;
}
