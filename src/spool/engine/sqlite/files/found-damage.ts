/**
 * Damaged parts of the store that this process has found, whether by its reads or by the writer. The newest are kept for the
 * doctor.
 */
import type { Damage } from "../../../port/store.ts";
import { DamageLog } from "./damage.ts";

const KEPT_MAX = 20;

export class FoundDamage {
  readonly #kept: Damage[] = [];
  /** Deduplicates the damage met by this process's reads; the writer has its own log. */
  readonly #log = new DamageLog();
  #listener: (damage: Damage) => void = () => {};

  /** Reports damage met by a read. Each place is reported once. */
  note(place: string, error: unknown): void {
    this.#log.note(place, error);
    for (const damage of this.#log.take()) this.add(damage);
  }

  add(damage: Damage): void {
    this.#kept.push(damage);
    if (this.#kept.length > KEPT_MAX) this.#kept.shift();
    this.#listener(damage);
  }

  /** Calls `listener` for each part kept, and for each found from now on. */
  listen(listener: (damage: Damage) => void): void {
    this.#listener = listener;
    for (const damage of this.#kept) listener(damage);
  }

  /** A line for each part kept. */
  lines(): string[] {
    return this.#kept.map(({ place, error }) => `${place}: ${error}`);
  }
}
