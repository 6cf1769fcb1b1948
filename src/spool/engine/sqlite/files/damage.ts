/**
 * Defines damage: a page that SQLite cannot read, or a row that this code would not write. Damage is neither a broken
 * invariant nor temporary. The damaged part is quarantined or skipped, and everything else goes on.
 */
import type { Damage } from "../../../port/store.ts";
import { isFileDamage } from "../connection/database.ts";

/** A stored row cannot be decoded. */
export class RowDamaged extends Error {
  override name = "RowDamaged";
}

export const isDamage = (error: unknown): boolean => error instanceof RowDamaged || isFileDamage(error);

/** Where damage is reported. */
export type DamageReports = Pick<DamageLog, "note">;

/** Returns the result of `run`; if it throws damage, reports it to `log` and returns `fallback`. For reads only: see `DamageLog.runOptional`. */
export function unlessDamaged<T>(run: () => T, fallback: T, { log, place }: { log: DamageReports; place: string }): T {
  try {
    return run();
  } catch (error) {
    if (!isDamage(error)) throw error;
    log.note(place, error);
    return fallback;
  }
}

/** Returns the result of `read`, and tries once more if it throws damage: a read error may be temporary. */
export function readTwice<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return read();
  }
}

/** Returns the result of `read`; undefined if it throws damage. For values that are only shown or copied. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** The most places that are reported, each once in the life of a process. */
const PLACES_MAX = 1000;

/**
 * Collects damage until the service logs it. Once SQLite has read a damaged page in a transaction, the transaction cannot be
 * committed, not even without the failed statement. It is rolled back and repeated, and the repetition leaves out the
 * damaged part if the rest is worth more.
 */
export class DamageLog {
  #reported = new Set<string>();
  /** The places that `runOptional` skips: a few named parts of the file, never single messages. */
  #skipped = new Set<string>();
  /** Not yet returned by `take`. */
  #unlogged: Damage[] = [];
  #avoided = 0;

  note(place: string, error: unknown): void {
    if (this.#reported.size < PLACES_MAX) this.#report(place, error);
  }

  #report(place: string, error: unknown): void {
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    this.#unlogged.push({ place, error: (error as Error).message });
  }

  /** Counts the damaged parts that a repetition of the transaction avoids. */
  get avoided(): number {
    return this.#avoided;
  }

  avoid(): void {
    this.#avoided += 1;
  }

  /**
   * Runs a part of a transaction that may be left out. Returns the result of `run`, or `fallback` if this place is known to be
   * damaged. Throws if the damage is new: then the transaction must be repeated.
   */
  runOptional<T>(place: string, run: () => T, fallback: T): T {
    if (this.#skipped.has(place)) return fallback;
    try {
      return run();
    } catch (error) {
      if (isDamage(error)) {
        this.#skipped.add(place);
        this.#report(place, error);
        this.avoid();
      }
      throw error;
    }
  }

  /** Returns the damage noted since the last call. */
  take(): Damage[] {
    return this.#unlogged.splice(0);
  }
}

export interface DamagedMessagesOptions {
  /** The name of the damaged place that is reported. */
  place: (seq: number) => string;
  /** Set if the damage may be in an index: only after the indexes were checked is it a message's. */
  rebuilding?: { readonly hasTriedIndexes: boolean };
}

/** Damaged messages, which a transaction leaves out when it is repeated. */
export class DamagedMessages {
  readonly #log: DamageLog;
  readonly #options: DamagedMessagesOptions;
  readonly #errors = new Map<number, unknown>();

  constructor(log: DamageLog, options: DamagedMessagesOptions) {
    this.#log = log;
    this.#options = options;
  }

  has(seq: number): boolean {
    return this.#errors.has(seq);
  }

  get size(): number {
    return this.#errors.size;
  }

  /** The error of each message. */
  get errors(): ReadonlyMap<number, unknown> {
    return this.#errors;
  }

  /** Returns the result of `run`. If it throws damage, the message counts as damaged from then on. */
  run<T>(seq: number, run: () => T): T {
    try {
      return run();
    } catch (error) {
      this.#add(seq, error);
      throw error;
    }
  }

  /**
   * Returns the result of `read` for each key whose message is not damaged. Reads all of them before it throws, so the
   * transaction is repeated once, not once per message.
   */
  readEach<K extends { seq: number }, T>(keys: readonly K[], read: (key: K) => T): T[] {
    const values: T[] = [];
    let firstError: unknown;
    for (const key of keys) {
      if (this.has(key.seq)) continue;
      try {
        values.push(read(key));
      } catch (error) {
        this.#add(key.seq, error);
        firstError ??= error;
      }
    }
    if (firstError !== undefined) throw firstError;
    return values;
  }

  /** Forgets all messages, so that they are tried again. */
  clear(): void {
    this.#errors.clear();
  }

  #add(seq: number, error: unknown): void {
    const { place, rebuilding } = this.#options;
    if (!isDamage(error) || rebuilding?.hasTriedIndexes === false) throw error;
    this.#log.note(place(seq), error);
    this.#log.avoid();
    this.#errors.set(seq, error);
  }
}
