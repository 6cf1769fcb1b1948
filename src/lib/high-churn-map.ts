/**
 * A Map for what comes and goes by the thousand. V8 drops the table of a Map that is added to and deleted from now and then,
 * with all that it held, and each dropped table holds the next: once one of them has grown old, all of it stays and is copied
 * about until the next full garbage collection. So every value is in a box, which is emptied when its entry goes.
 */
export class HighChurnMap<K, V> {
  readonly #boxes = new Map<K, { value: V | undefined }>();

  /** Adds an entry, in the place of one of this key. */
  set(key: K, value: V): void {
    this.take(key);
    this.#boxes.set(key, { value });
  }

  /** The value of this key, whose entry goes. */
  take(key: K): V | undefined {
    const box = this.#boxes.get(key);
    if (box === undefined) return undefined;
    this.#boxes.delete(key);
    const { value } = box;
    box.value = undefined;
    return value;
  }
}
