/**
 * Bytes that come and go by the thousand, by their key: bounded, the oldest go first, each is handed out once.
 *
 * They are copied into slabs, which are used again. Kept as they come they outlive V8's small collections, and what a burst
 * lets go of, 10 MB of contents a second, adds up until a full one: V8 counts those bytes with its heap.
 */
import { HighChurnMap } from "./high-churn-map.ts";

const SLAB_BYTES = 1024 * 1024;
/** What is larger is a slab of its own. */
const COPIED_BYTES_MAX = SLAB_BYTES / 4;

interface Slab {
  readonly bytes: Buffer;
  readonly isShared: boolean;
  /** What was put here, also if it was taken since. */
  readonly keys: string[];
  usedBytes: number;
  /** How many have not been taken. */
  waiting: number;
}

interface Extent {
  slab: Slab;
  start: number;
  end: number;
}

export class SlabBuffer {
  readonly #bytesMax: number;
  readonly #places = new HighChurnMap<string, Extent>();
  /** The oldest first. */
  readonly #slabs = new Set<Slab>();
  #sizeBytes = 0;
  /** The shared slab that is being filled. */
  #open: Slab | null = null;
  #spare: Slab | null = null;

  /** `bytesMax`: at least some MiB. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** In the place of what had this key. Nothing is kept of more than a quarter of all. */
  put(key: string, bytes: Buffer): void {
    this.#leave(key);
    if (bytes.length > this.#bytesMax / 4) return;
    const slab =
      bytes.length > COPIED_BYTES_MAX ? this.#add(slabOf(bytes, { isShared: false })) : this.#openFor(bytes.length);
    const start = slab.usedBytes;
    if (slab.isShared) bytes.copy(slab.bytes, start);
    slab.usedBytes += bytes.length;
    slab.keys.push(key);
    slab.waiting += 1;
    this.#places.set(key, { slab, start, end: slab.usedBytes });
  }

  /** Null when there is nothing of this key, or no longer. */
  take(key: string): Buffer | null {
    const place = this.#leave(key);
    if (place === null) return null;
    const { slab, start, end } = place;
    return slab.isShared ? Buffer.from(slab.bytes.subarray(start, end)) : slab.bytes;
  }

  /** The bytes there stay as they are until the next `put`. */
  #leave(key: string): Extent | null {
    const place = this.#places.take(key);
    if (place === undefined) return null;
    place.slab.waiting -= 1;
    if (place.slab.waiting === 0) this.#emptied(place.slab);
    return place;
  }

  #emptied(slab: Slab): void {
    slab.keys.length = 0;
    slab.usedBytes = 0;
    if (slab === this.#open) return;
    this.#slabs.delete(slab);
    this.#sizeBytes -= slab.bytes.length;
    if (slab.isShared) this.#spare = slab;
  }

  #openFor(lengthBytes: number): Slab {
    if (this.#open !== null && this.#open.usedBytes + lengthBytes <= SLAB_BYTES) return this.#open;
    this.#open = this.#spare ?? slabOf(Buffer.allocUnsafeSlow(SLAB_BYTES), { isShared: true });
    this.#spare = null;
    return this.#add(this.#open);
  }

  #add(slab: Slab): Slab {
    this.#slabs.add(slab);
    this.#sizeBytes += slab.bytes.length;
    for (const oldest of this.#slabs) {
      if (this.#sizeBytes <= this.#bytesMax) break;
      for (const key of [...oldest.keys]) this.#leave(key);
    }
    return slab;
  }
}

function slabOf(bytes: Buffer, { isShared }: Pick<Slab, "isShared">): Slab {
  return { bytes, isShared, keys: [], usedBytes: 0, waiting: 0 };
}
