/**
 * A bounded buffer that is shared fairly between owners: when it is full, the owner with the most entries loses its last one
 * to an owner with fewer. Adding to a full buffer takes constant time for owners that have their share.
 */
export class FairBuffer<T> {
  readonly #max: number;
  #owners = new Map<string, T[]>();
  #size = 0;
  /** No owner of the full buffer has more entries: from then on, entries only move from longer owners to shorter ones. */
  #longestMax = Number.POSITIVE_INFINITY;
  #dropped = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** `make` is called only if the entry is added. */
  add(owner: string, make: () => T): void {
    const own = this.#owners.get(owner);
    if (this.#size >= this.#max) {
      this.#dropped += 1;
      if (!this.#makeRoomBeside(own?.length ?? 0)) return;
    }
    this.#size += 1;
    if (own === undefined) this.#owners.set(owner, [make()]);
    else own.push(make());
  }

  /** Empties the buffer. Returns its entries, those of each owner in their order, and how many others were dropped. */
  takeAll(): { entries: T[]; dropped: number } {
    const taken = { entries: [...this.#owners.values()].flat(), dropped: this.#dropped };
    this.#owners = new Map();
    this.#size = 0;
    this.#longestMax = Number.POSITIVE_INFINITY;
    this.#dropped = 0;
    return taken;
  }

  /** Removes an entry of the owner with the most, if that leaves it no fewer than the `count` + 1 of another. */
  #makeRoomBeside(count: number): boolean {
    if (count + 1 >= this.#longestMax) return false;
    let longest: T[] = [];
    for (const entries of this.#owners.values()) if (entries.length > longest.length) longest = entries;
    this.#longestMax = longest.length;
    if (count + 1 >= longest.length) return false;
    longest.pop();
    this.#size -= 1;
    return true;
  }
}
