/**
 * Something of which only so much may be held at one time (requests, bytes of memory): in all, and by each holder, so that one
 * cannot take it from the others. It counts what is reserved; the caller takes it, and releases it afterwards.
 */

export interface BudgetLimits {
  /** In all. */
  max: number;
  /** The part of it that one holder may have, from 0 to 1. */
  share: number;
}

/** `full`: no holder gets more now. `share_full`: this one does not. */
export type ReserveResult = "reserved" | "full" | "share_full";

export class SharedBudget {
  readonly #limits: BudgetLimits;
  readonly #holders = new Map<string, number>();
  #reserved = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** How much is reserved, in all. */
  get reserved(): number {
    return this.#reserved;
  }

  reserve(holder: string, amount: number): ReserveResult {
    const { max: most, share } = this.#limits;
    const own = (this.#holders.get(holder) ?? 0) + amount;
    if (this.#reserved + amount > most) return "full";
    if (own > most * share) return "share_full";
    this.#reserved += amount;
    this.#holders.set(holder, own);
    return "reserved";
  }

  release(holder: string, amount: number): void {
    const own = (this.#holders.get(holder) ?? 0) - amount;
    this.#reserved -= amount;
    if (own === 0) this.#holders.delete(holder);
    else this.#holders.set(holder, own);
  }
}
