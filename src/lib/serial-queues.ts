/**
 * Serial queues for expensive work, one for each name, such as an account's id: whoever asks for much waits behind
 * their own requests only.
 */

const WAITING_MAX = 10;

export class SerialQueues {
  readonly #waitingMax: number;
  #lines = new Map<string, { last: Promise<unknown>; length: number }>();

  /** `waitingMax`: pieces of work of one name that may wait behind the one under way. */
  constructor(waitingMax = WAITING_MAX) {
    this.#waitingMax = waitingMax;
  }

  /** Runs the work when those of its name before it have ended; null when too many wait already. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> | null {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), length: 0 };
    if (line.length > this.#waitingMax) return null;
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
