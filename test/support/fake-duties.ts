/** Duties that a test takes and loses. */
import type { Duties, Duty, Tenure } from "../../src/spool/port/duties.ts";

export class FakeDuties implements Duties {
  readonly #held = new Map<Duty, { hasOther: boolean }>();
  readonly #listeners = new Set<() => void>();

  /** Takes the duties; those that are held stay. */
  take(...duties: Duty[]): void {
    for (const duty of duties) if (!this.#held.has(duty)) this.#held.set(duty, { hasOther: false });
    this.#call();
  }

  /** Loses the duty. Returns how another process takes it, which may be later. */
  lose(duty: Duty): () => void {
    const held = this.#held.get(duty);
    this.#held.delete(duty);
    this.#call();
    return () => {
      if (held !== undefined) held.hasOther = true;
    };
  }

  holds(duty: Duty): boolean {
    return this.#held.has(duty);
  }

  tenure(duty: Duty): Tenure | null {
    const held = this.#held.get(duty);
    return held === undefined ? null : Object.assign(held, { isLatest: () => !held.hasOther });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async resign(): Promise<void> {
    this.#held.clear();
    this.#call();
  }

  #call(): void {
    for (const listener of this.#listeners) listener();
  }
}
