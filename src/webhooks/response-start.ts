/**
 * The beginning of a response's body as text for the endpoint's log. The rest is read, because only a connection whose body is
 * complete can be used again, but it is not stored.
 */

const SHOWN_BYTES_MAX = 1024;
/** A UTF-8 sequence that begins among the shown bytes ends within these. */
const STORED_BYTES_MAX = SHOWN_BYTES_MAX + 3;
const READ_BYTES_MAX = 64 * 1024;
/** Each chunk costs CPU time, and a chunk may have one byte. */
const CHUNKS_MAX = 1000;
/**
 * Control characters but line feeds and tabs, and format characters: bidirectional controls reorder the text around them, and
 * the others are invisible. U+2065 is reserved for one.
 */
const UNSHOWN_CHARACTER = /[^\P{Cc}\n\t]|[\p{Cf}\u2065]/gu;

export class ResponseStart {
  #stored: Buffer | null = null;
  #storedBytes = 0;
  #readBytes = 0;
  #chunks = 0;

  /** Adds a chunk. Returns false if no more of the body is to be read. */
  add(chunk: Buffer): boolean {
    this.#readBytes += chunk.length;
    this.#chunks += 1;
    if (this.#storedBytes < STORED_BYTES_MAX) {
      this.#stored ??= Buffer.allocUnsafe(STORED_BYTES_MAX);
      // The chunk itself is not kept: it may be a part of a much larger buffer.
      this.#storedBytes += chunk.copy(this.#stored, this.#storedBytes);
    }
    return this.#readBytes <= READ_BYTES_MAX && this.#chunks <= CHUNKS_MAX;
  }

  /**
   * At most 1 KiB of UTF-8. Invalid UTF-8 is replaced by U+FFFD; format characters, and control characters other than LF and tab,
   * are removed.
   */
  text(): string {
    if (this.#stored === null) return "";
    const decoded = this.#stored.toString("utf8", 0, this.#storedBytes);
    return cut(decoded).replace(UNSHOWN_CHARACTER, "");
  }
}

/** Cuts at the limit, between characters. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= SHOWN_BYTES_MAX) return text;
  const bytes = Buffer.from(text);
  let end = SHOWN_BYTES_MAX;
  while (isContinuation(bytes[end])) end -= 1;
  return bytes.toString("utf8", 0, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
