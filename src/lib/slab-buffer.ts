/**
 * A bounded buffer for high-churn byte strings by key. At the limit the oldest are evicted; each is returned once.
 *
 * The bytes are copied into slabs that are reused. Separate Buffers would survive V8's minor collections, and those
 * released in a burst, 10 MB a second, would accumulate until a full collection: V8 counts them with its heap.
 */

import { HighChurnMap } from "./high-churn-map.ts";
import { MIB } from "./units.ts";

const SLAB_BYTES = MIB;
/** A larger byte string becomes a separate slab. */
const COPIED_BYTES_MAX = SLAB_BYTES / 4;
/** Empty slabs that are kept. The kernel clears each page of a new one, which costs more time than the copies into it. */
const SPARES_MAX = 8;

interface Slab {
  readonly bytes: Buffer;
  readonly isShared: boolean;
  /** The keys put here, including those taken since. */
  readonly keys: string[];
  usedBytes: number;
  /** The number of entries that are not taken yet. */
  remaining: number;
}

interface Extent {
  note: string | null;
  slab: Slab;
  start: number;
  end: number;
}

export class SlabBuffer {
  readonly #bytesMax: number;
  readonly #extents = new HighChurnMap<string, Extent>();
  /** The oldest first. */
  readonly #slabs = new Set<Slab>();
  #sizeBytes = 0;
  /** The shared slab that is being filled. */
  #open: Slab | null = null;
  readonly #spares: Slab[] = [];

  /** `bytesMax`: at least several MiB. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Replaces the entry of this key, with a short text about it. An entry larger than a quarter of the limit is not stored.
   */
  put(key: string, bytes: Buffer, note: string | null = null): void {
    this.#remove(key);
    if (bytes.length > this.#bytesMax / 4) return;
    const slab =
      bytes.length > COPIED_BYTES_MAX ? this.#add(slabOf(bytes, { isShared: false })) : this.#openFor(bytes.length);
    const start = slab.usedBytes;
    if (slab.isShared) bytes.copy(slab.bytes, start);
    slab.usedBytes += bytes.length;
    slab.keys.push(key);
    slab.remaining += 1;
    this.#extents.set(key, { note, slab, start, end: slab.usedBytes });
  }

  /** Removes and returns the entry of this key; null when it is absent or evicted. */
  take(key: string): Buffer | null {
    return this.takeNoted(key)?.bytes ?? null;
  }

  /** As `take`, with the entry's text. */
  takeNoted(key: string): { bytes: Buffer; note: string | null } | null {
    const extent = this.#remove(key);
    if (extent === null) return null;
    const { note, slab, start, end } = extent;
    return { bytes: slab.isShared ? Buffer.from(slab.bytes.subarray(start, end)) : slab.bytes, note };
  }

  /** The bytes of the removed extent remain valid until the next `put`. */
  #remove(key: string): Extent | null {
    const extent = this.#extents.take(key);
    if (extent === undefined) return null;
    extent.slab.remaining -= 1;
    if (extent.slab.remaining === 0) this.#recycle(extent.slab);
    return extent;
  }

  #recycle(slab: Slab): void {
    slab.keys.length = 0;
    slab.usedBytes = 0;
    if (slab === this.#open) return;
    this.#slabs.delete(slab);
    this.#sizeBytes -= slab.bytes.length;
    if (slab.isShared && this.#spares.length < SPARES_MAX) this.#spares.push(slab);
  }

  #openFor(lengthBytes: number): Slab {
    if (this.#open !== null && this.#open.usedBytes + lengthBytes <= SLAB_BYTES) return this.#open;
    this.#open = this.#spares.pop() ?? slabOf(Buffer.allocUnsafeSlow(SLAB_BYTES), { isShared: true });
    return this.#add(this.#open);
  }

  #add(slab: Slab): Slab {
    this.#slabs.add(slab);
    this.#sizeBytes += slab.bytes.length;
    for (const oldest of this.#slabs) {
      if (this.#sizeBytes <= this.#bytesMax) break;
      for (const key of [...oldest.keys]) this.#remove(key);
    }
    return slab;
  }
}

function slabOf(bytes: Buffer, { isShared }: Pick<Slab, "isShared">): Slab {
  return { bytes, isShared, keys: [], usedBytes: 0, remaining: 0 };
}
