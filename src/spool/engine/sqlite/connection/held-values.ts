/** Values that a page shows once, in memory: one process serves from a spool in files. A restart forgets them. */
import type { Clock } from "../../../../lib/clock.ts";
import { HELD_MAX, type HeldValue, type HeldValues } from "../../../port/held-values.ts";

interface Held {
  sealed: Buffer;
  untilMs: number;
}

export class HeldInMemory implements HeldValues {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** By account and hash, the oldest first. */
  readonly #accounts = new Map<string, Map<string, Held>>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  async hold({ hash, accountId, sealed, keptMs }: HeldValue): Promise<void> {
    this.#removeEnded();
    const held = this.#accounts.get(accountId) ?? new Map<string, Held>();
    this.#accounts.set(accountId, held);
    const [oldest] = held.keys();
    if (held.size >= HELD_MAX && oldest !== undefined) held.delete(oldest);
    held.set(nameOf(hash), { sealed, untilMs: this.#clock.monotonicMs() + keptMs });
  }

  async take(accountId: string, hash: Buffer): Promise<Buffer | null> {
    this.#removeEnded();
    const held = this.#accounts.get(accountId);
    const value = held?.get(nameOf(hash));
    held?.delete(nameOf(hash));
    return value?.sealed ?? null;
  }

  #removeEnded(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [accountId, held] of this.#accounts) {
      for (const [name, { untilMs }] of held) if (untilMs <= nowMs) held.delete(name);
      if (held.size === 0) this.#accounts.delete(accountId);
    }
  }
}

const nameOf = (hash: Buffer): string => hash.toString("latin1");
