/** Serial queues for expensive tasks, one for each key: a client with many requests delays only its own. */

const WAITING_MAX = 10;

export class SerialQueues {
  readonly #waitingMax: number;
  #queues = new Map<string, { last: Promise<unknown>; length: number }>();

  /** `waitingMax`: the number of tasks of one key that may wait behind the running one. */
  constructor(waitingMax = WAITING_MAX) {
    this.#waitingMax = waitingMax;
  }

  /** Runs the task when the earlier ones of its key have ended; null when too many are waiting. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> | null {
    const queue = this.#queues.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length > this.#waitingMax) return null;
    this.#queues.set(key, queue);
    queue.length += 1;
    const result = queue.last.then(task).finally(() => {
      queue.length -= 1;
      if (queue.length === 0) this.#queues.delete(key);
    });
    queue.last = result.catch(() => {});
    return result;
  }
}

/** Thrown for a task that may not even wait. The message is a sentence for who asked for it. */
export class TooManyWaiting extends Error {}

/** Returns a function that runs the tasks of a key one after another. It throws TooManyWaiting when too many wait. */
export function serialized(queues: SerialQueues, message: string) {
  return async <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const result = queues.run(key, task);
    if (result === null) throw new TooManyWaiting(message);
    return result;
  };
}
