/**
 * Items by the time at which they fall due, the earliest at the top: a binary heap in which each item stands at most once.
 * Putting an item that is in it already moves it, so the heap never holds more than there are items.
 */

/** What a heap keeps in its items, and alone may write. */
export interface Due {
  readonly dueMs: number;
  /** Where it stands in the heap; -1 when it is not in it. */
  readonly heapIndex: number;
}

type Writable<T extends Due> = T & { dueMs: number; heapIndex: number };

export class DueQueue<T extends Due> {
  #items: Writable<T>[] = [];

  get top(): T | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item falls due at `dueMs`, and no longer at another time. */
  put(given: T, dueMs: number): void {
    const item = given as Writable<T>;
    if (item.heapIndex === -1) {
      item.heapIndex = this.#items.length;
      this.#items.push(item);
    }
    item.dueMs = dueMs;
    this.#settle(item);
  }

  /** Takes the item out, if it is in. */
  remove(given: T): void {
    const item = given as Writable<T>;
    const last = this.#items.at(-1);
    if (item.heapIndex === -1 || last === undefined) return;
    this.#items.pop();
    if (last !== item) {
      this.#place(last, item.heapIndex);
      this.#settle(last);
    }
    item.heapIndex = -1;
  }

  /** Lets an item find its place, up or down. */
  #settle(item: Writable<T>): void {
    this.#rise(item);
    this.#sink(item);
  }

  #rise(item: Writable<T>): void {
    let at = item.heapIndex;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#items[parent] as Writable<T>;
      if (above.dueMs <= item.dueMs) break;
      this.#place(above, at);
      at = parent;
    }
    this.#place(item, at);
  }

  #sink(item: Writable<T>): void {
    const items = this.#items;
    let at = item.heapIndex;
    for (;;) {
      let child = 2 * at + 1;
      const right = items[child + 1];
      if (right !== undefined && right.dueMs < (items[child] as Writable<T>).dueMs) child += 1;
      const below = items[child];
      if (below === undefined || below.dueMs >= item.dueMs) break;
      this.#place(below, at);
      at = child;
    }
    this.#place(item, at);
  }

  #place(item: Writable<T>, at: number): void {
    this.#items[at] = item;
    item.heapIndex = at;
  }
}
