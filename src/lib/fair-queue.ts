/**
 * A bounded queue that serves its owners in turn, so that whoever asks for much waits behind himself and not in front of the
 * others.
 */

export interface QueueLimits {
  /** Entries that may wait, in all. */
  waitingMax: number;
  /** Entries of one owner that may wait. */
  waitingOfOneMax: number;
}

export class FairQueue<T> {
  readonly #limits: QueueLimits;
  /** The owner whose turn it is comes first. */
  readonly #lines = new Map<string, T[]>();
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Adds an entry at the end of its owner's line; false when too many wait already. */
  push(owner: string, entry: T): boolean {
    const line = this.#lines.get(owner) ?? [];
    if (this.#waiting >= this.#limits.waitingMax || line.length >= this.#limits.waitingOfOneMax) return false;
    line.push(entry);
    this.#waiting += 1;
    this.#lines.set(owner, line);
    return true;
  }

  /** Takes the entry whose turn it is; undefined when none waits. */
  shift(): T | undefined {
    const [first] = this.#lines;
    if (first === undefined) return undefined;
    const [owner, line] = first;
    const entry = line.shift();
    this.#waiting -= 1;
    this.#lines.delete(owner);
    if (line.length > 0) this.#lines.set(owner, line);
    return entry;
  }

  /** Takes all entries. */
  drain(): T[] {
    const entries = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#waiting = 0;
    return entries;
  }
}
