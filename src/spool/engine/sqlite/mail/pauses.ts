/**
 * What the writer makes of operator actions on a recipient domain: to a claim, a paused domain has no budget left, and a retried one
 * has its pending recipients due now. The caller holds the transaction.
 */

import type { Database } from "better-sqlite3";
import type { ClaimRequest } from "../../../port/mail.ts";
import type { RetryDomainRequest } from "../../../port/operations.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { retriedEntry } from "../../../records/retried-entry.ts";
import type { RecipientKey } from "../../session.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { DamagedMessages, unlessDamaged } from "../files/damage.ts";
import type { StoredState } from "./recipient-states.ts";

export class Pauses {
  readonly #parts;
  readonly #paused;
  readonly #later;
  readonly #setDue;
  readonly #damaged: DamagedMessages;
  /** The paused domains as committed, as the allowance of a claim. */
  #allowance: Record<string, 0> = {};

  constructor(db: Database, parts: Pick<WriterParts, "scheduler" | "events" | "states" | "damage" | "rebuilding">) {
    const { damage, rebuilding } = parts;
    this.#parts = parts;
    this.#paused = db.prepare<[], string>("SELECT domain FROM paused_domains").pluck();
    // From the index alone: the rows of the recipients may be damaged.
    this.#later = db.prepare<[string, string, number, number], RecipientKey>(
      `SELECT seq, position FROM work INDEXED BY work_waiting
         WHERE mark IS NULL AND account_id = ? AND domain = ? AND due_ms > ? AND ${isInQueueSql("seq")}
         ORDER BY due_ms LIMIT ?`,
    );
    this.#setDue = db.prepare<[number, number, number]>("UPDATE work SET due_ms = ? WHERE seq = ? AND position = ?");
    this.#damaged = new DamagedMessages(damage, {
      place: (seq) => `the message in row ${seq}, which is pending`,
      rebuilding,
    });
    this.load();
  }

  /** Reads the paused domains. If they are damaged, the ones read before stay in force. */
  load(): void {
    const known = { log: this.#parts.damage, place: "the paused domains" };
    const domains = unlessDamaged(() => this.#paused.all(), null, known);
    if (domains !== null) this.#allowance = Object.fromEntries(domains.map((domain) => [domain, 0]));
  }

  /** Returns the request with an allowance of 0 for each paused domain. */
  withoutPaused<R extends ClaimRequest>(request: R): R {
    if (Object.keys(this.#allowance).length === 0) return request;
    return { ...request, allowance: { ...request.allowance, ...this.#allowance } };
  }

  isPaused = (domain: string): boolean => Object.hasOwn(this.#allowance, domain);

  /** Makes pending recipients due now, except damaged ones. Returns how many. */
  retryDomain({ accountId, domain, nowMs, limit }: RetryDomainRequest): Written<number> {
    const later = this.#later.all(accountId, domain, nowMs, limit + this.#damaged.size);
    const recipients = this.#damaged.readEach(later, (key) => this.#parts.states.listed(key));
    for (const recipient of recipients) this.#makeDue(recipient, nowMs);
    const committed = (): void => {
      this.#damaged.clear();
      if (recipients.length > 0) this.#parts.scheduler.schedule(accountId, domain, nowMs);
    };
    return { value: recipients.length, committed };
  }

  #makeDue(recipient: StoredState, nowMs: number): void {
    const { seq, position, attempts } = recipient;
    this.#damaged.run(seq, () => this.#setDue.run(nowMs, seq, position));
    const history = retriedEntry(attempts, { nowMs });
    this.#parts.events.addRecipient(recipient, { ...recipient, atMs: nowMs, type: null, history });
  }
}
