/** A byte buffer that doubles its capacity, so appending many pieces does not copy earlier bytes each time. */
export class GrowingBytes {
  #room = Buffer.alloc(0);
  #sizeBytes = 0;

  /** Appends a piece. Returns all bytes so far. */
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
