/**
 * The refusal history: replies that called an address nonexistent, by account and address. An address with at least one
 * has one row, so acceptance needs one look-up. message/result/suppression.ts decides which refusals count and when they suppress.
 */
import type { Database } from "better-sqlite3";
import { addRefusal, REFUSAL_COUNTS_MS, type Refusal } from "../../../../message/result/suppression.ts";
import { storedRefusals } from "../../../records/stored-refusals.ts";
import type { DamageLog } from "../files/damage.ts";

/** The damaged place that is reported. */
const PLACE = "the refused addresses";

/** The caller holds the transaction. */
export class RefusalHistory {
  readonly #log: DamageLog;
  readonly #find;
  readonly #store;
  readonly #removeByDelivery;
  readonly #sweep;

  constructor(db: Database, log: DamageLog) {
    this.#log = log;
    this.#find = db
      .prepare<[string, string], string>("SELECT refusals FROM refused_addresses WHERE account_id = ? AND address = ?")
      .pluck();
    this.#store = db.prepare(
      "INSERT OR REPLACE INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES (?, ?, ?, ?)",
    );
    this.#removeByDelivery = db.prepare(
      "DELETE FROM refused_addresses WHERE account_id = ? AND address = ? AND instr(refusals, '\"bounced\":true') = 0",
    );
    this.#sweep = db.prepare("DELETE FROM refused_addresses WHERE account_id = ? AND newest_at_ms <= ?");
  }

  /** Returns the refusals of an address, the oldest first. */
  of(accountId: string, address: string): Refusal[] {
    const stored = this.#log.runOptional(PLACE, () => this.#find.get(accountId, address), undefined);
    return stored === undefined ? [] : storedRefusals(stored);
  }

  add(accountId: string, address: string, refusal: Refusal): void {
    const refusals = addRefusal(this.of(accountId, address), refusal);
    const newestMs = refusals.at(-1)?.at_ms ?? refusal.at_ms;
    const write = (): void => {
      this.#store.run(accountId, address, newestMs, JSON.stringify(refusals));
      this.#sweep.run(accountId, refusal.at_ms - REFUSAL_COUNTS_MS);
    };
    this.#log.runOptional(PLACE, write, undefined);
  }

  /** After a delivery. An address that has bounced keeps its refusals. */
  clearByDelivery(accountId: string, address: string): void {
    this.#log.runOptional(PLACE, () => this.#removeByDelivery.run(accountId, address), undefined);
  }
}
