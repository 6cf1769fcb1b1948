/** A queue of any length: Array.shift moves all that follow. */
export class Fifo<T> {
  #items: T[] = [];
  #from = 0;

  get first(): T | undefined {
    return this.#items[this.#from];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#from];
    if (item === undefined) return undefined;
    this.#from += 1;
    if (this.#from > 1000 && 2 * this.#from > this.#items.length) {
      this.#items = this.#items.slice(this.#from);
      this.#from = 0;
    }
    return item;
  }
}
