/**
 * The daily quota of each account. Read with its first message of a batch, counted in memory, and written with the batch:
 * for each message of its own, the three statements would be a tenth of an acceptance.
 */
import type { Database } from "better-sqlite3";
import type { NewMessage } from "../port/mail.ts";
import type { DamageLog } from "./damage.ts";

/** Quota days are UTC days. */
export const DAY_MS = 86_400_000;

export interface Quotas {
  /** Counts the message's recipients where the account's quota has room for them; else false. */
  take(message: NewMessage): boolean;
  /** Writes what was counted, inside the transaction. */
  write(): void;
  /** Forgets what was counted: its batch was rolled back, or written. */
  clear(): void;
}

interface Day {
  accountId: string;
  day: number;
  /** The account's own limit, which stands before the service's. */
  own: number | null;
  used: number;
  /** Of them, in this batch. */
  added: number;
}

/** Where its tables are damaged, nothing is counted: mail beyond a quota is better than none. */
export function prepareQuotas(db: Database, log: DamageLog): Quotas {
  const place = "the quotas";
  const used = db.prepare<[string, number], number>("SELECT used FROM quota WHERE account_id = ? AND day = ?").pluck();
  const ownQuota = db.prepare<[string], number | null>("SELECT quota_daily FROM accounts WHERE id = ?").pluck();
  const count = db.prepare(
    `INSERT INTO quota (account_id, day, used) VALUES (?, ?, ?)
       ON CONFLICT (account_id, day) DO UPDATE SET used = used + excluded.used`,
  );
  const days = new Map<string, Day>();

  function dayOf(accountId: string, atMs: number): Day {
    const day = Math.floor(atMs / DAY_MS);
    const name = `${day} ${accountId}`;
    const known = days.get(name);
    if (known !== undefined) return known;
    const own = log.passing(place, () => ownQuota.get(accountId), null) ?? null;
    const usedBefore = log.passing(place, () => used.get(accountId, day), 0) ?? 0;
    const read = { accountId, day, own, used: usedBefore, added: 0 };
    days.set(name, read);
    return read;
  }

  return {
    take({ accountId, createdAtMs, quotaDaily, recipients }) {
      const day = dayOf(accountId, createdAtMs);
      const most = day.own ?? quotaDaily;
      if (most !== 0 && day.used + recipients.length > most) return false;
      day.used += recipients.length;
      day.added += recipients.length;
      return true;
    },
    write() {
      const counted = [...days.values()].filter(({ added }) => added > 0);
      const writeAll = (): void => {
        for (const { accountId, day, added } of counted) count.run(accountId, day, added);
      };
      log.passing(place, writeAll, undefined);
    },
    clear: () => days.clear(),
  };
}
