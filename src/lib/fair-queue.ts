/** A queue that serves owners round-robin. An owner with many entries delays only their own. */
export interface FairQueueLimits {
  /** The maximum number of entries of one owner; unlimited if absent, as the total. */
  ownerMax?: number;
  totalMax?: number;
}

export class FairQueue<T> {
  #limits: Required<FairQueueLimits>;
  /** In round-robin order: the first owner is next. */
  #queues = new Map<string, T[]>();
  #size = 0;

  constructor({ ownerMax = Number.POSITIVE_INFINITY, totalMax = Number.POSITIVE_INFINITY }: FairQueueLimits = {}) {
    this.#limits = { ownerMax, totalMax };
  }

  /**
   * Adds an entry. Returns the rejected entry, or null where none is: the new entry where its owner is at the limit. In a
   * full queue, the last entry of the owner with the most entries is evicted for an owner with fewer.
   */
  add(owner: string, entry: T): T | null {
    const own = this.countOf(owner);
    if (own >= this.#limits.ownerMax) return entry;
    let rejected: T | null = null;
    if (this.#size >= this.#limits.totalMax) {
      const longest = [...this.#queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
      if (longest.length <= own + 1) return entry;
      rejected = longest.pop() as T;
      this.#size -= 1;
    }
    this.#put(owner, (queue) => queue.push(entry));
    return rejected;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** The number of entries of one owner. */
  countOf(owner: string): number {
    return this.#queues.get(owner)?.length ?? 0;
  }

  /**
   * Removes the first entry of the next owner, who then moves to the end. Passes over owners whose first entry `fits` rejects;
   * they keep their places. Null when there is no entry.
   */
  next(fits: (entry: T) => boolean = () => true): T | null {
    for (const [owner, queue] of this.#queues) {
      const [entry] = queue as [T, ...T[]];
      if (!fits(entry)) continue;
      queue.shift();
      this.#size -= 1;
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      return entry;
    }
    return null;
  }

  /** Removes an entry, if it waits. */
  remove(owner: string, entry: T): void {
    const queue = this.#queues.get(owner) ?? [];
    const index = queue.indexOf(entry);
    if (index === -1) return;
    queue.splice(index, 1);
    this.#size -= 1;
    if (queue.length === 0) this.#queues.delete(owner);
  }

  /** Puts a removed entry back in front of its owner's others, regardless of the limits. */
  requeue(owner: string, entry: T): void {
    this.#put(owner, (queue) => queue.unshift(entry));
  }

  /** Empties the queue and returns its entries. */
  clear(): T[] {
    const entries = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#size = 0;
    return entries;
  }

  #put(owner: string, put: (queue: T[]) => void): void {
    const queue = this.#queues.get(owner) ?? [];
    this.#queues.set(owner, queue);
    put(queue);
    this.#size += 1;
  }
}
