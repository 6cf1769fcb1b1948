/** Reports of receivers about the domains of an account: adds and deletes them, and sums them up by week. */
import { DAY_MS } from "../../../lib/units.ts";
import { first, type Session } from "../../engine/session.ts";
import { type Statement, statement } from "../../engine/statement.ts";
import {
  type DmarcPeriod,
  type DmarcSource,
  type DmarcTotals,
  PERIOD_SOURCES_MAX,
  type ReportEffect,
  type ReportedSource,
  type ReportedTlsFailure,
  type ReportedWeek,
  type StoredReport,
  type TlsTotals,
  WEEK_ROWS_MAX,
  type WeekReports,
} from "../../port/sender-reports.ts";
import { dmarcSums, joinedWeeks, type ReportRow, reportRow } from "../../records/sender-report-rows.ts";
import { jsonRows } from "../rows/json-rows.ts";

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: "the reports of receivers" });

/** Reports of each kind that are deleted in one step of retention. */
const DELETED_MAX = 20;

const COLUMNS = "id, account_id, domain, week_ms, org, report_id, begin_ms, end_ms, received_at_ms";

const addDmarc = damageable(
  `INSERT INTO dmarc_reports (${COLUMNS}, policy, messages, failed, failed_ours)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`,
);
const addSources = damageable(
  `INSERT INTO dmarc_report_sources (report, position, ip, ours, messages, disposition, dkim, spf, header_from)
     SELECT $1, CAST(key AS integer), value ->> 'ip', value ->> 'ours', CAST(value ->> 'messages' AS bigint),
            value ->> 'disposition', CAST(value ->> 'dkim' AS boolean), CAST(value ->> 'spf' AS boolean),
            value ->> 'headerFrom' FROM json_each($2)`,
);
const addTls = damageable(
  `INSERT INTO tls_reports (${COLUMNS}, succeeded, failed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT DO NOTHING`,
);
const addFailures = damageable(
  `INSERT INTO tls_report_failures (report, position, policy_type, result_type, mx, sessions)
     SELECT $1, CAST(key AS integer), value ->> 'policyType', value ->> 'resultType', value ->> 'mx',
            CAST(value ->> 'sessions' AS bigint) FROM json_each($2)`,
);

const findingNew = (table: string) => damageable(`SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE id = $1)`);
const findNew = { dmarc_report: findingNew("dmarc_reports"), tls_report: findingNew("tls_reports") };

// The sources and failures of a report are deleted with it.
const deleteOld = ["dmarc_reports", "tls_reports"].map((table) =>
  damageable(
    `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE received_at_ms < $1 LIMIT ${DELETED_MAX})`,
  ),
);

const sum = (value: string, name: string, condition = "TRUE"): string =>
  `CAST(coalesce(sum(${value}) FILTER (WHERE ${condition}), 0) AS bigint) AS "${name}"`;
const DMARC_SUMS = `count(*) AS reports, ${sum("messages", "messages")}, ${sum("failed", "failed")},
  ${sum("failed_ours", "failedOurs")}`;
const TLS_SUMS = `count(*) AS reports, ${sum("succeeded", "succeeded")}, ${sum("failed", "failed")}`;
const OF_DOMAIN = "WHERE account_id = $1 AND domain = $2";
const OF_WEEK = `${OF_DOMAIN} AND week_ms = $3`;

const findingWeeks = <Totals>(table: string, sums: string) =>
  damageable<Totals & { weekMs: number }>(
    `SELECT week_ms AS "weekMs", ${sums} FROM ${table} ${OF_DOMAIN} GROUP BY week_ms ORDER BY week_ms DESC`,
  );
const findDmarcWeeks = findingWeeks<DmarcTotals>("dmarc_reports", DMARC_SUMS);
const findTlsWeeks = findingWeeks<TlsTotals>("tls_reports", TLS_SUMS);

const findingSenders = <Totals>(table: string, sums: string) =>
  damageable<Totals & { org: string }>(
    `SELECT org, ${sums} FROM ${table} ${OF_WEEK} GROUP BY org ORDER BY 4 DESC, 3 DESC, org LIMIT ${WEEK_ROWS_MAX}`,
  );
const findReceivers = findingSenders<DmarcTotals>("dmarc_reports", DMARC_SUMS);
const findTlsSenders = findingSenders<TlsTotals>("tls_reports", TLS_SUMS);

const sumOf = (condition: string, name: string): string => sum("s.messages", name, condition);
const SOURCE_SUMS = `${sumOf("TRUE", "messages")}, ${sumOf("NOT dkim AND NOT spf", "failed")},
          ${sumOf("dkim", "dkimPassed")}, ${sumOf("spf", "spfPassed")}`;
const findSources = damageable<ReportedSource>(
  `SELECT org, ip, ours, ${SOURCE_SUMS},
          ${sumOf("disposition = 'quarantine'", "quarantined")}, ${sumOf("disposition = 'reject'", "rejected")},
          CASE WHEN min(header_from) = max(header_from) THEN min(header_from) ELSE '' END AS "headerFrom"
     FROM dmarc_reports r JOIN dmarc_report_sources s ON s.report = r.id ${OF_WEEK}
     GROUP BY org, ip, ours ORDER BY 5 DESC, 4 DESC, org, ip, ours LIMIT ${WEEK_ROWS_MAX}`,
);
const OF_PERIOD = `${OF_DOMAIN} AND week_ms >= $3 AND week_ms < $4`;
const DAYS = `count(DISTINCT begin_ms / ${DAY_MS}) FILTER (WHERE end_ms - begin_ms <= ${2 * DAY_MS})`;
const findPeriod = damageable<Pick<DmarcPeriod, "reports" | "messages" | "failed" | "failedOwn" | "sinceMs" | "days">>(
  `SELECT count(*) AS reports, ${sum("messages", "messages")}, ${sum("failed", "failed")}, ${sum("failed_ours", "failedOwn")},
          min(begin_ms) AS "sinceMs", ${DAYS} AS days FROM dmarc_reports ${OF_PERIOD}`,
);
const findOwn = damageable<Pick<DmarcPeriod, "own" | "passedOwnMost">>(
  `SELECT CAST(coalesce(sum(own), 0) AS bigint) AS own, CAST(coalesce(max(own - failed_own), 0) AS bigint) AS "passedOwnMost"
     FROM (SELECT sum(s.messages) AS own, coalesce(sum(s.messages) FILTER (WHERE NOT dkim AND NOT spf), 0) AS failed_own
             FROM dmarc_reports r JOIN dmarc_report_sources s ON s.report = r.id ${OF_PERIOD} AND ours <> 'no'
             GROUP BY r.id) AS by_report`,
);
const findSent = damageable<Pick<DmarcPeriod, "sent">>(
  `SELECT ${sum("recipients", "sent")} FROM activity WHERE account_id = $1 AND minute_ms >= $2 AND minute_ms < $3`,
);
const findPeriodSources = damageable<DmarcSource>(
  `SELECT ip, ours, ${SOURCE_SUMS}, max(end_ms) AS "lastMs"
     FROM dmarc_reports r JOIN dmarc_report_sources s ON s.report = r.id ${OF_PERIOD}
     GROUP BY ip, ours ORDER BY 4 DESC, 3 DESC, ip, ours LIMIT ${PERIOD_SOURCES_MAX}`,
);
const findTlsFailures = damageable<ReportedTlsFailure>(
  `SELECT org, policy_type AS "policyType", result_type AS "resultType", mx, ${sum("sessions", "sessions")}
     FROM tls_reports r JOIN tls_report_failures f ON f.report = r.id ${OF_WEEK}
     GROUP BY org, policy_type, result_type, mx ORDER BY 5 DESC, org, policy_type, result_type, mx LIMIT ${WEEK_ROWS_MAX}`,
);

const NOTHING = { reports: 0, messages: 0, failed: 0, failedOwn: 0, sinceMs: null, days: 0 };
const NONE_OWN = { own: 0, passedOwnMost: 0 };

export const senderReportOperations = {
  reads: {},
  writes: { storeSenderReport },
  reports: {
    async reportedWeeks(session: Session, ...domain: [accountId: string, domain: string]): Promise<ReportedWeek[]> {
      const dmarc = await session.run(findDmarcWeeks, domain);
      return joinedWeeks(dmarc.rows, (await session.run(findTlsWeeks, domain)).rows);
    },
    async dmarcPeriod(
      session: Session,
      accountId: string,
      domain: string,
      { fromMs, endMs }: { fromMs: number; endMs: number },
    ): Promise<DmarcPeriod> {
      const period = [accountId, domain, fromMs, endMs];
      const totals = (await first(session, findPeriod, period)) ?? NOTHING;
      const own = (await first(session, findOwn, period)) ?? NONE_OWN;
      const sent = (await first(session, findSent, [accountId, fromMs - DAY_MS, endMs]))?.sent ?? 0;
      return { ...totals, ...own, sent, sources: (await session.run(findPeriodSources, period)).rows };
    },
    async weekReports(
      session: Session,
      ...week: [accountId: string, domain: string, weekMs: number]
    ): Promise<WeekReports> {
      const find = async <Row>(query: Statement<Row>) => (await session.run(query, week)).rows;
      return {
        receivers: await find(findReceivers),
        sources: await find(findSources),
        tlsSenders: await find(findTlsSenders),
        tlsFailures: await find(findTlsFailures),
      };
    },
  },
};

/** Deletes some of the reports received before this moment. Returns whether there may be more. */
export async function deleteOldReports(session: Session, beforeMs: number): Promise<boolean> {
  let isMore = false;
  for (const query of deleteOld) isMore = (await session.run(query, [beforeMs])).count === DELETED_MAX || isMore;
  return isMore;
}

async function storeSenderReport(
  session: Session,
  effect: ReportEffect,
  atMs: number,
  mayAdd = true,
): Promise<StoredReport> {
  const row = reportRow(effect, atMs);
  if (!mayAdd) return (await session.run(findNew[effect.type], [row.id])).count > 0 ? "refused" : "repeated";
  return (await addReport(session, effect, row)) ? "stored" : "repeated";
}

async function addReport(session: Session, { type, report }: ReportEffect, row: ReportRow): Promise<boolean> {
  const { id, accountId, domain, weekMs, org, reportId, beginMs, endMs, receivedAtMs } = row;
  const columns = [id, accountId, domain, weekMs, org, reportId, beginMs, endMs, receivedAtMs];
  if (type === "dmarc_report") {
    const { messages, failed, failedOurs } = dmarcSums(report);
    const added = await session.run(addDmarc, [...columns, report.policy, messages, failed, failedOurs]);
    if (added.count > 0) await session.run(addSources, [id, jsonRows(report.rows)]);
    return added.count > 0;
  }
  const added = await session.run(addTls, [...columns, report.succeeded, report.failed]);
  if (added.count > 0) await session.run(addFailures, [id, jsonRows(report.failures)]);
  return added.count > 0;
}
