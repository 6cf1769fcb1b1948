/**
 * Notes which mails that came back are being read, before the reading of a longer one begins. If the process dies meanwhile, the next
 * one finds the note, and does not read for ever what ends each process. Only the process that reads incoming mail writes it.
 */
import type { KeyValueStore } from "../../spool/port/key-value.ts";

/** A shorter mail unpacks to a megabyte at most (see message/reports/unpack.ts), so its reading needs no note. */
export const NOTED_OCTETS_MIN = 16 * 1024;
/** A mail is not read again after this many readings that did not end. */
const READINGS_MAX = 2;
/** Mails that are noted; the oldest is forgotten. */
const MAILS_MAX = 20;
const ENTRY = "incoming-reading";

type Store = Pick<KeyValueStore, "readValue" | "writeValue">;

export class ReadingAttempts {
  readonly #store: Store;
  /** Readings without an end, by mail; null until the note has been read. */
  #counts: Map<string, number> | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Notes the reading. Returns false if too many have not ended, so that it must not be read. Rejects with SpoolUnavailable. */
  async begin(id: string): Promise<boolean> {
    this.#counts ??= await this.#read();
    const count = this.#counts.get(id) ?? 0;
    if (count >= READINGS_MAX) return false;
    this.#counts.delete(id);
    const kept = [...this.#counts, [id, count + 1] as const].slice(-MAILS_MAX);
    await this.#store.writeValue(ENTRY, JSON.stringify(kept));
    this.#counts = new Map(kept);
    return true;
  }

  /** The reading has ended, whatever it has found. Written with the next note, unless the mail stays: `isKept`. */
  async end(id: string, { isKept }: { isKept: boolean }): Promise<void> {
    if (this.#counts?.delete(id) !== true || !isKept) return;
    await this.#store.writeValue(ENTRY, JSON.stringify([...this.#counts]));
  }

  /** A damaged note counts from zero. */
  async #read(): Promise<Map<string, number>> {
    const text = await this.#store.readValue(ENTRY);
    if (text === null) return new Map();
    try {
      return new Map(JSON.parse(text) as [string, number][]);
    } catch {
      return new Map();
    }
  }
}
