/**
 * The refusal history: replies that called an address nonexistent, by account and address. An address with at least one
 * has one row, so acceptance needs one look-up. message/suppression.ts decides which refusals count and when they suppress.
 */
import type { Database } from "better-sqlite3";
import { parseMailbox } from "../../message/address.ts";
import { addRefusal, REFUSAL_COUNTS_MS, type Refusal, refusalKey } from "../../message/suppression.ts";
import { storedRefusals } from "../records/stored-refusals.ts";
import type { DamageLog } from "./damage.ts";
import { SuppressedAddresses } from "./suppressed-addresses.ts";
import type { Written } from "./written.ts";

/** The damaged place that is reported. */
const PLACE = "the refused addresses";

/** The caller holds the transaction. */
export class RefusalHistory {
  readonly #log: DamageLog;
  readonly #find;
  readonly #store;
  readonly #remove;
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
    this.#remove = db.prepare("DELETE FROM refused_addresses WHERE account_id = ? AND address = ?");
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

  /** Returns whether there were any. */
  clear(accountId: string, address: string): boolean {
    return this.#log.runOptional(PLACE, () => this.#remove.run(accountId, address).changes === 1, false);
  }
}

export function prepareSuppressionWrites(db: Database, log: DamageLog) {
  const refusals = new RefusalHistory(db, log);
  const suppressed = new SuppressedAddresses(db, log);
  return {
    unsuppress({ accountId, email }: { accountId: string; email: string }): Written<boolean> {
      const mailbox = parseMailbox(email);
      if (mailbox.type === "invalid") return { value: false };
      const address = refusalKey(mailbox.address, mailbox.domain);
      const [byRefusals, byFeedback] = [refusals.clear(accountId, address), suppressed.remove(accountId, address)];
      return { value: byRefusals || byFeedback };
    },
  };
}
