/**
 * The addresses that are suppressed by a set cause, by account. refusal-history.ts has those that servers have
 * refused. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import type { SetSuppression, Suppression } from "../../../../message/result/suppression.ts";
import { suppressionBy } from "../../../records/suppressed-address.ts";
import type { DamageLog } from "../files/damage.ts";

const PLACE = "the suppressed addresses";

export class SuppressedAddresses {
  readonly #log: DamageLog;
  readonly #find;

  constructor(db: Database, log: DamageLog) {
    this.#log = log;
    this.#find = db.prepare<[string, string], SetSuppression>(
      "SELECT cause, at_ms AS atMs, until_ms AS untilMs FROM suppressed_addresses WHERE account_id = ? AND address = ?",
    );
  }

  of(accountId: string, address: string, nowMs: number): Suppression | null {
    const found = this.#log.runOptional(PLACE, () => this.#find.get(accountId, address), undefined);
    return found === undefined ? null : suppressionBy(found, nowMs);
  }
}
