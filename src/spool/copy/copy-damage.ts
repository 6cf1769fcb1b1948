/** What a copy of the spool could not read, by table. Nothing is left out of a copy without an entry here. */
import { isDamage } from "../engine/sqlite/files/damage.ts";
import type { UnreadablePlace } from "../port/spool-copy.ts";

/** The most places that are listed; all are counted. */
const PLACES_MAX = 1000;

export class CopyDamage {
  readonly #places: UnreadablePlace[] = [];
  readonly #tables = new Set<string>();
  #count = 0;

  get places(): readonly UnreadablePlace[] {
    return this.#places;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether a part of the table could not be read. */
  concerns(table: string): boolean {
    return this.#tables.has(table);
  }

  note(table: string, { place, error }: UnreadablePlace): void {
    this.#tables.add(table);
    this.#count += 1;
    if (this.#places.length < PLACES_MAX) this.#places.push({ place, error });
  }

  /** Returns the result of `read`, or `fallback` if it throws damage, which is noted. */
  unlessDamaged<T>(read: () => T, fallback: T, { table, place }: { table: string; place: string }): T {
    try {
      return read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.note(table, { place, error: (error as Error).message });
      return fallback;
    }
  }
}
