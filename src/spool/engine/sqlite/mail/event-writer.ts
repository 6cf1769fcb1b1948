/**
 * Writes the events of messages, recipients and bound domains, inside the transaction that makes them true. The callers decide which
 * events there are; event-reads.ts and histories.ts read them. If the events of an account are damaged, further ones are left out, because
 * a result is worth more than its event.
 */
import type { Database } from "better-sqlite3";
import { newId } from "../../../../lib/new-id.ts";
import type { Category } from "../../../../message/result/category.ts";
import type { Result } from "../../../../message/result/outcome.ts";
import type { DomainEvent } from "../../../port/domain-standing.ts";
import type { EventType } from "../../../port/events.ts";
import type { SpoolEvent } from "../../../port/results.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import type { RecipientKey } from "../../session.ts";
import { type DamageLog, isDamage, RowDamaged } from "../files/damage.ts";

/** The most events of domains that one step of retention removes. */
const DOMAIN_EVENTS_DROPPED = 100;

/** The account of the number that `skipNumbers` stores. It has no events, so no cursor expires. */
const NO_ACCOUNT = "";

const RAISE = "ON CONFLICT (account_id) DO UPDATE SET number = max(number, excluded.number)";

/** The greatest number that was given; retention may have deleted its event. */
export const GREATEST_NUMBER = `SELECT max((SELECT coalesce(max(number), 0) FROM events),
  (SELECT coalesce(max(number), 0) FROM events_pruned))`;

/**
 * To be called for a copy of a spool: new events get greater numbers than those that the original has given meanwhile, so cursors of
 * both stay valid. A number is microseconds since the epoch, of which more pass than events happen.
 */
export function skipNumbers(db: Database, nowMs: number): void {
  db.prepare(`INSERT INTO events_pruned (account_id, number) VALUES (?, ?) ${RAISE}`).run(NO_ACCOUNT, nowMs * 1000);
}

/** A recipient as of its event. */
export interface EventState {
  result: Result;
  reason: string | null;
  category: Category | null;
  /** Attempts settled. */
  attempts: number;
  /** The last reply, in JSON. */
  smtp: string | null;
}

export interface NewRecipientEvent extends EventState {
  atMs: number;
  /** Null for an entry that only belongs to the recipient's history; that of the result if absent. */
  type?: EventType | null;
  /** The entry of the recipient's history, or its JSON; null for none. */
  history: SpoolEvent | string | null;
}

type RecipientOfAccount = RecipientKey & { accountId: string };

export class EventWriter {
  readonly #damage: DamageLog;
  readonly #statements;
  /** Accounts with events since the last `takeAccounts`. */
  #accounts = new Set<string>();
  /** The greatest number, if the transaction has read or given one. */
  #greatest: number | null = null;
  /** Accounts whose events are damaged. */
  readonly #unwritable = new Set<string>();
  #hasNewDamage = false;

  constructor(db: Database, damage: DamageLog) {
    this.#damage = damage;
    this.#statements = { ...prepareInserts(db), ...prepareDrops(db) };
  }

  /** Adds the first event of a message. */
  addAccepted(seq: number, { accountId, createdAtMs }: { accountId: string; createdAtMs: number }): void {
    this.#write(accountId, () => {
      this.#statements.accepted.run(this.#nextNumber(), seq, accountId, newId("evt"), createdAtMs);
    });
  }

  /** Adds the event of a recipient. Returns false if the events of its account are damaged. */
  addRecipient(recipient: RecipientOfAccount, event: NewRecipientEvent): boolean {
    return this.#write(recipient.accountId, () => this.#addRecipient(recipient, event));
  }

  #addRecipient({ seq, position, accountId }: RecipientOfAccount, event: NewRecipientEvent): void {
    const { result, reason, category, attempts, smtp, atMs, history, type = typeOfResult(result) } = event;
    const entry = typeof history === "object" && history !== null ? JSON.stringify(history) : history;
    const state = [position, result, reason, category, attempts, smtp] as const;
    this.#statements.recipient.run(this.#nextNumber(), seq, accountId, newId("evt"), atMs, type, ...state, entry);
  }

  addDomainEvent({ accountId, domain, type, atMs }: DomainEvent): void {
    this.#write(accountId, () => {
      this.#statements.domain.run(this.#nextNumber(), accountId, newId("evt"), atMs, type, domain);
    });
  }

  /** Removes the events of a message. Cursors before them expire. */
  dropMessage(seq: number): void {
    this.#statements.pruneMessage.run(seq);
    this.#statements.dropMessage.run(seq);
  }

  /** Removes events of domains from before `beforeMs`; returns whether there may be more. */
  dropDomainEvents(beforeMs: number): boolean {
    const old = this.#statements.oldOfDomains.all(beforeMs, DOMAIN_EVENTS_DROPPED);
    for (const { accountId, number } of old) {
      this.#statements.prune.run(accountId, number);
      this.#statements.drop.run(number);
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

  /** To be called at the end of each transaction: other processes write events too. */
  forgetNumbers(): void {
    this.#greatest = null;
  }

  #nextNumber(): number {
    this.#greatest = (this.#greatest ?? this.#statements.greatest.get() ?? 0) + 1;
    return this.#greatest;
  }

  #write(accountId: string, write: () => void): boolean {
    if (this.#unwritable.has(accountId)) return false;
    try {
      write();
      this.#accounts.add(accountId);
      return true;
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

function prepareInserts(db: Database) {
  return {
    greatest: db.prepare<[], number>(GREATEST_NUMBER).pluck(),
    accepted: db.prepare<[number, number, string, string, number]>(
      "INSERT INTO events (number, seq, account_id, id, at_ms, type) VALUES (?, ?, ?, ?, ?, 'message.accepted')",
    ),
    recipient: db.prepare<
      [
        ...[number: number, seq: number, accountId: string, id: string, atMs: number, type: string | null],
        ...[position: number, result: Result, reason: string | null, category: string | null, attempts: number],
        ...[smtp: string | null, history: string | null],
      ]
    >(
      `INSERT INTO events (number, seq, account_id, id, at_ms, type, position, result, reason, category, attempts, smtp, history)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    domain: db.prepare<[number, string, string, number, string, string]>(
      "INSERT INTO events (number, seq, account_id, id, at_ms, type, domain) VALUES (?, 0, ?, ?, ?, ?, ?)",
    ),
  };
}

function prepareDrops(db: Database) {
  return {
    pruneMessage: db.prepare<[number]>(
      `INSERT INTO events_pruned (account_id, number)
         SELECT account_id, max(number) FROM events WHERE seq = ? GROUP BY account_id ${RAISE}`,
    ),
    dropMessage: db.prepare<[number]>("DELETE FROM events WHERE seq = ?"),
    oldOfDomains: db.prepare<[number, number], { accountId: string; number: number }>(
      `SELECT account_id AS accountId, number FROM events INDEXED BY events_message WHERE seq = 0 AND at_ms < ? LIMIT ?`,
    ),
    prune: db.prepare<[string, number]>(`INSERT INTO events_pruned (account_id, number) VALUES (?, ?) ${RAISE}`),
    drop: db.prepare<[number]>("DELETE FROM events WHERE number = ?"),
  };
}
