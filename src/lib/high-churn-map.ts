/**
 * A Map for high-churn entries. V8 rehashes such a Map from time to time, and each discarded table references its successor:
 * once a table is in the old generation, it keeps all later ones and their values alive until the next full collection.
 * Values are therefore boxed, and a box is emptied when its entry is removed.
 */
export class HighChurnMap<K, V> {
  readonly #boxes = new Map<K, { value: V | undefined }>();

  /** Adds an entry, or replaces the entry of this key. */
  set(key: K, value: V): void {
    this.take(key);
    this.#boxes.set(key, { value });
  }

  /** Removes the entry of this key and returns its value. */
  take(key: K): V | undefined {
    const box = this.#boxes.get(key);
    if (box === undefined) return undefined;
    this.#boxes.delete(key);
    const { value } = box;
    box.value = undefined;
    return value;
  }
}
