/**
 * A priority queue of items by due time: a binary min-heap in which each item appears at most once. Putting an item
 * again moves it, so the heap never holds more entries than there are items.
 */

/** The fields that the queue keeps in its items. Only the queue writes them. */
export interface Due {
  readonly dueMs: number;
  /** Its index in the heap; -1 while it is not queued. */
  readonly heapIndex: number;
}

type Writable<T extends Due> = T & { dueMs: number; heapIndex: number };

export class DueQueue<T extends Due> {
  #items: Writable<T>[] = [];

  /** The item with the earliest due time. */
  get top(): T | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Adds the item, or moves it if it is queued already. */
  put(item: T, dueMs: number): void {
    const entry = item as Writable<T>;
    if (entry.heapIndex === -1) {
      entry.heapIndex = this.#items.length;
      this.#items.push(entry);
    }
    entry.dueMs = dueMs;
    this.#restoreOrder(entry);
  }

  /** Removes the item; does nothing if it is not queued. */
  remove(item: T): void {
    const entry = item as Writable<T>;
    const last = this.#items.at(-1);
    if (entry.heapIndex === -1 || last === undefined) return;
    this.#items.pop();
    if (last !== entry) {
      this.#set(last, entry.heapIndex);
      this.#restoreOrder(last);
    }
    entry.heapIndex = -1;
  }

  #restoreOrder(entry: Writable<T>): void {
    this.#siftUp(entry);
    this.#siftDown(entry);
  }

  #siftUp(entry: Writable<T>): void {
    let index = entry.heapIndex;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex] as Writable<T>;
      if (parent.dueMs <= entry.dueMs) break;
      this.#set(parent, index);
      index = parentIndex;
    }
    this.#set(entry, index);
  }

  #siftDown(entry: Writable<T>): void {
    const items = this.#items;
    let index = entry.heapIndex;
    for (;;) {
      let childIndex = 2 * index + 1;
      const right = items[childIndex + 1];
      if (right !== undefined && right.dueMs < (items[childIndex] as Writable<T>).dueMs) childIndex += 1;
      const child = items[childIndex];
      if (child === undefined || child.dueMs >= entry.dueMs) break;
      this.#set(child, index);
      index = childIndex;
    }
    this.#set(entry, index);
  }

  #set(entry: Writable<T>, index: number): void {
    this.#items[index] = entry;
    entry.heapIndex = index;
  }
}
