/**
 * The daily quotas of accounts, shared by all nodes. A node takes a block of an account's quota in its own transaction and
 * spends it in memory: a row that every acceptance updates would make all nodes wait for each other. Blocks shrink as the quota
 * runs out, down to the recipients of one message, so the limit is exact. A node returns every second what it has not spent; a
 * node that dies loses at most its blocks.
 */
import type { NewMessage } from "../../../port/mail.ts";
import { quotaDay } from "../../../records/quota-day.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";

/** A block is at most this part of what is left of the quota, and at most BLOCK_MAX recipients. */
const BLOCK_SHARE = 1 / 32;
const BLOCK_MAX = 1000;

interface Block {
  accountId: string;
  day: number;
  /** The quota in force; 0 for none, null if it is not known. */
  limit: number | null;
  /** NewMessage's quotaDaily, for which the limit was determined. */
  quotaDaily: number;
  /** Recipients that may still be spent. Without a limit: minus those spent. */
  left: number;
}

const findQuota = statement<{ quotaDaily: number | null }>(
  'SELECT quota_daily AS "quotaDaily" FROM accounts WHERE id = $1',
);
// Locks the row: blocks are taken one after the other.
const lockUsed = statement<{ used: number }>(
  `INSERT INTO quota (account_id, day, used) VALUES ($1, $2, 0)
     ON CONFLICT (account_id, day) DO UPDATE SET used = quota.used RETURNING used`,
);
const findUsed = statement<{ used: number }>("SELECT used FROM quota WHERE account_id = $1 AND day = $2");
const addUsed = statement(
  `INSERT INTO quota (account_id, day, used) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, day) DO UPDATE SET used = quota.used + excluded.used`,
);

const nameOf = (accountId: string, day: number): string => `${day} ${accountId}`;

export class QuotaBlocks {
  readonly #database: Database;
  readonly #blocks = new Map<string, Block>();
  /** Blocks being taken. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  #settling: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Spends the message's recipients and returns true; returns false if they would exceed the account's quota. */
  async take(message: NewMessage): Promise<boolean> {
    const count = message.recipients.length;
    const name = nameOf(message.accountId, quotaDay(message.createdAtMs));
    for (;;) {
      const block = this.#blocks.get(name);
      if (block?.quotaDaily === message.quotaDaily && (block.limit === 0 || block.left >= count)) {
        block.left -= count;
        return true;
      }
      const underWay = this.#underWay.get(name);
      if (underWay !== undefined) await underWay;
      else if (!(await this.#takeBlock(name, message))) return false;
    }
  }

  /** Gives back the recipients of a message that was not accepted. */
  giveBack({ accountId, createdAtMs, quotaDaily, recipients }: NewMessage): void {
    const day = quotaDay(createdAtMs);
    const name = nameOf(accountId, day);
    const block = this.#blocks.get(name);
    // They were taken in a block that was settled since.
    if (block === undefined)
      this.#blocks.set(name, { accountId, day, limit: null, quotaDaily, left: recipients.length });
    else block.left += recipients.length;
  }

  /** Recipients that the account has addressed in the UTC day, as far as this node knows. */
  async used(accountId: string, atMs: number): Promise<number> {
    const day = quotaDay(atMs);
    for (;;) {
      // A block that is being settled is neither here nor in the database, or in both.
      const settling = this.#settling;
      await settling;
      const [stored] = (await this.#database.run(findUsed, [accountId, day])).rows;
      if (this.#settling === settling)
        return (stored?.used ?? 0) - (this.#blocks.get(nameOf(accountId, day))?.left ?? 0);
    }
  }

  /**
   * Writes what was spent without a limit, and returns unspent blocks. To be called every second, when a quota was changed, and
   * at the end.
   */
  settle(): Promise<void> {
    const settled = this.#settling.then(() => this.#settle());
    this.#settling = settled.catch(() => {});
    return settled;
  }

  async #settle(): Promise<void> {
    for (const [name, block] of [...this.#blocks]) {
      if (this.#underWay.has(name)) continue;
      this.#blocks.delete(name);
      const { accountId, day, left } = block;
      if (left === 0) continue;
      try {
        await this.#database.run(addUsed, [accountId, day, -left]);
      } catch (error) {
        const later = this.#blocks.get(name);
        if (later === undefined) this.#blocks.set(name, block);
        else later.left += left;
        throw error;
      }
    }
  }

  async #takeBlock(name: string, message: NewMessage): Promise<boolean> {
    const taken = this.#store(name, message).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, taken);
    return taken;
  }

  /** Returns false if the quota does not suffice for the message. */
  async #store(name: string, { accountId, createdAtMs, quotaDaily, recipients }: NewMessage): Promise<boolean> {
    const day = quotaDay(createdAtMs);
    const unspent = this.#blocks.get(name)?.left ?? 0;
    const { limit, size } = await this.#database.transaction(async (session) => {
      const [account] = (await session.run(findQuota, [accountId])).rows;
      const limit = account?.quotaDaily ?? quotaDaily;
      if (limit === 0) return { limit, size: 0 };
      const [stored] = (await session.run(lockUsed, [accountId, day])).rows;
      const size = sizeOf(limit - (stored?.used ?? 0), recipients.length - unspent);
      if (size !== 0) await session.run(addUsed, [accountId, day, size]);
      return { limit, size };
    });
    const left = (this.#blocks.get(name)?.left ?? 0) + size;
    this.#blocks.set(name, { accountId, day, limit, quotaDaily, left });
    return limit === 0 || left >= recipients.length;
  }
}

/** The size of a block with at least `needed` recipients, of a quota that has `remaining`; 0 if they do not suffice. */
function sizeOf(remaining: number, needed: number): number {
  if (needed <= 0) return 0;
  return remaining < needed ? 0 : Math.max(needed, Math.min(BLOCK_MAX, Math.floor(remaining * BLOCK_SHARE)));
}
