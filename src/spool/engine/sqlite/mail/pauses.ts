/** What the writer makes of a paused recipient domain: to a claim, it has no budget left. */

import type { Database } from "better-sqlite3";
import type { ClaimRequest } from "../../../port/mail.ts";
import { type DamageLog, unlessDamaged } from "../files/damage.ts";

export class Pauses {
  readonly #damage: DamageLog;
  readonly #paused;
  /** The paused domains as committed, as the allowance of a claim. */
  #allowance: Record<string, 0> = {};

  constructor(db: Database, damage: DamageLog) {
    this.#damage = damage;
    this.#paused = db.prepare<[], string>("SELECT domain FROM paused_domains").pluck();
    this.load();
  }

  /** Reads the paused domains. If they are damaged, the ones read before stay in force. */
  load(): void {
    const known = { log: this.#damage, place: "the paused domains" };
    const domains = unlessDamaged(() => this.#paused.all(), null, known);
    if (domains !== null) this.#allowance = Object.fromEntries(domains.map((domain) => [domain, 0]));
  }

  /** Returns the request with an allowance of 0 for each paused domain. */
  withoutPaused<R extends ClaimRequest>(request: R): R {
    if (Object.keys(this.#allowance).length === 0) return request;
    return { ...request, allowance: { ...request.allowance, ...this.#allowance } };
  }

  isPaused = (domain: string): boolean => Object.hasOwn(this.#allowance, domain);
}
