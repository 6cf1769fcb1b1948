/**
 * Writes the outbox: the events of messages, recipients and bound domains, inside the transaction that makes them true.
 * The callers decide which events there are; outbox-reads.ts reads them. If the outbox of an account is damaged, its events
 * are left out, because a result is worth more than its event.
 */
import type { Database } from "better-sqlite3";
import { newId } from "../../../../lib/new-id.ts";
import type { Result } from "../../../../message/result/outcome.ts";
import type { DomainEvent } from "../../../port/domain-standing.ts";
import type { EventType } from "../../../port/events.ts";
import { KIND_OF_EVENT } from "../../../records/recipient-feedback.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import { TEXT } from "../connection/parameters.ts";
import { type DamageLog, isDamage, RowDamaged } from "../files/damage.ts";
import type { RecipientKey } from "./recipient-key.ts";

/** The type of a row that only keeps the account's greatest number; no reader returns it. */
export const PLACEHOLDER = "none";

/** Retention removes at most so many events of domains with each step. */
const DOMAIN_EVENTS_DROPPED = 100;

/**
 * To be called for a copy of a spool: new events of each account get greater numbers than those that the original has given
 * meanwhile, so cursors of both stay valid. A number is microseconds since the epoch, of which more pass than events happen.
 */
export function skipNumbers(db: Database, nowMs: number): void {
  const add = db.prepare<[string, number, string, number, number, string]>(
    "INSERT OR IGNORE INTO outbox (account_id, number, id, seq, sequence, at_ms, type) VALUES (?, ?, ?, 0, ?, ?, ?)",
  );
  const accounts = db.prepare<[], string>("SELECT id FROM accounts").pluck().all();
  const number = nowMs * 1000;
  for (const accountId of accounts) add.run(accountId, number, newId("evt"), number, nowMs, PLACEHOLDER);
}

export class Outbox {
  readonly #damage: DamageLog;
  readonly #statements;
  /** Accounts with events since the last `takeAccounts`. */
  #accounts = new Set<string>();
  /** The greatest numbers of accounts, as far as the transaction has read or given them. */
  readonly #numbers = new Map<string, number>();
  /** Accounts whose outbox is damaged. */
  readonly #unwritable = new Set<string>();
  #hasNewDamage = false;

  constructor(db: Database, damage: DamageLog) {
    this.#damage = damage;
    this.#statements = prepareStatements(db);
  }

  /** Adds the first event of a message. */
  addAccepted(seq: number, { accountId, createdAtMs }: { accountId: string; createdAtMs: number }): void {
    this.#write(accountId, () => {
      this.#statements.accepted.run(accountId, this.#nextNumber(accountId), newId("evt"), seq, createdAtMs);
    });
  }

  /** Adds the event of a recipient's new state, as its row has it now. */
  addRecipient(
    { seq, position }: RecipientKey,
    { accountId, atMs, ...change }: { accountId: string; atMs: number } & ({ result: Result } | { type: EventType }),
  ): void {
    const type = "type" in change ? change.type : typeOfResult(change.result);
    const kind = KIND_OF_EVENT[type];
    this.#write(accountId, () => {
      const own = [accountId, this.#nextNumber(accountId), newId("evt"), atMs, type] as const;
      if (kind === undefined) this.#statements.recipient.run(...own, seq, position);
      else this.#statements.feedback.run(...own, kind, seq, position);
    });
  }

  addDomainEvent({ accountId, domain, type, atMs }: DomainEvent): void {
    this.#write(accountId, () => {
      const number = this.#nextNumber(accountId);
      this.#statements.domain.run({ accountId, number, id: newId("evt"), atMs, type, detail: JSON.stringify(domain) });
    });
  }

  /** Removes the events of a message. Cursors before them expire. */
  dropMessage(seq: number): void {
    const accountId = this.#statements.accountOf.get(seq);
    if (accountId === undefined) return;
    this.#statements.pruneMessage.run({ seq });
    this.#statements.keepGreatest.run({ seq, accountId, type: PLACEHOLDER });
    this.#statements.dropMessage.run(seq);
  }

  /** Removes events of domains from before `beforeMs`; returns whether there may be more. */
  dropDomainEvents(beforeMs: number): boolean {
    const old = this.#statements.oldOfDomains.all(beforeMs, DOMAIN_EVENTS_DROPPED);
    for (const event of old) {
      this.#statements.prune.run(event);
      this.#statements.drop.run(event);
    }
    return old.length === DOMAIN_EVENTS_DROPPED;
  }

  /** Returns the accounts with new events. To be called after a commit. */
  takeAccounts(): string[] {
    if (this.#accounts.size === 0) return [];
    const accounts = [...this.#accounts];
    this.#accounts.clear();
    return accounts;
  }

  /** Whether damage was found since the last call: it may be in an index, which can be rebuilt. */
  takeDamage(): boolean {
    const found = this.#hasNewDamage;
    this.#hasNewDamage = false;
    return found;
  }

  /** After the indexes were rebuilt: damaged parts are tried again. */
  retryDamaged(): void {
    this.#unwritable.clear();
  }

  /** To be called at the end of each transaction: other processes write to the outbox too. */
  forgetNumbers(): void {
    this.#numbers.clear();
  }

  #nextNumber(accountId: string): number {
    const greatest = this.#numbers.get(accountId) ?? this.#statements.greatest.get(accountId) ?? 0;
    this.#numbers.set(accountId, greatest + 1);
    return greatest + 1;
  }

  #write(accountId: string, write: () => void): void {
    if (this.#unwritable.has(accountId)) return;
    try {
      write();
      this.#accounts.add(accountId);
    } catch (thrown) {
      const error = asDamage(thrown);
      if (isDamage(error)) {
        this.#unwritable.add(accountId);
        this.#hasNewDamage = true;
        this.#damage.note(`the events of the account ${accountId}`, error);
        this.#damage.avoid();
      }
      throw error;
    }
  }
}

/** A next number that exists already shows that a damaged key has hidden the greatest one. */
const asDamage = (error: unknown): unknown =>
  (error as { code?: string }).code === "SQLITE_CONSTRAINT_PRIMARYKEY"
    ? new RowDamaged((error as Error).message)
    : error;

function prepareStatements(db: Database) {
  return { ...prepareInserts(db), ...prepareDrops(db) };
}

/** The stored reply is JSON already. A marked recipient is pending. `more` adds members to the detail. */
const recipientInsert = (more: string): string =>
  `INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail)
     SELECT ?, ?, ?, r.seq,
            coalesce((SELECT max(sequence) FROM outbox WHERE seq = r.seq), 0) + 1, ?, ?,
            '{"email":' || json_quote(r.email) || ',"result":"' || iif(r.state = 'marked', 'pending', r.state)
              || '","reason":' || json_quote(r.reason) || ',"category":' || json_quote(r.category)
              || ',"attempts":' || r.attempts || ',"smtp":' || coalesce(r.smtp, 'null') ${more} || '}'
       FROM recipients r WHERE r.seq = ? AND r.position = ?`;

function prepareInserts(db: Database) {
  return {
    greatest: db.prepare<[string], number | null>(`SELECT max(number) FROM outbox WHERE account_id = ${TEXT}`).pluck(),
    accepted: db.prepare<[string, number, string, number, number]>(
      `INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type)
         VALUES (?, ?, ?, ?, 1, ?, 'message.accepted')`,
    ),
    recipient: db.prepare<[string, number, string, number, string, number, number]>(recipientInsert("")),
    // The feedback of this kind is stored before its event.
    feedback: db.prepare<[string, number, string, number, string, string, number, number]>(
      recipientInsert(
        `|| coalesce(',"feedback":' || (SELECT detail FROM feedback WHERE seq = r.seq AND position = r.position AND kind = ?), '')`,
      ),
    ),
    domain: db.prepare<{ accountId: string; number: number; id: string; atMs: number; type: string; detail: string }>(
      `INSERT INTO outbox (account_id, number, id, seq, sequence, at_ms, type, detail)
         VALUES (@accountId, @number, @id, 0, @number, @atMs, @type, @detail)`,
    ),
  };
}

function prepareDrops(db: Database) {
  const prune = `INSERT INTO outbox_pruned (account_id, number)`;
  const raise = `ON CONFLICT (account_id) DO UPDATE SET number = max(number, excluded.number)`;
  return {
    accountOf: db.prepare<[number], string>("SELECT account_id FROM outbox WHERE seq = ? LIMIT 1").pluck(),
    pruneMessage: db.prepare<{ seq: number }>(
      `${prune} SELECT account_id, max(number) FROM outbox WHERE seq = @seq GROUP BY account_id ${raise}`,
    ),
    keepGreatest: db.prepare<{ seq: number; accountId: string; type: string }>(
      `UPDATE outbox SET seq = 0, sequence = number, type = @type, detail = NULL
         WHERE account_id = @accountId AND number = (SELECT max(number) FROM outbox WHERE account_id = @accountId)
           AND seq = @seq`,
    ),
    dropMessage: db.prepare<[number]>("DELETE FROM outbox WHERE seq = ?"),
    oldOfDomains: db.prepare<[number, number], { accountId: string; number: number }>(
      `SELECT account_id AS accountId, number FROM outbox o INDEXED BY outbox_by_message
         WHERE seq = 0 AND at_ms < ? AND number < (SELECT max(number) FROM outbox WHERE account_id = o.account_id) LIMIT ?`,
    ),
    prune: db.prepare<{ accountId: string; number: number }>(`${prune} VALUES (@accountId, @number) ${raise}`),
    drop: db.prepare<{ accountId: string; number: number }>(
      "DELETE FROM outbox WHERE account_id = @accountId AND number = @number",
    ),
  };
}
