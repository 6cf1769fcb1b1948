/**
 * Refusals as not existing, by account and address: one row for an address with at least one, so that acceptance finds
 * out with one look-up. Which refusals count and when they suppress is message/suppression.ts's.
 */
import type { Database } from "better-sqlite3";
import { parseMailbox } from "../../message/address.ts";
import { REFUSAL_COUNTS_MS, type Refusal, refusedAddress, withRefusal } from "../../message/suppression.ts";
import type { Written } from "./writer.ts";

export interface Refusals {
  /** The oldest first. */
  of(accountId: string, address: string): Refusal[];
  add(accountId: string, address: string, refusal: Refusal): void;
  clear(accountId: string, address: string): boolean;
}

/** Inside the caller's transaction. */
export function prepareRefusals(db: Database): Refusals {
  const known = db
    .prepare<[string, string], string>("SELECT refusals FROM refused_addresses WHERE account_id = ? AND address = ?")
    .pluck();
  const store = db.prepare(
    "INSERT OR REPLACE INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES (?, ?, ?, ?)",
  );
  const remove = db.prepare("DELETE FROM refused_addresses WHERE account_id = ? AND address = ?");
  const sweep = db.prepare("DELETE FROM refused_addresses WHERE account_id = ? AND newest_at_ms <= ?");

  function of(accountId: string, address: string): Refusal[] {
    const stored = known.get(accountId, address);
    return stored === undefined ? [] : JSON.parse(stored);
  }

  return {
    of,
    add(accountId, address, refusal) {
      const refusals = withRefusal(of(accountId, address), refusal);
      store.run(accountId, address, refusals.at(-1)?.at_ms ?? refusal.at_ms, JSON.stringify(refusals));
      sweep.run(accountId, refusal.at_ms - REFUSAL_COUNTS_MS);
    },
    clear: (accountId, address) => remove.run(accountId, address).changes === 1,
  };
}

export function prepareSuppressionWrites(db: Database) {
  const refusals = prepareRefusals(db);
  return {
    unsuppress({ accountId, email }: { accountId: string; email: string }): Written<boolean> {
      const mailbox = parseMailbox(email);
      if (mailbox.type === "invalid") return { value: false };
      return { value: refusals.clear(accountId, refusedAddress(mailbox.address, mailbox.domain)) };
    },
  };
}
