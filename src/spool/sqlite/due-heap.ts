/**
 * What falls due later, the earliest at the top: a binary heap. An entry cannot be taken back; who takes one out decides
 * whether it still means anything.
 */

export interface Due<T> {
  dueMs: number;
  what: T;
}

export class DueHeap<T> {
  #entries: Due<T>[] = [];

  get top(): Due<T> | undefined {
    return this.#entries[0];
  }

  push(entry: Due<T>): void {
    const entries = this.#entries;
    let at = entries.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = entries[parent] as Due<T>;
      if (above.dueMs <= entry.dueMs) break;
      entries[at] = above;
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): Due<T> | undefined {
    const entries = this.#entries;
    const top = entries[0];
    const last = entries.pop();
    if (last !== undefined && entries.length > 0) this.#sink(last);
    return top;
  }

  /** Puts an entry in the place of the top and lets it find its own. */
  #sink(entry: Due<T>): void {
    const entries = this.#entries;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const right = entries[child + 1];
      if (right !== undefined && right.dueMs < (entries[child] as Due<T>).dueMs) child += 1;
      const below = entries[child];
      if (below === undefined || below.dueMs >= entry.dueMs) break;
      entries[at] = below;
      at = child;
    }
    entries[at] = entry;
  }
}
