/**
 * The queue by destination. A step reads some recipient domains of one account.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { WaitingDomain, WaitingFilter, WaitingMail } from "../port/reports.ts";
import { readable } from "./damage.ts";
import type { Steps } from "./steps.ts";
import { LISTED_LENGTH_MAX, storedReply } from "./stored-reply.ts";

/** Recipients of one account looked at to tell why a domain's mail waits. */
const REASONS_LOOKED_AT = 50;
/** Accounts looked at for the same. */
const ACCOUNTS_LOOKED_AT = 10;
/** Recipient domains in one step. */
const DOMAINS_AT_ONCE = 20;

interface LaneRow {
  domain: string;
  waiting: number;
  due: number;
  nextMs: number;
  firstSeq: number;
}

interface ReasonRow {
  reason: string | null;
  category: Category | null;
  smtp: string | null;
}

export function prepareWaitingReport(db: Database) {
  const statements = prepareStatements(db);
  return function* waiting({ accountId, nowMs, limit }: WaitingFilter): Steps<WaitingMail> {
    const domains = new Domains(statements.pauses.all());
    let firstSeq = Number.POSITIVE_INFINITY;
    let unknown = 0;
    for (const id of accountId === null ? statements.accounts.all() : [accountId]) {
      let after = "";
      for (;;) {
        const scheduler = statements.scheduler.all({ accountId: id, nowMs, after });
        for (const lane of scheduler) {
          domains.add(lane, id);
          firstSeq = Math.min(firstSeq, lane.firstSeq);
        }
        yield;
        if (scheduler.length < DOMAINS_AT_ONCE) break;
        after = scheduler.at(-1)?.domain ?? "";
      }
      unknown += statements.unknown.get(id) ?? 0;
      yield;
    }
    for (const { domain, count, firstSeq: seq } of statements.marked.all({ accountId })) {
      domains.addMarked(domain, count);
      firstSeq = Math.min(firstSeq, seq);
    }
    // A paused domain is shown also while nothing waits for it: only a person resumes it. To one account that would
    // tell of others' mail.
    if (accountId === null) domains.addPaused();
    const all = domains.fullestFirst();
    const shown: WaitingDomain[] = [];
    for (const entry of all.slice(0, limit)) {
      const ids = domains.accountsOf(entry.domain).slice(0, ACCOUNTS_LOOKED_AT);
      const rows = ids.flatMap(
        (id) => readable(() => statements.reasons.all(id, entry.domain, REASONS_LOOKED_AT)) ?? [],
      );
      shown.push({ ...entry, ...commonest(rows) });
      yield;
    }
    const oldestAtMs = readable(() => statements.acceptedAt.get(firstSeq)) ?? null;
    const waitingInAll = all.reduce((total, entry) => total + entry.waiting, 0);
    return { domains: shown, waiting: waitingInAll, unknown, oldestAtMs };
  };
}

function prepareStatements(db: Database) {
  return {
    accounts: db.prepare<[], string>("SELECT id FROM accounts").pluck(),
    scheduler: db.prepare<{ accountId: string; nowMs: number; after: string }, LaneRow>(
      `SELECT domain, count(*) AS waiting, sum(next_attempt_at_ms <= @nowMs) AS due, min(next_attempt_at_ms) AS nextMs,
              min(seq) AS firstSeq
         FROM recipients INDEXED BY recipients_waiting
         WHERE state = 'pending' AND account_id = @accountId AND domain > @after
         GROUP BY domain ORDER BY domain LIMIT ${DOMAINS_AT_ONCE}`,
    ),
    marked: db.prepare<{ accountId: string | null }, { domain: string; count: number; firstSeq: number }>(
      `SELECT domain, count(*) AS count, min(seq) AS firstSeq FROM recipients INDEXED BY recipients_marked
         WHERE state = 'marked' AND (@accountId IS NULL OR account_id = @accountId) GROUP BY domain`,
    ),
    unknown: db
      .prepare<[string], number>(
        "SELECT count(*) FROM recipients INDEXED BY recipients_unknown WHERE state = 'unknown' AND account_id = ?",
      )
      .pluck(),
    acceptedAt: db.prepare<[number], number>("SELECT created_at_ms FROM messages WHERE seq = ?").pluck(),
    // The ones tried last wait longest: their reasons are the newest.
    reasons: db.prepare<[string, string, number], ReasonRow>(
      `SELECT reason, category, smtp FROM recipients INDEXED BY recipients_waiting
         WHERE state = 'pending' AND account_id = ? AND domain = ? ORDER BY next_attempt_at_ms DESC LIMIT ?`,
    ),
    pauses: db.prepare<[], { domain: string; at_ms: number }>("SELECT domain, at_ms FROM paused_domains"),
  };
}

/** Recipient domains, of all accounts asked for together. */
class Domains {
  #pausedAtMs: Map<string, number>;
  #found = new Map<string, WaitingDomain>();
  #accounts = new Map<string, string[]>();

  constructor(pauses: { domain: string; at_ms: number }[]) {
    this.#pausedAtMs = new Map(pauses.map(({ domain, at_ms }) => [domain, at_ms]));
  }

  #of(domain: string): WaitingDomain {
    const known = this.#found.get(domain);
    if (known !== undefined) return known;
    const pausedAtMs = this.#pausedAtMs.get(domain) ?? null;
    const nothing = { waiting: 0, due: 0, nextAttemptAtMs: null, reason: null, category: null, smtp: null };
    const fresh = { domain, ...nothing, pausedAtMs };
    this.#found.set(domain, fresh);
    return fresh;
  }

  add(lane: LaneRow, accountId: string): void {
    const domain = this.#of(lane.domain);
    domain.waiting += lane.waiting;
    domain.due += lane.due;
    domain.nextAttemptAtMs = Math.min(domain.nextAttemptAtMs ?? Number.POSITIVE_INFINITY, lane.nextMs);
    const accounts = this.#accounts.get(lane.domain);
    if (accounts === undefined) this.#accounts.set(lane.domain, [accountId]);
    else accounts.push(accountId);
  }

  /** In an attempt, so due. */
  addMarked(domain: string, count: number): void {
    this.#of(domain).waiting += count;
    this.#of(domain).due += count;
  }

  addPaused(): void {
    for (const domain of this.#pausedAtMs.keys()) this.#of(domain);
  }

  accountsOf(domain: string): string[] {
    return this.#accounts.get(domain) ?? [];
  }

  fullestFirst(): WaitingDomain[] {
    return [...this.#found.values()].sort((a, b) => b.waiting - a.waiting || a.domain.localeCompare(b.domain));
  }
}

/** The commonest reason and category, with the newest words that came with them. */
function commonest(rows: ReasonRow[]): Pick<WaitingDomain, "reason" | "category" | "smtp"> {
  const nameOf = ({ reason, category }: ReasonRow): string => `${reason} ${category}`;
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  const [name] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  // The rows come with the newest first.
  const row = rows.find((candidate) => nameOf(candidate) === name);
  if (row === undefined) return { reason: null, category: null, smtp: null };
  return { reason: row.reason, category: row.category, smtp: storedReply(row.smtp, LISTED_LENGTH_MAX) };
}
