/** Reports the queue by recipient domain, without test messages, in one snapshot. */
import type { Category } from "../../../../message/result/category.ts";
import { ACCOUNTS_LISTED, type WaitingDomain, type WaitingFilter, type WaitingMail } from "../../../port/reports.ts";
import { isInQueueSql } from "../../../records/quarantined.ts";
import { reasonsReadOf } from "../../../records/report-limits.ts";
import { LISTED_LENGTH_MAX, storedReply } from "../../../records/stored-reply.ts";
import { isLiveSql } from "../../../records/test-routes.ts";
import { type Session, statement } from "../connection/statement.ts";

interface DomainRow {
  domain: string;
  waiting: number;
  due: number;
  nextMs: number | null;
  /** Some of the accounts whose recipients wait. */
  accounts: string[];
  /** The first message that waits for the domain; null if none does. */
  oldestSeq: number | null;
  /** Of all domains. */
  allWaiting: number;
  firstSeq: number;
}

interface ReasonRow {
  domain: string;
  reason: string | null;
  category: Category | null;
  smtp: string | null;
}

// Those in an attempt by their index, the others by theirs or by a scan of the table, which costs less where most of it is read.
const COUNTED = `($1::text IS NULL OR account_id = $1) AND ${isLiveSql("domain")} AND ${isInQueueSql("seq")}`;

const domainsOf = (accounts: string) =>
  statement<DomainRow>(
    `SELECT domain, sum(waiting)::bigint AS waiting, sum(due)::bigint AS due, min(next_ms) AS "nextMs",
            (array_agg(DISTINCT account_id ORDER BY account_id))[1:${ACCOUNTS_LISTED}] AS accounts,
            min(first_seq) AS "oldestSeq", (sum(sum(waiting)) OVER ())::bigint AS "allWaiting",
            min(min(first_seq)) OVER () AS "firstSeq"
       FROM (
         SELECT account_id, domain, count(*) AS waiting, count(*) FILTER (WHERE due_ms <= $2) AS due, min(due_ms) AS next_ms,
                min(seq) AS first_seq
           FROM work WHERE owner IS NULL AND ${accounts} AND ${COUNTED} GROUP BY account_id, domain
         UNION ALL
         SELECT account_id, domain, count(*), count(*), min(due_ms) FILTER (WHERE mark IS NULL), min(seq)
           FROM work WHERE owner IS NOT NULL AND ${COUNTED} GROUP BY account_id, domain
       ) AS by_account
       GROUP BY domain ORDER BY 2 DESC, domain LIMIT $3`,
  );
const findDomains = domainsOf("$1::text IS NULL");
const findDomainsOfAccount = domainsOf("account_id = $1::text");

// Those attempted last are due last: their reasons are the newest.
const findReasons = statement<ReasonRow>(
  `SELECT c.domain, c.reason, c.category, e.smtp
     FROM (
       SELECT DISTINCT ON (k.domain) k.domain, n.reason, n.category, max(n.number) AS number,
              (array_agg(n.seq ORDER BY n.number DESC))[1] AS seq
         FROM unnest($1::text[], $2::text[]) AS k (account_id, domain),
              LATERAL (
                SELECT seq, position FROM work WHERE account_id = k.account_id AND domain = k.domain AND owner IS NULL
                    AND ${isInQueueSql("seq")}
                  ORDER BY due_ms DESC LIMIT $3
              ) AS w
              LEFT JOIN LATERAL (
                SELECT seq, number, reason, category FROM events WHERE seq = w.seq AND position = w.position
                  ORDER BY number DESC LIMIT 1
              ) AS n ON true
         GROUP BY k.domain, n.reason, n.category ORDER BY k.domain, count(*) DESC, number DESC
     ) AS c
     LEFT JOIN LATERAL (SELECT smtp FROM events WHERE seq = c.seq AND number = c.number OFFSET 0) AS e ON true`,
);

const countUnknown = statement<{ count: number }>(
  `SELECT count(*) FROM unknown_recipients
     WHERE ($1::text IS NULL OR account_id = $1) AND ${isLiveSql("domain")} AND ${isInQueueSql("seq")}`,
);
// A subquery for each row is a probe of one partition; the planner prefers to read all partitions for a join.
const findAcceptedAt = statement<{ seq: number; atMs: number }>(
  `SELECT k.seq, m.created_at_ms AS "atMs" FROM unnest($1::bigint[]) AS k (seq),
     LATERAL (SELECT created_at_ms FROM messages WHERE seq = k.seq LIMIT 1) AS m`,
);
const findPauses = statement<{ domain: string; atMs: number }>(
  `SELECT domain, at_ms AS "atMs" FROM paused_domains ORDER BY domain`,
);

export async function reportWaiting(
  session: Session,
  { accountId, nowMs, limit }: WaitingFilter,
): Promise<WaitingMail> {
  // The totals are in each row.
  const { rows } = await session.run(accountId === null ? findDomains : findDomainsOfAccount, [
    accountId,
    nowMs,
    Math.max(1, limit),
  ]);
  const shown = rows.slice(0, limit);
  const [first] = rows;
  const reasons = await reasonsOf(session, shown);
  const pauses = new Map((await session.run(findPauses)).rows.map(({ domain, atMs }) => [domain, atMs]));
  const acceptedAt = await acceptanceOf(session, first === undefined ? [] : [first, ...shown]);
  const domains = shown.map((row) => {
    const known = { reason: reasons.get(row.domain), pausedAtMs: pauses.get(row.domain) ?? null };
    return domainOf(row, { ...known, oldestAtMs: acceptedAt(row.oldestSeq) });
  });
  // A paused domain is shown even if nothing is pending for it, because only an operator resumes it. Not to a single account:
  // that would disclose other accounts' messages.
  if (accountId === null) domains.push(...emptyPauses(pauses, shown).slice(0, limit - shown.length));
  const [unknown] = (await session.run(countUnknown, [accountId])).rows;
  const oldestAtMs = acceptedAt(first?.firstSeq ?? null);
  return { domains, waiting: first?.allWaiting ?? 0, unknown: unknown?.count ?? 0, oldestAtMs };
}

/** Returns when a message was accepted, by its number: the oldest of all, or the oldest of a domain. */
async function acceptanceOf(
  session: Session,
  rows: readonly DomainRow[],
): Promise<(seq: number | null) => number | null> {
  if (rows.length === 0) return () => null;
  const seqs = new Set(rows.flatMap(({ firstSeq, oldestSeq }) => [firstSeq, oldestSeq ?? firstSeq]));
  const found = (await session.run(findAcceptedAt, [[...seqs]])).rows;
  const atMs = new Map(found.map((row) => [row.seq, row.atMs]));
  return (seq) => (seq === null ? null : (atMs.get(seq) ?? null));
}

async function reasonsOf(session: Session, domains: readonly DomainRow[]): Promise<Map<string, ReasonRow>> {
  const keys = domains.flatMap(({ domain, accounts }) => accounts.map((accountId) => ({ accountId, domain })));
  if (keys.length === 0) return new Map();
  const values = [keys.map(({ accountId }) => accountId), keys.map(({ domain }) => domain), reasonsReadOf(keys.length)];
  return new Map((await session.run(findReasons, values)).rows.map((row) => [row.domain, row]));
}

function domainOf(
  { domain, waiting, due, nextMs, accounts }: Pick<DomainRow, "domain" | "waiting" | "due" | "nextMs" | "accounts">,
  { reason, ...known }: { reason?: ReasonRow | undefined } & Pick<WaitingDomain, "pausedAtMs" | "oldestAtMs">,
): WaitingDomain {
  return {
    domain,
    waiting,
    due,
    nextAttemptAtMs: nextMs,
    reason: reason?.reason ?? null,
    category: reason?.category ?? null,
    smtp: storedReply(reason?.smtp ?? null, LISTED_LENGTH_MAX),
    accountIds: accounts,
    ...known,
  };
}

/** The paused domains without pending recipients; none unless all domains with pending ones are shown. */
function emptyPauses(pauses: ReadonlyMap<string, number>, shown: readonly DomainRow[]): WaitingDomain[] {
  const names = new Set(shown.map(({ domain }) => domain));
  const none = { waiting: 0, due: 0, nextMs: null, accounts: [] };
  return [...pauses]
    .filter(([domain]) => !names.has(domain))
    .map(([domain, atMs]) => domainOf({ domain, ...none }, { pausedAtMs: atMs, oldestAtMs: null }));
}
