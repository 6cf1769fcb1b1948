/** Bytes that come in many pieces, put together without copying what is there for each: their room doubles. */
export class GrowingBytes {
  #room = Buffer.alloc(0);
  #sizeBytes = 0;

  /** All of them so far, the new ones last. */
  append(more: Buffer): Buffer {
    const sizeBytes = this.#sizeBytes + more.length;
    if (sizeBytes > this.#room.length) {
      const room = Buffer.allocUnsafe(Math.max(sizeBytes, 2 * this.#room.length));
      this.#room.copy(room, 0, 0, this.#sizeBytes);
      this.#room = room;
    }
    more.copy(this.#room, this.#sizeBytes);
    this.#sizeBytes = sizeBytes;
    return this.#room.subarray(0, sizeBytes);
  }
}
