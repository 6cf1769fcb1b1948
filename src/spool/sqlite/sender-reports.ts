/** Reports of receivers about the domains of an account. The caller holds the transaction of a write. */
import type { Database } from "better-sqlite3";
import {
  type DmarcTotals,
  REPORTS_PER_DAY_MAX,
  type ReportEffect,
  type ReportedSource,
  type ReportedTlsFailure,
  type ReportedWeek,
  type SourceRow,
  type TlsTotals,
  WEEK_ROWS_MAX,
  type WeekReports,
} from "../port/sender-reports.ts";
import { dayBefore, dmarcSums, joinedWeeks, type ReportRow, reportRow } from "../records/sender-report-rows.ts";
import type { DamageLog } from "./damage.ts";
import { readable } from "./damage.ts";
import type { Steps } from "./steps.ts";
import type { Written } from "./written.ts";

/** The damaged place that is reported. */
const PLACE = "the reports of receivers";

/** Reports that are deleted in one step of retention. */
const DELETED_MAX = 20;

const COLUMNS = "id, account_id, domain, week_ms, org, report_id, begin_ms, end_ms, received_at_ms";
const VALUES = "@id, @accountId, @domain, @weekMs, @org, @reportId, @beginMs, @endMs, @receivedAtMs";

export interface StoredEffect {
  effect: ReportEffect;
  atMs: number;
}

export class SenderReportWriter {
  readonly #storeDmarc;
  readonly #storeSource;
  readonly #storeTls;
  readonly #storeFailure;
  readonly #ofLastDay;
  readonly #old;
  readonly #deletes;

  constructor(db: Database) {
    this.#storeDmarc = db.prepare(
      `INSERT OR IGNORE INTO dmarc_reports (${COLUMNS}, policy, messages, failed, failed_ours)
         VALUES (${VALUES}, @policy, @messages, @failed, @failedOurs)`,
    );
    this.#storeSource = db.prepare(
      `INSERT INTO dmarc_report_sources (report, position, ip, ours, messages, disposition, dkim, spf, header_from)
         VALUES (@report, @position, @ip, @ours, @messages, @disposition, @dkim, @spf, @headerFrom)`,
    );
    this.#storeTls = db.prepare(
      `INSERT OR IGNORE INTO tls_reports (${COLUMNS}, succeeded, failed) VALUES (${VALUES}, @succeeded, @failed)`,
    );
    this.#storeFailure = db.prepare(
      `INSERT INTO tls_report_failures (report, position, policy_type, result_type, mx, sessions)
         VALUES (@report, @position, @policyType, @resultType, @mx, @sessions)`,
    );
    const of = <T>(make: (table: string) => T) => ({ dmarc: make("dmarc_reports"), tls: make("tls_reports") });
    this.#ofLastDay = of((table) =>
      db
        .prepare<[string, string, number], number>(
          `SELECT count(*) FROM ${table} WHERE account_id = ? AND domain = ? AND received_at_ms > ?`,
        )
        .pluck(),
    );
    this.#old = of((table) =>
      db.prepare<[number], string>(`SELECT id FROM ${table} WHERE received_at_ms < ? LIMIT ${DELETED_MAX}`).pluck(),
    );
    const remove = (table: string, rows: string) => [
      db.prepare(`DELETE FROM ${rows} WHERE report = ?`),
      db.prepare(`DELETE FROM ${table} WHERE id = ?`),
    ];
    this.#deletes = {
      dmarc: remove("dmarc_reports", "dmarc_report_sources"),
      tls: remove("tls_reports", "tls_report_failures"),
    };
  }

  /** Returns false if nothing was stored; see SenderReports. */
  store({ effect, atMs }: StoredEffect): boolean {
    const row = reportRow(effect, atMs);
    const ofLastDay = this.#ofLastDay[effect.type === "dmarc_report" ? "dmarc" : "tls"];
    if ((ofLastDay.get(row.accountId, row.domain, dayBefore(atMs)) ?? 0) >= REPORTS_PER_DAY_MAX) return false;
    return effect.type === "dmarc_report" ? this.#addDmarc(row, effect) : this.#addTls(row, effect);
  }

  #addDmarc(row: ReportRow, { report }: ReportEffect & { type: "dmarc_report" }): boolean {
    const { policy, rows } = report;
    if (this.#storeDmarc.run({ ...row, policy, ...dmarcSums(report) }).changes === 0) return false;
    const stored = ({ dkim, spf, ...source }: SourceRow, position: number) =>
      this.#storeSource.run({ ...source, report: row.id, position, dkim: Number(dkim), spf: Number(spf) });
    rows.forEach(stored);
    return true;
  }

  #addTls(row: ReportRow, { report }: ReportEffect & { type: "tls_report" }): boolean {
    const { succeeded, failed, failures } = report;
    if (this.#storeTls.run({ ...row, succeeded, failed }).changes === 0) return false;
    failures.forEach((failure, position) => void this.#storeFailure.run({ ...failure, report: row.id, position }));
    return true;
  }

  /** Deletes some of the reports received before this moment. Returns whether there may be more. */
  deleteOld(beforeMs: number): boolean {
    const deleted = (["dmarc", "tls"] as const).map((kind) => {
      const ids = this.#old[kind].all(beforeMs);
      for (const id of ids) for (const statement of this.#deletes[kind]) statement.run(id);
      return ids.length;
    });
    return deleted.includes(DELETED_MAX);
  }
}

export function prepareSenderReportWrites(db: Database, damage: DamageLog) {
  const writer = new SenderReportWriter(db);
  return {
    storeSenderReport(stored: StoredEffect): Written<boolean> {
      return { value: damage.runOptional(PLACE, () => writer.store(stored), false) };
    },
  };
}

/** Deletes old reports in steps; see SenderReportWriter. */
export function prepareOldReports(db: Database, damage: DamageLog): (beforeMs: number) => boolean {
  const writer = new SenderReportWriter(db);
  return (beforeMs) => damage.runOptional(PLACE, () => writer.deleteOld(beforeMs), false);
}

interface Scope {
  accountId: string;
  domain: string;
}

/** Reads the reports of a domain. What is damaged is left out. */
export function prepareSenderReportReads(db: Database) {
  const readers = { ...prepareWeeks(db), ...prepareWeek(db) };
  return {
    *reportedWeeks(scope: Scope): Steps<ReportedWeek[]> {
      const dmarc = readable(() => readers.dmarcWeeks.all(scope)) ?? [];
      yield;
      return joinedWeeks(dmarc, readable(() => readers.tlsWeeks.all(scope)) ?? []);
    },
    *weekReports(week: Scope & { weekMs: number }): Steps<WeekReports> {
      const receivers = readable(() => readers.receivers.all(week)) ?? [];
      yield;
      const sources = readable(() => readers.sources.all(week)) ?? [];
      yield;
      const tlsSenders = readable(() => readers.tlsSenders.all(week)) ?? [];
      return { receivers, sources, tlsSenders, tlsFailures: readable(() => readers.tlsFailures.all(week)) ?? [] };
    },
  };
}

const OF_DOMAIN = "WHERE account_id = @accountId AND domain = @domain";
const OF_WEEK = `${OF_DOMAIN} AND week_ms = @weekMs`;
const DMARC_SUMS =
  "count(*) AS reports, sum(messages) AS messages, sum(failed) AS failed, sum(failed_ours) AS failedOurs";
const TLS_SUMS = "count(*) AS reports, sum(succeeded) AS succeeded, sum(failed) AS failed";

function prepareWeeks(db: Database) {
  const weeks = <T>(table: string, sums: string) =>
    db.prepare<Scope, T & { weekMs: number }>(
      `SELECT week_ms AS weekMs, ${sums} FROM ${table} ${OF_DOMAIN} GROUP BY week_ms ORDER BY week_ms DESC`,
    );
  return {
    dmarcWeeks: weeks<DmarcTotals>("dmarc_reports", DMARC_SUMS),
    tlsWeeks: weeks<TlsTotals>("tls_reports", TLS_SUMS),
  };
}

function prepareWeek(db: Database) {
  const read = <Row>(sql: string) => db.prepare<Scope & { weekMs: number }, Row>(`${sql} LIMIT ${WEEK_ROWS_MAX}`);
  return {
    receivers: read<DmarcTotals & { org: string }>(
      `SELECT org, ${DMARC_SUMS} FROM dmarc_reports ${OF_WEEK}
         GROUP BY org ORDER BY 4 DESC, 3 DESC, org`,
    ),
    sources: read<ReportedSource>(
      `SELECT org, ip, ours, sum(s.messages) AS messages, sum(iif(dkim OR spf, 0, s.messages)) AS failed,
              sum(iif(dkim, s.messages, 0)) AS dkimPassed, sum(iif(spf, s.messages, 0)) AS spfPassed,
              sum(iif(disposition = 'quarantine', s.messages, 0)) AS quarantined,
              sum(iif(disposition = 'reject', s.messages, 0)) AS rejected,
              iif(min(header_from) = max(header_from), min(header_from), '') AS headerFrom
         FROM dmarc_reports r JOIN dmarc_report_sources s ON s.report = r.id ${OF_WEEK}
         GROUP BY org, ip, ours ORDER BY 5 DESC, 4 DESC, org, ip, ours`,
    ),
    tlsSenders: read<TlsTotals & { org: string }>(
      `SELECT org, ${TLS_SUMS} FROM tls_reports ${OF_WEEK}
         GROUP BY org ORDER BY 4 DESC, 3 DESC, org`,
    ),
    tlsFailures: read<ReportedTlsFailure>(
      `SELECT org, policy_type AS policyType, result_type AS resultType, mx, sum(sessions) AS sessions
         FROM tls_reports r JOIN tls_report_failures f ON f.report = r.id ${OF_WEEK}
         GROUP BY org, policy_type, result_type, mx ORDER BY 5 DESC, org, policy_type, result_type, mx`,
    ),
  };
}
