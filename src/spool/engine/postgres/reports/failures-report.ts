/**
 * Reports failed recipients by reason and by recipient domain, without test messages. One step reads some failed results of one
 * account in one window of time, from the newest message on, and leaves out those that are not the newest result any more.
 */
import type { Failures, FailuresFilter } from "../../../port/reports.ts";
import { FAILURES_AT_ONCE, FailureCounts, type FailureRow, failuresReadOf } from "../../../records/failure-counts.ts";
import { isLiveSql } from "../../../records/test-routes.ts";
import { GIVES_RESULT } from "../../../schema/newest-event.ts";
import { statement, unprepared } from "../connection/statement.ts";
import { numberAfter } from "../mail/message-number.ts";
import { daysOf } from "./message-search.ts";
import type { ReportRead } from "./report-queue.ts";
import { type SearchRange, searchWindows } from "./search-windows.ts";

const findAccounts = statement<{ id: string }>("SELECT id FROM accounts ORDER BY id");

/** The page's extent is in each row; a page without a counted recipient has one row with null. */
interface PageRow extends Omit<FailureRow, "domain"> {
  domain: string | null;
  read: number;
  lastSeq: number | null;
  lastPosition: number | null;
}

const WITHIN = "seq >= $2 AND seq < $3";

// Not prepared, so that it is planned only for its window. OFFSET 0 keeps each probe a probe of one partition.
const countPage = unprepared<PageRow>(
  `WITH page AS MATERIALIZED (
     SELECT DISTINCT seq, position FROM events
       WHERE account_id = $1 AND result = 'failed' AND ${WITHIN} AND (seq, position) < ($4, $5)
       ORDER BY seq DESC, position DESC LIMIT ${FAILURES_AT_ONCE}
   ), counted AS (
     SELECT r.domain, n.reason, n.category, count(*) AS recipients
       FROM (SELECT seq, array_agg(position) AS positions FROM page GROUP BY seq) AS m,
            LATERAL (
              SELECT DISTINCT ON (position) position, result, reason, category, at_ms FROM events
                WHERE seq = m.seq AND ${WITHIN} AND position = ANY (m.positions) AND ${GIVES_RESULT}
                ORDER BY position, number DESC OFFSET 0
            ) AS n,
            LATERAL (
              SELECT domain FROM recipients WHERE seq = m.seq AND ${WITHIN} AND position = n.position OFFSET 0
            ) AS r
       WHERE n.result = 'failed' AND n.at_ms >= $6 AND n.at_ms < $7 AND ${isLiveSql("r.domain")}
       GROUP BY 1, 2, 3
   )
   SELECT c.domain, c.reason, c.category, coalesce(c.recipients, 0)::bigint AS recipients, e.read, e."lastSeq", e."lastPosition"
     FROM (
       SELECT count(*) AS read, (SELECT seq FROM page ORDER BY seq, position LIMIT 1) AS "lastSeq",
              (SELECT position FROM page ORDER BY seq, position LIMIT 1) AS "lastPosition" FROM page
     ) AS e LEFT JOIN counted AS c ON true`,
);

/** As Reports.failures. */
export async function reportFailures(read: ReportRead, filter: FailuresFilter, nowMs: number): Promise<Failures> {
  const counts = new FailureCounts();
  const { ids, windows } = await read(async (session) => {
    const accounts = filter.accountId === null ? (await session.run(findAccounts)).rows : [{ id: filter.accountId }];
    const days = await daysOf(session, nowMs);
    const range = { fromSeq: Number.MIN_SAFE_INTEGER, beforeSeq: numberAfter(filter.untilMs) };
    return { ids: accounts.map(({ id }) => id), windows: searchWindows({ ...days, ...range }) };
  });
  for (const accountId of ids) {
    let left = failuresReadOf(ids.length);
    for (const window of windows) {
      if (left > 0) left -= await addWindow(read, counts, { filter: { ...filter, accountId }, window, left });
    }
    if (left <= 0) counts.isPartial = true;
  }
  return counts.failures(filter.limit);
}

interface WindowOfAccount {
  filter: FailuresFilter;
  window: SearchRange;
  /** Recipients that may still be read. */
  left: number;
}

/** Returns how many recipients it has read. */
async function addWindow(
  read: ReportRead,
  counts: FailureCounts,
  { filter: { accountId, sinceMs, untilMs }, window: { fromSeq, beforeSeq }, left }: WindowOfAccount,
): Promise<number> {
  let total = 0;
  let before: [seq: number, position: number] = [beforeSeq, 0];
  for (;;) {
    const values = [accountId, fromSeq, beforeSeq, ...before, sinceMs, untilMs];
    const rows = await read(async (session) => (await session.run(countPage, values)).rows);
    for (const { domain, reason, category, recipients } of rows) {
      if (domain !== null) counts.add({ domain, reason, category, recipients });
    }
    const [page] = rows;
    total += page?.read ?? 0;
    if (page === undefined || page.lastSeq === null || page.read < FAILURES_AT_ONCE || total >= left) return total;
    before = [page.lastSeq, page.lastPosition ?? 0];
  }
}
