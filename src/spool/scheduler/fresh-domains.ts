/**
 * Fresh mail: just accepted for a recipient domain of which nothing else waits and nothing was deferred recently, as a live message
 * usually is. Where first contacts are limited, it has its own limit (claim-budget.ts), so that it does not wait behind mail
 * for domains whose hosts hang. A domain is fresh for one message only.
 */
import { HOUR_MS } from "../../lib/units.ts";

/** After this time, mail that was not claimed is served like all other. */
const FRESH_MS = 5000;

/** Fresh domains of an account. */
const FRESH_MAX = 256;

/** Domains that are remembered because mail for them was deferred, each with its account; and how long. */
const DEFERRED_MAX = 10_000;
const DEFERRED_KEPT_MS = HOUR_MS;

/** The fresh domains of one account, by the time of acceptance, the newest last. */
export class FreshDomains {
  readonly #acceptedMs = new Map<string, number>();

  add(domain: string, acceptedMs: number): void {
    this.#acceptedMs.delete(domain);
    this.#acceptedMs.set(domain, acceptedMs);
    for (const [oldest, atMs] of this.#acceptedMs) {
      if (this.#acceptedMs.size <= FRESH_MAX && acceptedMs - atMs < FRESH_MS) break;
      this.#acceptedMs.delete(oldest);
    }
  }

  remove(domain: string): void {
    this.#acceptedMs.delete(domain);
  }

  has(domain: string, nowMs: number): boolean {
    const acceptedMs = this.#acceptedMs.get(domain);
    return acceptedMs !== undefined && nowMs - acceptedMs < FRESH_MS;
  }

  /** The newest first. Some may be fresh no more. */
  get names(): string[] {
    return [...this.#acceptedMs.keys()].reverse();
  }
}

/** The domains for which an account's mail was deferred recently. */
export class DeferredDomains {
  /** The one deferred last is last. A Map, because listings of the command line load this file and no packages. */
  readonly #atMs = new Map<string, number>();

  add(accountId: string, domain: string, atMs: number): void {
    const name = nameOf(accountId, domain);
    this.#atMs.delete(name);
    this.#atMs.set(name, atMs);
    if (this.#atMs.size <= DEFERRED_MAX) return;
    for (const oldest of this.#atMs.keys()) return void this.#atMs.delete(oldest);
  }

  has(accountId: string, domain: string, nowMs: number): boolean {
    const atMs = this.#atMs.get(nameOf(accountId, domain));
    return atMs !== undefined && nowMs - atMs < DEFERRED_KEPT_MS;
  }
}

const nameOf = (accountId: string, domain: string): string => `${domain} ${accountId}`;
