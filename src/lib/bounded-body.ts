/**
 * Reads the body of an HTTP message (a request that was received, or a response) into one buffer, within bounds.
 *
 * Node hands over a buffer for each chunk of the transfer coding: a body of one-byte chunks kept as a list of buffers takes
 * sixty times its size on the wire. Chunks are therefore copied into one buffer that grows by doubling, and its capacity is
 * what is reserved. Each chunk costs about a microsecond as well, so a body in needlessly small chunks is rejected.
 */
import type { IncomingMessage } from "node:http";

export type Body =
  | { type: "read"; bytes: Buffer }
  /** It has more than `bytesMax`, or announced so. */
  | { type: "too_large" }
  /** Its chunks are too small for their number. */
  | { type: "fragmented" }
  /** The connection ended before the body did. */
  | { type: "cut_off" };

export interface BodyBounds {
  bytesMax: number;
  /** Called before memory is allocated, with the bytes to add. Reading stops, and rejects, with what it throws. */
  reserve?: (sizeBytes: number) => void;
}

/** Below this many chunks their size does not matter. */
const CHUNKS_FREE = 1000;
/** The least average size of the chunks beyond. */
const CHUNK_BYTES_MIN = 64;
/** The first allocation where the length is unknown, or larger: an announced length is not memory yet. */
const FIRST_BYTES_MAX = 64 * 1024;

/** Never reads more than `bytesMax`. What comes after a rejection is discarded; closing the connection is the caller's task. */
export function readBody(message: IncomingMessage, bounds: BodyBounds): Promise<Body> {
  const announced = announcedBytes(message);
  if (announced !== null && announced > bounds.bytesMax) return Promise.resolve({ type: "too_large" });
  const body = new GrowingBody(announced, bounds);
  // By events: an async iterator over the message takes 3 % more of the time that accepting a 4 KB message takes.
  return new Promise((resolve, reject) => {
    function take(chunk: Buffer): void {
      try {
        const fault = body.add(chunk);
        if (fault === null) return;
        stop();
        resolve({ type: fault });
      } catch (error) {
        stop();
        reject(error);
      }
    }
    function stop(): void {
      message.off("data", take).resume();
    }
    message.on("data", take);
    message.on("end", () => resolve({ type: "read", bytes: body.bytes() }));
    message.on("close", () => resolve({ type: "cut_off" }));
  });
}

/** The value of Content-Length; null without one. Node's parser rejects one that is no number. */
function announcedBytes({ headers }: IncomingMessage): number | null {
  const value = headers["content-length"];
  return value === undefined ? null : Number(value);
}

class GrowingBody {
  readonly #announced: number | null;
  readonly #bounds: BodyBounds;
  #buffer: Buffer | null = null;
  #sizeBytes = 0;
  #chunks = 0;

  constructor(announced: number | null, bounds: BodyBounds) {
    this.#announced = announced;
    this.#bounds = bounds;
  }

  /** Adds a chunk; what is wrong with the body, or null. */
  add(chunk: Buffer): "too_large" | "fragmented" | null {
    const sizeBytes = this.#sizeBytes + chunk.length;
    this.#chunks += 1;
    if (sizeBytes > this.#bounds.bytesMax) return "too_large";
    if (this.#chunks > CHUNKS_FREE && sizeBytes < this.#chunks * CHUNK_BYTES_MIN) return "fragmented";
    if (this.#buffer === null && chunk.length === this.#announced) {
      // A whole body in one chunk, as almost every message arrives: it is a copy of Node's own already.
      this.#bounds.reserve?.(chunk.length);
      this.#buffer = chunk;
    } else {
      this.#room(sizeBytes).set(chunk, this.#sizeBytes);
    }
    this.#sizeBytes = sizeBytes;
    return null;
  }

  bytes(): Buffer {
    return this.#buffer?.subarray(0, this.#sizeBytes) ?? Buffer.alloc(0);
  }

  /** The buffer, with room for this many bytes. */
  #room(sizeBytes: number): Buffer {
    const held = this.#buffer;
    if (held !== null && held.length >= sizeBytes) return held;
    const most = this.#announced ?? this.#bounds.bytesMax;
    const first = Math.min(most, FIRST_BYTES_MAX);
    const capacity = Math.max(sizeBytes, Math.min(most, held === null ? first : 2 * held.length));
    this.#bounds.reserve?.(capacity - (held?.length ?? 0));
    const grown = Buffer.allocUnsafeSlow(capacity);
    held?.copy(grown, 0, 0, this.#sizeBytes);
    this.#buffer = grown;
    return grown;
  }
}
