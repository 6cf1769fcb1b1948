/** Reports the queue by recipient domain, without test messages. */
import type { Category } from "../../../message/result/category.ts";
import type { OperationSet } from "../../engine/operations.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { ACCOUNTS_LISTED, type WaitingDomain, type WaitingFilter, type WaitingMail } from "../../port/reports.ts";
import { isInQueueSql } from "../../records/quarantined.ts";
import { reasonsReadOf } from "../../records/report-limits.ts";
import { LISTED_LENGTH_MAX, storedReply } from "../../records/stored-reply.ts";
import { isLiveSql } from "../../records/test-routes.ts";

interface DomainRow {
  domain: string;
  waiting: number;
  due: number;
  /** Null if all are at their final dot. */
  nextMs: number | null;
  /** The accounts whose recipients wait, separated by spaces; one may be named twice. */
  accounts: string;
  /** The first message that waits for the domain; null if all are scheduled for later. */
  firstSeq: number | null;
  /** Of all domains. */
  allWaiting: number;
  oldestSeq: number | null;
}

interface ReasonRow {
  /** Of the newest event; null before the first one. */
  number: number | null;
  reason: string | null;
  category: Category | null;
  smtp: string | null;
}

type DomainReason = Pick<WaitingDomain, "reason" | "category" | "smtp">;

const COUNTED = `${isLiveSql("domain")} AND ${isInQueueSql("seq")}`;

interface QueueSql {
  /** The conditions of the indexes of what waits and of what is in an attempt. */
  isFree: string;
  isTaken: string;
  /** Joins what waits with the messages that are scheduled for later, of which `later` is the number. */
  joined: string;
  isLater: string;
}

const LATER = "SELECT seq AS later FROM messages WHERE send_at_ms > $1";

const domainsText = (account: string, { isFree, isTaken, joined, isLater }: QueueSql): string =>
  `SELECT domain, CAST(sum(waiting) AS bigint) AS waiting, CAST(sum(due) AS bigint) AS due, min(next_ms) AS "nextMs",
          string_agg(account_id, ' ') AS accounts, min(first_seq) AS "firstSeq",
          CAST(sum(sum(waiting)) OVER () AS bigint) AS "allWaiting", min(min(first_seq)) OVER () AS "oldestSeq"
     FROM (
       SELECT account_id, domain, count(*) AS waiting, sum(CASE WHEN due_ms <= $1 THEN 1 ELSE 0 END) AS due, min(due_ms) AS next_ms,
              min(CASE WHEN ${isLater} THEN NULL ELSE seq END) AS first_seq
         FROM work ${joined} WHERE ${isFree} AND ${account} AND ${COUNTED} GROUP BY account_id, domain
       UNION ALL
       SELECT account_id, domain, count(*), count(*), min(CASE WHEN mark IS NULL THEN due_ms END), min(seq)
         FROM work WHERE ${isTaken} AND ${account} AND ${COUNTED} GROUP BY account_id, domain
     ) AS by_account
     GROUP BY domain ORDER BY 2 DESC, domain LIMIT $2`;

// SQLite reads the scheduled messages once, for a list of their numbers; PostgreSQL would search a long list for each row.
const ON_SQLITE: QueueSql = {
  isFree: "mark IS NULL",
  isTaken: "mark IS NOT NULL",
  joined: "",
  isLater: `seq IN (${LATER})`,
};
// The indexes of PostgreSQL are by the lease, which SQLite does not store.
const ON_POSTGRES: QueueSql = {
  isFree: "owner IS NULL",
  isTaken: "owner IS NOT NULL",
  joined: `LEFT JOIN (${LATER}) AS scheduled ON later = seq`,
  isLater: "later IS NOT NULL",
};
const domainsOf = (account: string) =>
  statement<DomainRow>(domainsText(account, ON_SQLITE), { postgres: domainsText(account, ON_POSTGRES) });
const findDomains = domainsOf("true");
const findDomainsOfAccount = domainsOf("account_id = $3");

// Those attempted last are due last: their reasons are the newest.
const findReasons = statement<ReasonRow>(
  `SELECT e.number, e.reason, e.category, e.smtp
     FROM (SELECT seq, position, due_ms FROM work
             WHERE account_id = $1 AND domain = $2 AND mark IS NULL AND ${isInQueueSql("seq")} ORDER BY due_ms DESC LIMIT $3) AS w
     LEFT JOIN events AS e ON e.seq = w.seq AND e.number = (
       SELECT max(n.number) FROM events AS n WHERE n.seq = w.seq AND n.position = w.position)
     ORDER BY e.number DESC`,
  { ifDamaged: "the reasons of waiting mail" },
);

// SQLite has results in the table whose events could not be written.
const unknownText = `SELECT count(*) AS count FROM unknown_recipients
     WHERE (CAST($1 AS text) IS NULL OR account_id = $1) AND ${COUNTED}`;
const countUnknown = statement<{ count: number }>(`${unknownText} AND result IS NULL`, { postgres: unknownText });

// A scheduled message waits since it is due.
const findBegin = statement<{ atMs: number }>(
  `SELECT coalesce(send_at_ms, created_at_ms) AS "atMs" FROM messages WHERE seq = $1`,
  { ifDamaged: "waiting messages" },
);

const findPauses = statement<{ domain: string; atMs: number }>(
  `SELECT domain, at_ms AS "atMs" FROM paused_domains ORDER BY domain`,
);

/** As Reports.waiting. */
async function waiting(session: Session, { accountId, nowMs, limit }: WaitingFilter): Promise<WaitingMail> {
  // The totals are in each row.
  const values = [nowMs, Math.max(1, limit)];
  const { rows } =
    accountId === null
      ? await session.run(findDomains, values)
      : await session.run(findDomainsOfAccount, [...values, accountId]);
  const pauses = new Map((await session.run(findPauses)).rows.map(({ domain, atMs }) => [domain, atMs]));
  const shown = rows.slice(0, limit);
  const read = reasonsReadOf(shown.length);
  const domains: WaitingDomain[] = [];
  for (const { domain, waiting: count, due, nextMs, accounts, firstSeq } of shown) {
    const accountIds = [...new Set(accounts.split(" "))].sort().slice(0, ACCOUNTS_LISTED);
    const reason = await mostCommonReason(session, { domain, accountIds, read });
    const known = { oldestAtMs: await waitsSince(session, firstSeq), pausedAtMs: pauses.get(domain) ?? null };
    domains.push({ domain, waiting: count, due, nextAttemptAtMs: nextMs, accountIds, ...reason, ...known });
  }
  // A paused domain is shown even if nothing is pending for it, because only an operator resumes it. Not to a single account: that
  // would disclose other accounts' messages.
  if (accountId === null) domains.push(...emptyPauses(pauses, domains).slice(0, limit - domains.length));
  const unknown = await first(session, countUnknown, [accountId]);
  const [total] = rows;
  return {
    domains,
    waiting: total?.allWaiting ?? 0,
    unknown: unknown?.count ?? 0,
    oldestAtMs: await waitsSince(session, total?.oldestSeq ?? null),
  };
}

/** Returns the most common reason and category, with the newest reply that came with them. */
async function mostCommonReason(
  session: Session,
  { domain, accountIds, read }: { domain: string; accountIds: readonly string[]; read: number },
): Promise<DomainReason> {
  const rows: ReasonRow[] = [];
  for (const id of accountIds) rows.push(...(await session.run(findReasons, [id, domain, read])).rows);
  const groups = new Map<string, ReasonRow[]>();
  for (const row of rows.sort((a, b) => (b.number ?? 0) - (a.number ?? 0))) {
    const name = `${row.reason} ${row.category}`;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  // Of equally large groups, the sort keeps the one with the newest reply first.
  const [largest = []] = [...groups.values()].sort((a, b) => b.length - a.length);
  const { reason = null, category = null, smtp = null } = largest[0] ?? {};
  return { reason, category, smtp: storedReply(smtp, LISTED_LENGTH_MAX) };
}

const waitsSince = async (session: Session, seq: number | null): Promise<number | null> =>
  seq === null ? null : ((await first(session, findBegin, [seq]))?.atMs ?? null);

/** The paused domains without pending recipients; none unless all domains with pending ones are shown. */
function emptyPauses(pauses: ReadonlyMap<string, number>, shown: readonly WaitingDomain[]): WaitingDomain[] {
  const names = new Set(shown.map(({ domain }) => domain));
  const none = { waiting: 0, due: 0, nextAttemptAtMs: null, reason: null, category: null, smtp: null };
  return [...pauses]
    .filter(([domain]) => !names.has(domain))
    .map(([domain, pausedAtMs]) => ({ domain, ...none, pausedAtMs, oldestAtMs: null, accountIds: [] }));
}

export const waitingReportOperations = { reads: {}, writes: {}, reports: { waiting } } as const satisfies OperationSet;
