/** Reports of receivers about the domains of an account. */
import {
  type DmarcTotals,
  REPORTS_PER_DAY_MAX,
  type ReportEffect,
  type ReportedSource,
  type ReportedTlsFailure,
  type SenderReports,
  type SourcesReport,
  type TlsTotals,
  WEEK_ROWS_MAX,
} from "../port/sender-reports.ts";
import { dayBefore, dmarcSums, joinedWeeks, type ReportRow, reportRow } from "../records/sender-report-rows.ts";
import type { Database } from "./database.ts";
import type { ReportQueue } from "./report-queue.ts";
import { type Session, statement } from "./statement.ts";

/** Reports of each kind that are deleted in one step of retention. */
const DELETED_MAX = 20;

const COLUMNS = "id, account_id, domain, week_ms, org, report_id, begin_ms, end_ms, received_at_ms";

const storeDmarc = statement(
  `INSERT INTO dmarc_reports (${COLUMNS}, policy, messages, failed, failed_ours)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
);
const storeSources = statement(
  `INSERT INTO dmarc_report_sources (report, position, ip, ours, messages, disposition, dkim, spf, header_from)
     SELECT $1, position, ip, ours, messages, disposition, dkim, spf, header_from
       FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::boolean[], $7::boolean[], $8::text[])
         WITH ORDINALITY AS s (ip, ours, messages, disposition, dkim, spf, header_from, position)`,
);
const storeTls = statement(
  `INSERT INTO tls_reports (${COLUMNS}, succeeded, failed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT DO NOTHING`,
);
const storeFailures = statement(
  `INSERT INTO tls_report_failures (report, position, policy_type, result_type, mx, sessions)
     SELECT $1, position, policy_type, result_type, mx, sessions
       FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
         WITH ORDINALITY AS f (policy_type, result_type, mx, sessions, position)`,
);

const countingLastDay = (table: string) =>
  statement<{ count: number }>(
    `SELECT count(*) FROM ${table} WHERE account_id = $1 AND domain = $2 AND received_at_ms > $3`,
  );
const ofLastDay = { dmarc_report: countingLastDay("dmarc_reports"), tls_report: countingLastDay("tls_reports") };

const deletingOld = (table: string) =>
  statement(
    `DELETE FROM ${table} WHERE id IN
       (SELECT id FROM ${table} WHERE received_at_ms < $1 LIMIT ${DELETED_MAX} FOR UPDATE SKIP LOCKED)`,
  );
const deleteOld = [deletingOld("dmarc_reports"), deletingOld("tls_reports")];

const OF_DOMAIN = "WHERE account_id = $1 AND domain = $2";
const OF_WEEK = `${OF_DOMAIN} AND week_ms = $3`;
const sum = (value: string, name: string): string => `coalesce(sum(${value}), 0)::bigint AS "${name}"`;
const DMARC_SUMS = ["count(*) AS reports", sum("messages", "messages"), sum("failed", "failed")]
  .concat(sum("failed_ours", "failedOurs"))
  .join(", ");
const TLS_SUMS = ["count(*) AS reports", sum("succeeded", "succeeded"), sum("failed", "failed")].join(", ");

const findingWeeks = <T>(table: string, sums: string) =>
  statement<T & { weekMs: number }>(
    `SELECT week_ms AS "weekMs", ${sums} FROM ${table} ${OF_DOMAIN} GROUP BY week_ms ORDER BY week_ms DESC`,
  );
const findDmarcWeeks = findingWeeks<DmarcTotals>("dmarc_reports", DMARC_SUMS);
const findTlsWeeks = findingWeeks<TlsTotals>("tls_reports", TLS_SUMS);

const findReceivers = statement<DmarcTotals & { org: string }>(
  `SELECT org, ${DMARC_SUMS} FROM dmarc_reports ${OF_WEEK}
     GROUP BY org ORDER BY 4 DESC, 3 DESC, org LIMIT ${WEEK_ROWS_MAX}`,
);
const sumOf = (condition: string, name: string): string =>
  `coalesce(sum(s.messages) FILTER (WHERE ${condition}), 0)::bigint AS "${name}"`;
const findSources = statement<ReportedSource>(
  `SELECT org, ip, ours, sum(s.messages)::bigint AS messages, ${sumOf("NOT dkim AND NOT spf", "failed")},
          ${sumOf("dkim", "dkimPassed")}, ${sumOf("spf", "spfPassed")},
          ${sumOf("disposition = 'quarantine'", "quarantined")}, ${sumOf("disposition = 'reject'", "rejected")},
          CASE WHEN min(header_from) = max(header_from) THEN min(header_from) ELSE '' END AS "headerFrom"
     FROM dmarc_reports r JOIN dmarc_report_sources s ON s.report = r.id ${OF_WEEK}
     GROUP BY org, ip, ours ORDER BY 5 DESC, 4 DESC, org, ip, ours LIMIT ${WEEK_ROWS_MAX}`,
);
const findTlsSenders = statement<TlsTotals & { org: string }>(
  `SELECT org, ${TLS_SUMS} FROM tls_reports ${OF_WEEK}
     GROUP BY org ORDER BY 4 DESC, 3 DESC, org LIMIT ${WEEK_ROWS_MAX}`,
);
const findTlsFailures = statement<ReportedTlsFailure>(
  `SELECT org, policy_type AS "policyType", result_type AS "resultType", mx, ${sum("sessions", "sessions")}
     FROM tls_reports r JOIN tls_report_failures f ON f.report = r.id ${OF_WEEK}
     GROUP BY org, policy_type, result_type, mx ORDER BY 5 DESC, org, policy_type, result_type, mx LIMIT ${WEEK_ROWS_MAX}`,
);

export function senderReportOperations(database: Database, reports: ReportQueue): SenderReports {
  return {
    storeSenderReport: (effect, atMs) => database.transaction((session) => storeSenderReport(session, effect, atMs)),
    reportedWeeks: (accountId, domain) =>
      reports.runStep(accountId, async (session) => {
        const [dmarc, tls] = [
          await session.run(findDmarcWeeks, [accountId, domain]),
          await session.run(findTlsWeeks, [accountId, domain]),
        ];
        return joinedWeeks(dmarc.rows, tls.rows);
      }),
    weekReports: (accountId, domain, weekMs) =>
      reports.runStep(accountId, async (session) => {
        const week = [accountId, domain, weekMs];
        return {
          receivers: (await session.run(findReceivers, week)).rows,
          sources: (await session.run(findSources, week)).rows,
          tlsSenders: (await session.run(findTlsSenders, week)).rows,
          tlsFailures: (await session.run(findTlsFailures, week)).rows,
        };
      }),
  };
}

/** Stores a report in a transaction of the caller's; see SenderReports. */
export async function storeSenderReport(session: Session, effect: ReportEffect, atMs: number): Promise<boolean> {
  const row = reportRow(effect, atMs);
  const counted = await session.run(ofLastDay[effect.type], [row.accountId, row.domain, dayBefore(atMs)]);
  if ((counted.rows[0]?.count ?? 0) >= REPORTS_PER_DAY_MAX) return false;
  if (effect.type === "dmarc_report") return addDmarc(session, row, effect.report);
  const { succeeded, failed, failures } = effect.report;
  if ((await session.run(storeTls, [...valuesOf(row), succeeded, failed])).count === 0) return false;
  const column = <K extends keyof (typeof failures)[number]>(name: K) => failures.map((failure) => failure[name]);
  await session.run(storeFailures, [
    row.id,
    ...(["policyType", "resultType", "mx", "sessions"] as const).map((name) => column(name)),
  ]);
  return true;
}

const SOURCE_COLUMNS = ["ip", "ours", "messages", "disposition", "dkim", "spf", "headerFrom"] as const;

async function addDmarc(session: Session, row: ReportRow, report: SourcesReport): Promise<boolean> {
  const { messages, failed, failedOurs } = dmarcSums(report);
  const stored = await session.run(storeDmarc, [...valuesOf(row), report.policy, messages, failed, failedOurs]);
  if (stored.count === 0) return false;
  await session.run(storeSources, [row.id, ...SOURCE_COLUMNS.map((name) => report.rows.map((each) => each[name]))]);
  return true;
}

const valuesOf = (row: ReportRow): unknown[] => [
  ...[row.id, row.accountId, row.domain, row.weekMs, row.org, row.reportId],
  ...[row.beginMs, row.endMs, row.receivedAtMs],
];

/** Deletes some of the reports received before this moment. Returns whether there may be more. */
export async function deleteOldReports(database: Database, beforeMs: number): Promise<boolean> {
  let isMore = false;
  for (const deleting of deleteOld) {
    if ((await database.run(deleting, [beforeMs])).count === DELETED_MAX) isMore = true;
  }
  return isMore;
}
