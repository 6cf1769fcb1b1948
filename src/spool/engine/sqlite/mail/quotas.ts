/**
 * The daily quota of each account. It is read with the account's first message of a batch, counted in memory, and written
 * with the batch: three statements for each message would be a tenth of the cost of an acceptance.
 */
import type { Database } from "better-sqlite3";
import type { NewMessage } from "../../../port/mail.ts";
import { quotaDay } from "../../../records/quota-day.ts";
import type { DamageLog } from "../files/damage.ts";

/** The damaged place that is reported. */
const PLACE = "the quotas";

interface QuotaDay {
  accountId: string;
  day: number;
  /** The account's own quota, which overrides the service's. */
  ownQuota: number | null;
  used: number;
  /** The part of `used` that this batch added. */
  added: number;
}

/** If its tables are damaged, nothing is counted: to exceed a quota is better than to send nothing. */
export class Quotas {
  readonly #log: DamageLog;
  readonly #used;
  readonly #ownQuota;
  readonly #add;
  readonly #days = new Map<string, QuotaDay>();

  constructor(db: Database, log: DamageLog) {
    this.#log = log;
    this.#used = db
      .prepare<[string, number], number>("SELECT used FROM quota WHERE account_id = ? AND day = ?")
      .pluck();
    this.#ownQuota = db.prepare<[string], number | null>("SELECT quota_daily FROM accounts WHERE id = ?").pluck();
    this.#add = db.prepare(
      `INSERT INTO quota (account_id, day, used) VALUES (?, ?, ?)
         ON CONFLICT (account_id, day) DO UPDATE SET used = used + excluded.used`,
    );
  }

  /** Counts the message's recipients and returns true; returns false if they would exceed the account's quota. */
  take({
    accountId,
    createdAtMs,
    quotaDaily,
    recipients,
  }: Pick<NewMessage, "accountId" | "createdAtMs" | "quotaDaily" | "recipients">): boolean {
    const day = this.#dayOf(accountId, createdAtMs);
    const quota = day.ownQuota ?? quotaDaily;
    if (quota !== 0 && day.used + recipients.length > quota) return false;
    day.used += recipients.length;
    day.added += recipients.length;
    return true;
  }

  /** Writes the counts, inside the transaction. */
  write(): void {
    const counted = [...this.#days.values()].filter(({ added }) => added > 0);
    const writeAll = (): void => {
      for (const { accountId, day, added } of counted) this.#add.run(accountId, day, added);
    };
    this.#log.runOptional(PLACE, writeAll, undefined);
  }

  /** Forgets the counts, after their batch was committed or rolled back. */
  clear(): void {
    this.#days.clear();
  }

  #dayOf(accountId: string, atMs: number): QuotaDay {
    const day = quotaDay(atMs);
    const name = `${day} ${accountId}`;
    const known = this.#days.get(name);
    if (known !== undefined) return known;
    const ownQuota = this.#log.runOptional(PLACE, () => this.#ownQuota.get(accountId), null) ?? null;
    const used = this.#log.runOptional(PLACE, () => this.#used.get(accountId, day), 0) ?? 0;
    const read = { accountId, day, ownQuota, used, added: 0 };
    this.#days.set(name, read);
    return read;
  }
}

/** Recipients that an account has addressed on a day (see records/quota-day.ts). */
export function prepareQuotaUsed(db: Database): (accountId: string, day: number) => number {
  const used = db.prepare<[string, number], number>("SELECT used FROM quota WHERE account_id = ? AND day = ?").pluck();
  return (accountId, day) => used.get(accountId, day) ?? 0;
}
