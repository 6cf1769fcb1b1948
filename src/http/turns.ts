/**
 * Turns for work that is dear and shared: each name has one piece of it under way, so that whoever asks much waits behind
 * himself and not in front of others.
 */

/** Pieces of one name that may wait. */
const WAITING_MAX = 10;

export class Turns {
  #lines = new Map<string, { last: Promise<unknown>; length: number }>();

  /** Runs the work when those of its name before it are over; null when too many wait already. */
  take<T>(name: string, work: () => Promise<T>): Promise<T> | null {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), length: 0 };
    if (line.length > WAITING_MAX) return null;
    this.#lines.set(name, line);
    line.length += 1;
    const result = line.last.then(work).finally(() => {
      line.length -= 1;
      if (line.length === 0) this.#lines.delete(name);
    });
    line.last = result.catch(() => {});
    return result;
  }
}
