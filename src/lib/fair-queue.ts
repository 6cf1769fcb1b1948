/**
 * A bounded queue that serves owners in turn (round robin). An owner who adds much waits behind their own entries.
 */
export interface FairQueueLimits {
  /** Entries that one owner may have in the queue. */
  ownerMax: number;
  totalMax: number;
}

export class FairQueue<T> {
  #limits: FairQueueLimits;
  /** In the order of turns: the first owner is next. */
  #queues = new Map<string, T[]>();
  #size = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /**
   * Adds an entry and returns the one that is refused for it: the new entry where its owner has too many, null where
   * there is room. In a full queue the longest owner's last entry gives way to owners with fewer.
   */
  add(owner: string, entry: T): T | null {
    const own = this.#queues.get(owner)?.length ?? 0;
    if (own >= this.#limits.ownerMax) return entry;
    let refused: T | null = null;
    if (this.#size >= this.#limits.totalMax) {
      const longest = [...this.#queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
      if (longest.length <= own + 1) return entry;
      refused = longest.pop() as T;
      this.#size -= 1;
    }
    this.#put(owner, (queue) => queue.push(entry));
    return refused;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** The first entry of the owner whose turn it is, who then is last in turn; null when the queue is empty. */
  next(): T | null {
    const [first] = this.#queues;
    if (first === undefined) return null;
    const [owner, queue] = first;
    const entry = queue.shift() as T;
    this.#size -= 1;
    this.#queues.delete(owner);
    if (queue.length > 0) this.#queues.set(owner, queue);
    return entry;
  }

  /** Puts an entry taken before back in front of its owner's others, whatever the limits. */
  requeue(owner: string, entry: T): void {
    this.#put(owner, (queue) => queue.unshift(entry));
  }

  /** Empties the queue and returns what was in it. */
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
