/**
 * A pool of places for attempts that may wait: first contacts, slow destinations, probes. Accounts share it as they share the fair
 * shares. An attempt holds a place until it ends, and counts as one that begins for a part of that time, so that a pool is
 * filled slowly. attempt-lanes.ts decides which attempts use which pool, contact-windows.ts how many begin at once.
 */
import type { ClaimRequest } from "../../spool/port/mail.ts";
import { AccountCounts } from "./account-counts.ts";
import { accountShares } from "./fair-share.ts";

export type AccountLimits = Required<Pick<ClaimRequest, "perAccount" | "accountAllowance">>;

/** The most attempts of an account that may count at once, with so many places left to it; null for an account without any. */
type SizeOf = (accountId: string | null, places: number) => number;

interface PooledAttempt {
  readonly accountId: string;
  /** Until then, it counts as one that begins. */
  countsUntilMs: number;
}

export class ContactPool {
  readonly max: number;
  readonly #sizeOf: SizeOf;
  readonly #places = new AccountCounts();
  readonly #counted = new AccountCounts();
  /** Those that count, in the order in which they stop, nearly. */
  readonly #beginning = new Set<PooledAttempt>();

  constructor(max: number, sizeOf: SizeOf) {
    this.max = max;
    this.#sizeOf = sizeOf;
  }

  /** Places in use. */
  get used(): number {
    return this.#places.total;
  }

  usedBy(accountId: string): number {
    return this.#places.of(accountId);
  }

  /** The places that are left to the account. */
  placesOf(accountId: string): number {
    return Math.max(0, Math.ceil((this.max - this.#places.total - this.#places.of(accountId)) / 2));
  }

  /** How many attempts of the account may begin now. */
  leftOf(accountId: string): number {
    return this.#left(accountId, this.placesOf(accountId));
  }

  /** How many attempts each account may begin now. */
  left(): AccountLimits {
    const places = accountShares(this.#places.counts, Math.max(0, this.max - this.#places.total));
    const accountAllowance = Object.fromEntries(
      Object.entries(places.accountAllowance).map(([accountId, ofPool]) => [accountId, this.#left(accountId, ofPool)]),
    );
    return { perAccount: this.#left(null, places.perAccount), accountAllowance };
  }

  #left(accountId: string | null, places: number): number {
    return Math.max(0, this.#sizeOf(accountId, places) - this.#counted.of(accountId));
  }

  enter(attempt: PooledAttempt, countsUntilMs: number): void {
    attempt.countsUntilMs = countsUntilMs;
    this.#places.add(attempt.accountId, 1);
    this.#counted.add(attempt.accountId, 1);
    this.#beginning.add(attempt);
  }

  leave(attempt: PooledAttempt): void {
    this.#places.add(attempt.accountId, -1);
    if (this.#beginning.delete(attempt)) this.#counted.add(attempt.accountId, -1);
  }

  /** Ends the counting of attempts that have counted for long enough. */
  advance(nowMs: number): void {
    for (const attempt of this.#beginning) {
      if (nowMs < attempt.countsUntilMs) break;
      this.#beginning.delete(attempt);
      this.#counted.add(attempt.accountId, -1);
    }
  }

  /** When the next attempt counts no longer; null if none counts. */
  nextMs(): number | null {
    for (const { countsUntilMs } of this.#beginning) return countsUntilMs;
    return null;
  }
}
