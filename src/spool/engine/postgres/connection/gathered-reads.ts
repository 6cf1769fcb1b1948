/**
 * Reads rows by key for many callers: the calls of one iteration of the event loop share a statement, and so do those that wait
 * while the statements before them run. A round trip costs the server and this process as much for one key as for twenty.
 *
 * A statement is sent after the calls that it answers, so each of them sees every commit before it.
 */

/** Statements under way at one time. Two keep the server busy without taking the pool from other reads. */
const READS_AT_ONCE = 2;

/** Keys of one statement. */
const KEYS_MAX = 500;

export interface GatheredReadsOptions<Key, Value> {
  /** Calls with keys of the same name share a value. */
  nameOf: (key: Key) => string;
  /** Reads the values that exist, by the names of their keys. */
  readAll: (keys: Key[]) => Promise<Map<string, Value>>;
}

interface Waiting<Key, Value> {
  key: Key;
  value: Promise<Value | null>;
  resolve: (value: Value | null) => void;
  reject: (error: unknown) => void;
}

export class GatheredReads<Key, Value> {
  readonly #options: GatheredReadsOptions<Key, Value>;
  /** By the names of the keys, in the order of their first calls. */
  readonly #waiting = new Map<string, Waiting<Key, Value>>();
  #underWay = 0;
  #isScheduled = false;

  constructor(options: GatheredReadsOptions<Key, Value>) {
    this.#options = options;
  }

  /** The value of a key; null if there is none. Rejects as `readAll` does. */
  read(key: Key): Promise<Value | null> {
    const name = this.#options.nameOf(key);
    const known = this.#waiting.get(name);
    if (known !== undefined) return known.value;
    const waiting = { key, ...promise<Value | null>() };
    this.#waiting.set(name, waiting);
    this.#schedule();
    return waiting.value;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underWay === READS_AT_ONCE || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    const batch = [...this.#waiting].slice(0, KEYS_MAX);
    for (const [name] of batch) this.#waiting.delete(name);
    this.#underWay += 1;
    this.#schedule();
    try {
      const values = await this.#options.readAll(batch.map(([, { key }]) => key));
      for (const [name, { resolve }] of batch) resolve(values.get(name) ?? null);
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    this.#underWay -= 1;
    this.#schedule();
  }
}

function promise<T>() {
  let [resolve, reject] = [(_: T): void => {}, (_: unknown): void => {}];
  const value = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { value, resolve, reject };
}
