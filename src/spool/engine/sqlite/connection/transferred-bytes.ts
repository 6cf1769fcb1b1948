/**
 * Bytes on their way between the facade and the writer. Structured clone copies the whole ArrayBuffer of a view, twice; a
 * large ArrayBuffer is transferred instead.
 */

/** More bytes than this are transferred. */
const CLONED_BYTES_MAX = 64 * 1024;

/** A view of an ArrayBuffer larger by more than this is copied first. */
const UNUSED_BYTES_MAX = 16 * 1024;

export interface SentBytes {
  bytes: Buffer;
  transfer?: ArrayBuffer[];
}

/** Returns bytes to be posted: the same, or a copy whose ArrayBuffer is in `transfer`. The argument stays usable. */
export function ownBytes(bytes: Buffer): SentBytes {
  if (bytes.length <= CLONED_BYTES_MAX) {
    return { bytes: bytes.buffer.byteLength - bytes.length <= UNUSED_BYTES_MAX ? bytes : copyOf(bytes) };
  }
  const copy = copyOf(bytes);
  return { bytes: copy, transfer: [copy.buffer as ArrayBuffer] };
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Adds the ArrayBuffer of `bytes` to `transfer` if it is large, and only theirs. */
export function addLarge(transfer: ArrayBuffer[], bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength > CLONED_BYTES_MAX && buffer.byteLength === byteLength) transfer.push(buffer as ArrayBuffer);
}

/** The large ArrayBuffers of a value: its own, or those of its members. */
export function largeBuffersOf(value: unknown): ArrayBuffer[] {
  const transfer: ArrayBuffer[] = [];
  const parts = value instanceof Uint8Array ? [value] : Object.values(value ?? {});
  for (const part of parts) if (part instanceof Uint8Array) addLarge(transfer, part);
  return transfer;
}
