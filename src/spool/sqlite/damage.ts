/**
 * What counts as damage: a page that SQLite cannot read, or a row that is not what this code writes. Damage is neither a
 * broken invariant nor temporary; what it touches is set aside, and everything else goes on.
 */
import { parseMailbox } from "../../message/address.ts";
import type { SmtpRecord } from "../../message/outcome.ts";
import { isFileDamage } from "./database.ts";

/** A stored row cannot be decoded. */
export class RowDamaged extends Error {
  override name = "RowDamaged";
}

export const isDamage = (error: unknown): boolean => error instanceof RowDamaged || isFileDamage(error);

/** Where damage that was met is reported. */
export type DamageReports = Pick<DamageLog, "note">;

/** What `run` returns; `fallback` where it meets damage, which is reported to `log`. For reads alone: see `DamageLog.passing`. */
export function unlessDamaged<T>(run: () => T, fallback: T, { log, place }: { log: DamageReports; place: string }): T {
  try {
    return run();
  } catch (error) {
    if (!isDamage(error)) throw error;
    log.note(place, error);
    return fallback;
  }
}

/** What `read` returns, at the second try where the first meets damage: the error of a read may be gone. */
export function readTwice<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return read();
  }
}

/** What `read` returns; undefined where it meets damage: for what is only shown. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** The value of a stored JSON text that `isSound` accepts; null otherwise. */
export function soundJson<T>(text: unknown, isSound: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(String(text));
    return isSound(value) ? value : null;
  } catch {
    return null;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isReply = (value: unknown): value is SmtpRecord =>
  isObject(value) && typeof value.code === "number" && typeof value.message === "string";

export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** The domain of a stored email address, lower-case A-labels; null when it is not one. */
export function domainOf(address: unknown): string | null {
  if (typeof address !== "string") return null;
  const mailbox = parseMailbox(address);
  return mailbox.type === "valid" ? mailbox.domain : null;
}

/** A part of the file other than a single message that was found damaged. */
export interface Damage {
  /** Such as `notes`. */
  place: string;
  error: string;
}

/** Places reported by `note`, each once in the life of a process. */
const PLACES_MAX = 1000;

/**
 * Damage that was met, until the service takes it to its log. A transaction in which SQLite has met a damaged page cannot
 * be committed any more, not even without the statement that met it. So it is rolled back and done again, and what is
 * damaged and of less worth than the transaction is then left out.
 */
export class DamageLog {
  #reported = new Set<string>();
  /** Of `passing`: a few named parts of the file, never single messages. */
  #passedOver = new Set<string>();
  #fresh: Damage[] = [];
  #avoided = 0;

  note(place: string, error: unknown): void {
    if (this.#reported.size < PLACES_MAX) this.#report(place, error);
  }

  #report(place: string, error: unknown): void {
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    this.#fresh.push({ place, error: (error as Error).message });
  }

  /** Grows with each damage that the same transaction, done again, would not meet. */
  get avoided(): number {
    return this.#avoided;
  }

  avoid(): void {
    this.#avoided += 1;
  }

  /**
   * For a part of a transaction that may be left out: what `run` returns, or `fallback` where this place is known to be
   * damaged. Throws where it is found damaged now.
   */
  passing<T>(place: string, run: () => T, fallback: T): T {
    if (this.#passedOver.has(place)) return fallback;
    try {
      return run();
    } catch (error) {
      if (isDamage(error)) {
        this.#passedOver.add(place);
        this.#report(place, error);
        this.avoid();
      }
      throw error;
    }
  }

  /** What was noted since the last call. */
  take(): Damage[] {
    return this.#fresh.splice(0);
  }
}

export interface DamagedMessagesOptions {
  /** As a damaged place. */
  place: (seq: number) => string;
  /** Given where the damage may be an index's: it is a message's once the indexes have been read. */
  rebuilding?: { readonly hasTriedIndexes: boolean };
}

/** Messages that a transaction leaves out when it is done again, because damage was met in them. */
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

  /** What was met, by message. */
  get errors(): ReadonlyMap<number, unknown> {
    return this.#errors;
  }

  /** What `run` returns. Throws where it meets damage; from then on the message is damaged. */
  attempt<T>(seq: number, run: () => T): T {
    try {
      return run();
    } catch (error) {
      this.#add(seq, error);
      throw error;
    }
  }

  /**
   * What `read` returns for each place whose message is not damaged. It reads all of them before it throws, so that the
   * transaction is done again once, not once for each.
   */
  readEach<P extends { seq: number }, T>(places: readonly P[], read: (place: P) => T): T[] {
    const values: T[] = [];
    let met: unknown;
    for (const place of places) {
      if (this.has(place.seq)) continue;
      try {
        values.push(read(place));
      } catch (error) {
        this.#add(place.seq, error);
        met ??= error;
      }
    }
    if (met !== undefined) throw met;
    return values;
  }

  /** Tries all messages again. */
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
