/**
 * A budget for a limited resource (concurrent requests, bytes of memory), in total and for each holder, so one holder cannot
 * exhaust it. Counts reservations; the caller uses the resource and releases its reservation afterwards.
 */

export interface BudgetLimits {
  /** The total. */
  max: number;
  /** The fraction of the total that one holder may reserve, from 0 to 1. */
  share: number;
}

/** `full`: the total is exhausted. `share_full`: the holder's share is. */
export type ReserveResult = "reserved" | "full" | "share_full";

export class SharedBudget {
  readonly #limits: BudgetLimits;
  readonly #holders = new Map<string, number>();
  #reserved = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** The total reserved amount. */
  get reserved(): number {
    return this.#reserved;
  }

  /** The amount that one holder has reserved. */
  reservedBy(holder: string): number {
    return this.#holders.get(holder) ?? 0;
  }

  reserve(holder: string, amount: number): ReserveResult {
    const { max, share } = this.#limits;
    const own = (this.#holders.get(holder) ?? 0) + amount;
    if (this.#reserved + amount > max) return "full";
    if (own > max * share) return "share_full";
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
