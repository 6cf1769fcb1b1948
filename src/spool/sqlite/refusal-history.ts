/**
 * Refusals as not existing, by account and address: one row for an address with at least one, so that acceptance finds
 * out with one look-up. Which refusals count and when they suppress is message/suppression.ts's.
 */
import type { Database } from "better-sqlite3";
import { parseMailbox } from "../../message/address.ts";
import { addRefusal, REFUSAL_COUNTS_MS, type Refusal, refusalKey } from "../../message/suppression.ts";
import { type DamageLog, isReply, soundJson } from "./damage.ts";
import type { Written } from "./written.ts";

export interface Refusals {
  /** The oldest first. */
  of(accountId: string, address: string): Refusal[];
  add(accountId: string, address: string, refusal: Refusal): void;
  clear(accountId: string, address: string): boolean;
}

/** Refusals that cannot be decoded are none: at worst an address is tried again. */
export const storedRefusals = (json: string): Refusal[] => soundJson(json, areRefusals) ?? [];

const areRefusals = (value: unknown): value is Refusal[] =>
  Array.isArray(value) && value.every((each) => isReply(each) && "at_ms" in each && Number.isInteger(each.at_ms));

/** Inside the caller's transaction. */
export function prepareRefusals(db: Database, log: DamageLog): Refusals {
  const place = "the refused addresses";
  const known = db
    .prepare<[string, string], string>("SELECT refusals FROM refused_addresses WHERE account_id = ? AND address = ?")
    .pluck();
  const store = db.prepare(
    "INSERT OR REPLACE INTO refused_addresses (account_id, address, newest_at_ms, refusals) VALUES (?, ?, ?, ?)",
  );
  const remove = db.prepare("DELETE FROM refused_addresses WHERE account_id = ? AND address = ?");
  const sweep = db.prepare("DELETE FROM refused_addresses WHERE account_id = ? AND newest_at_ms <= ?");

  function of(accountId: string, address: string): Refusal[] {
    const stored = log.passing(place, () => known.get(accountId, address), undefined);
    return stored === undefined ? [] : storedRefusals(stored);
  }

  return {
    of,
    add(accountId, address, refusal) {
      const refusals = addRefusal(of(accountId, address), refusal);
      const newestMs = refusals.at(-1)?.at_ms ?? refusal.at_ms;
      const write = (): void => {
        store.run(accountId, address, newestMs, JSON.stringify(refusals));
        sweep.run(accountId, refusal.at_ms - REFUSAL_COUNTS_MS);
      };
      log.passing(place, write, undefined);
    },
    clear: (accountId, address) => log.passing(place, () => remove.run(accountId, address).changes === 1, false),
  };
}

export function prepareSuppressionWrites(db: Database, log: DamageLog) {
  const refusals = prepareRefusals(db, log);
  return {
    unsuppress({ accountId, email }: { accountId: string; email: string }): Written<boolean> {
      const mailbox = parseMailbox(email);
      if (mailbox.type === "invalid") return { value: false };
      return { value: refusals.clear(accountId, refusalKey(mailbox.address, mailbox.domain)) };
    },
  };
}
