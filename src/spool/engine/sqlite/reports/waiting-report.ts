/**
 * Reports the queue by recipient domain, without test messages. One step reads some domains of one account.
 */

import type { Database } from "better-sqlite3";
import type { Category } from "../../../../message/result/category.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import { ACCOUNTS_LISTED, type WaitingDomain, type WaitingFilter, type WaitingMail } from "../../../port/reports.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { reasonsReadOf } from "../../../records/report-limits.ts";
import { LISTED_LENGTH_MAX, storedReply } from "../../../records/stored-reply.ts";
import { isLiveSql } from "../../../records/test-routes.ts";
import type { Steps } from "../connection/read-steps.ts";
import { readable } from "../files/damage.ts";

/** Recipient domains read in one step. */
const DOMAINS_AT_ONCE = 20;

interface QueueRow {
  domain: string;
  waiting: number;
  due: number;
  nextMs: number;
  firstSeq: number;
}

interface MarkedRow {
  accountId: string;
  domain: string;
  count: number;
  firstSeq: number;
}

type DomainReason = Pick<WaitingDomain, "reason" | "category" | "smtp">;

interface ReasonRow {
  reason: string | null;
  category: Category | null;
  smtp: string | null;
}

export class WaitingReport {
  readonly #statements;

  constructor(db: Database) {
    this.#statements = prepareStatements(db);
  }

  *waiting({ accountId, nowMs, limit }: WaitingFilter): Steps<WaitingMail> {
    const totals = new DomainTotals(this.#statements.pauses.all());
    let unknown = 0;
    for (const id of accountId === null ? this.#statements.accounts.all() : [accountId]) {
      yield* this.#addAccount(totals, id, nowMs);
      unknown += this.#statements.unknown.get(id) ?? 0;
      yield;
    }
    for (const row of this.#statements.marked.all({ accountId })) if (!isTestRoute(row.domain)) totals.addMarked(row);
    // A paused domain is shown even if nothing is pending for it, because only an operator resumes it. Not to a single
    // account: that would disclose other accounts' messages.
    if (accountId === null) totals.addPaused();
    const all = totals.fullestFirst();
    const domains: WaitingDomain[] = [];
    const shown = all.slice(0, limit);
    const read = reasonsReadOf(shown.length);
    for (const entry of shown) {
      const accountIds = totals.accountsOf(entry.domain).slice(0, ACCOUNTS_LISTED);
      const oldestAtMs = this.#acceptedAt(totals.firstSeqOf(entry.domain));
      domains.push({ ...entry, ...this.#mostCommonReason(entry.domain, accountIds, read), accountIds, oldestAtMs });
      yield;
    }
    const oldestAtMs = this.#acceptedAt(totals.firstSeq);
    const waiting = all.reduce((total, entry) => total + entry.waiting, 0);
    return { domains, waiting, unknown, oldestAtMs };
  }

  *#addAccount(totals: DomainTotals, accountId: string, nowMs: number): Steps<void> {
    let after = "";
    for (;;) {
      const rows = this.#statements.queues.all({ accountId, nowMs, after });
      for (const row of rows) if (!isTestRoute(row.domain)) totals.add(row, accountId);
      yield;
      if (rows.length < DOMAINS_AT_ONCE) return;
      after = rows.at(-1)?.domain ?? "";
    }
  }

  #acceptedAt(seq: number): number | null {
    return readable(() => this.#statements.acceptedAt.get(seq)) ?? null;
  }

  #mostCommonReason(domain: string, accountIds: string[], read: number): DomainReason {
    const rows = accountIds.flatMap((id) => readable(() => this.#statements.reasons.all(id, domain, read)) ?? []);
    return mostCommon(rows);
  }
}

function prepareStatements(db: Database) {
  return {
    accounts: db.prepare<[], string>("SELECT id FROM accounts").pluck(),
    queues: db.prepare<{ accountId: string; nowMs: number; after: string }, QueueRow>(
      `SELECT domain, count(*) AS waiting, sum(due_ms <= @nowMs) AS due, min(due_ms) AS nextMs,
              min(seq) AS firstSeq
         FROM work INDEXED BY work_waiting
         WHERE mark IS NULL AND account_id = @accountId AND domain > @after AND ${isInQueueSql("seq")}
         GROUP BY domain ORDER BY domain LIMIT ${DOMAINS_AT_ONCE}`,
    ),
    marked: db.prepare<{ accountId: string | null }, MarkedRow>(
      `SELECT account_id AS accountId, domain, count(*) AS count, min(seq) AS firstSeq
         FROM work INDEXED BY work_marked
         WHERE mark IS NOT NULL AND (@accountId IS NULL OR account_id = @accountId) AND ${isInQueueSql("seq")}
         GROUP BY account_id, domain`,
    ),
    unknown: db
      .prepare<[string], number>(
        `SELECT count(*) FROM unknown_recipients INDEXED BY unknown_recipients_account
           WHERE result IS NULL AND account_id = ? AND ${isLiveSql("domain")} AND ${isInQueueSql("seq")}`,
      )
      .pluck(),
    acceptedAt: db.prepare<[number], number>("SELECT created_at_ms FROM messages WHERE seq = ?").pluck(),
    // Those attempted last are due last: their reasons are the newest.
    reasons: db.prepare<[string, string, number], ReasonRow>(
      `SELECT s.reason, s.category, s.smtp
         FROM (SELECT seq, position, due_ms FROM work INDEXED BY work_waiting
                 WHERE mark IS NULL AND account_id = ? AND domain = ? AND ${isInQueueSql("seq")} ORDER BY due_ms DESC LIMIT ?) AS w
         CROSS JOIN recipient_states AS s ON s.seq = w.seq AND s.position = w.position ORDER BY w.due_ms DESC`,
    ),
    pauses: db.prepare<[], { domain: string; at_ms: number }>("SELECT domain, at_ms FROM paused_domains"),
  };
}

/** Totals by recipient domain, over all accounts of the report. */
class DomainTotals {
  /** The first message with a pending recipient. */
  firstSeq = Number.POSITIVE_INFINITY;
  readonly #pausedAtMs: Map<string, number>;
  readonly #domains = new Map<string, WaitingDomain>();
  readonly #firstSeqs = new Map<string, number>();
  readonly #accounts = new Map<string, Set<string>>();

  constructor(pauses: { domain: string; at_ms: number }[]) {
    this.#pausedAtMs = new Map(pauses.map(({ domain, at_ms }) => [domain, at_ms]));
  }

  add(row: QueueRow, accountId: string): void {
    const total = this.#of(row.domain);
    total.waiting += row.waiting;
    total.due += row.due;
    total.nextAttemptAtMs = Math.min(total.nextAttemptAtMs ?? Number.POSITIVE_INFINITY, row.nextMs);
    this.#addSeq(row);
    this.#addAccount(row.domain, accountId);
  }

  /** Adds marked recipients. They are in an attempt, so they count as due. */
  addMarked({ accountId, domain, count, firstSeq }: MarkedRow): void {
    this.#of(domain).waiting += count;
    this.#of(domain).due += count;
    this.#addSeq({ domain, firstSeq });
    this.#addAccount(domain, accountId);
  }

  addPaused(): void {
    for (const domain of this.#pausedAtMs.keys()) this.#of(domain);
  }

  /** The first message with a pending recipient at the domain. */
  firstSeqOf(domain: string): number {
    return this.#firstSeqs.get(domain) ?? Number.POSITIVE_INFINITY;
  }

  /** In the order of their ids. */
  accountsOf(domain: string): string[] {
    return [...(this.#accounts.get(domain) ?? [])].sort();
  }

  fullestFirst(): WaitingDomain[] {
    return [...this.#domains.values()].sort((a, b) => b.waiting - a.waiting || a.domain.localeCompare(b.domain));
  }

  #addAccount(domain: string, accountId: string): void {
    const accounts = this.#accounts.get(domain);
    if (accounts === undefined) this.#accounts.set(domain, new Set([accountId]));
    else accounts.add(accountId);
  }

  #addSeq({ domain, firstSeq }: Pick<MarkedRow, "domain" | "firstSeq">): void {
    this.firstSeq = Math.min(this.firstSeq, firstSeq);
    this.#firstSeqs.set(domain, Math.min(this.firstSeqOf(domain), firstSeq));
  }

  #of(domain: string): WaitingDomain {
    const known = this.#domains.get(domain);
    if (known !== undefined) return known;
    const pausedAtMs = this.#pausedAtMs.get(domain) ?? null;
    const none = { waiting: 0, due: 0, nextAttemptAtMs: null, reason: null, category: null, smtp: null };
    const total = { domain, ...none, pausedAtMs, oldestAtMs: null, accountIds: [] };
    this.#domains.set(domain, total);
    return total;
  }
}

/** Returns the most common reason and category, with the newest reply that came with them. `rows`: the newest first. */
function mostCommon(rows: ReasonRow[]): DomainReason {
  const nameOf = ({ reason, category }: ReasonRow): string => `${reason} ${category}`;
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  const [name] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const row = rows.find((candidate) => nameOf(candidate) === name);
  if (row === undefined) return { reason: null, category: null, smtp: null };
  return { reason: row.reason, category: row.category, smtp: storedReply(row.smtp, LISTED_LENGTH_MAX) };
}
