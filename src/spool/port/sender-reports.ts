/**
 * Reports of receivers about the domains of an account: DMARC aggregate reports on messages with the domain in From, and TLS reports
 * on deliveries to the domain. app/incoming/sender-report.ts decides which reports are stored, and which sources are the account's own. Times
 * are milliseconds since the epoch; weeks begin on Monday, 0:00 UTC.
 */
import type { Disposition, OmittedRows } from "../../message/reports/dmarc-rows.ts";
import type { ReportIdentity } from "../../message/reports/report-identity.ts";
import type { TlsReport } from "../../message/reports/tls-report.ts";

/**
 * Why messages are taken for ours: they came from an address that this service sends from, or have a valid signature with a key of
 * the domain. `no`: neither.
 */
export type Ours = "address" | "signature" | "no";

/** Messages of one source with the same results. */
export interface SourceRow {
  /** As RFC 5952 writes it. */
  ip: string;
  ours: Ours;
  messages: number;
  disposition: Disposition;
  /** Whether a signature verified that is aligned with the From domain. */
  dkim: boolean;
  /** Whether SPF passed for an aligned domain. */
  spf: boolean;
  /** The From domain; empty if unknown. */
  headerFrom: string;
}

export interface SourcesReport extends ReportIdentity {
  policy: Disposition;
  /** At most ROWS_STORED_MAX. */
  rows: SourceRow[];
  omitted: OmittedRows;
}

/** `domain`: the bound domain that the report was sent to. */
export type ReportEffect =
  | { type: "dmarc_report"; accountId: string; domain: string; report: SourcesReport }
  | { type: "tls_report"; accountId: string; domain: string; report: TlsReport };

export const ROWS_STORED_MAX = 250;

/** What is read of a week: receivers, sources and failures, each. */
export const WEEK_ROWS_MAX = 200;

export interface DmarcTotals {
  reports: number;
  messages: number;
  /** Messages that failed DMARC. */
  failed: number;
  /** Of those, ours. */
  failedOurs: number;
}

export interface TlsTotals {
  reports: number;
  /** Sessions. */
  succeeded: number;
  failed: number;
}

export interface ReportedWeek {
  weekMs: number;
  /** All zero if there were none. */
  dmarc: DmarcTotals;
  tls: TlsTotals;
}

/** The messages of one source, as one receiver has reported them. */
export interface ReportedSource {
  org: string;
  ip: string;
  ours: Ours;
  messages: number;
  failed: number;
  dkimPassed: number;
  spfPassed: number;
  quarantined: number;
  rejected: number;
  /** The From domain; empty if there were several. */
  headerFrom: string;
}

/** The messages of one source, as all receivers have reported them. */
export interface DmarcSource extends Omit<ReportedSource, "org" | "headerFrom" | "quarantined" | "rejected"> {
  /** The end of the newest report that contains it. */
  lastMs: number;
}

/** The DMARC reports of several weeks. */
export interface DmarcPeriod extends Omit<DmarcTotals, "failedOurs"> {
  /** Messages of ours, and those of them that failed. */
  own: number;
  failedOwn: number;
  /** The largest number of our messages that one report lists as passed. */
  passedOwnMost: number;
  /** Recipients whose messages the account sent in these weeks and on the day before. */
  sent: number;
  /** The begin of the oldest report; null without reports. */
  sinceMs: number | null;
  /** Days on which a report begins whose period is at most two days. */
  days: number;
  /** Those with the most failed messages first, at most PERIOD_SOURCES_MAX. */
  sources: DmarcSource[];
}

export const PERIOD_SOURCES_MAX = 50;

/** Failed TLS sessions to the domain, as one sender has reported them. */
export interface ReportedTlsFailure {
  org: string;
  policyType: string;
  resultType: string;
  mx: string;
  sessions: number;
}

export interface WeekReports {
  /** Those with the most failed messages first; as the others, at most WEEK_ROWS_MAX. */
  receivers: (DmarcTotals & { org: string })[];
  sources: ReportedSource[];
  tlsSenders: (TlsTotals & { org: string })[];
  tlsFailures: ReportedTlsFailure[];
}

export type StoredReport = "stored" | "repeated" | "refused";

export interface SenderReports {
  /**
   * Stores a report. `repeated`: it was stored before (RFC 7489 §7.2.1.1: the same receiver and report id), or cannot be stored;
   * `refused`: it was not stored before, and `mayAdd` is false. `mayAdd` is true if absent.
   */
  storeSenderReport(effect: ReportEffect, atMs: number, mayAdd?: boolean): Promise<StoredReport>;
  /** The weeks with reports on a domain of the account, the newest first. Rejects with TooManyReports (reports.ts). */
  reportedWeeks(accountId: string, domain: string): Promise<ReportedWeek[]>;
  /** The DMARC reports of the weeks from `fromMs` on that begin before `endMs`. Rejects as reportedWeeks does. */
  dmarcPeriod(accountId: string, domain: string, weeks: { fromMs: number; endMs: number }): Promise<DmarcPeriod>;
  /** The reports of one week. Rejects as reportedWeeks does. */
  weekReports(accountId: string, domain: string, weekMs: number): Promise<WeekReports>;
}
