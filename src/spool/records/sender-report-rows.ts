/** The stored form of the reports of receivers: keys, sums, and the weeks of both kinds of reports. */
import { createHash } from "node:crypto";
import { weekOf } from "../../lib/week.ts";
import type { ReportIdentity } from "../../message/reports/report-identity.ts";
import type { DmarcTotals, ReportEffect, ReportedWeek, SourcesReport, TlsTotals } from "../port/sender-reports.ts";

/** The columns that both kinds of reports have. */
export interface ReportRow extends ReportIdentity {
  id: string;
  accountId: string;
  weekMs: number;
  receivedAtMs: number;
}

/** `id` is made of what must be unique: two reports with one id are one. `domain` is the bound domain. */
export function reportRow({ type, accountId, domain, report }: ReportEffect, atMs: number): ReportRow {
  const { org, reportId, beginMs, endMs } = report;
  const id = createHash("sha256")
    .update(JSON.stringify([type, accountId, domain, org, reportId]))
    .digest("base64url");
  return { id, accountId, domain, org, reportId, beginMs, endMs, weekMs: weekOf(beginMs), receivedAtMs: atMs };
}

/** The sums of a DMARC report, rows left out of it included. */
export function dmarcSums({ rows, omitted }: SourcesReport): Omit<DmarcTotals, "reports"> {
  const sums = { messages: omitted.messages, failed: omitted.failed, failedOurs: 0 };
  for (const { messages, dkim, spf, ours } of rows) {
    const failed = dkim || spf ? 0 : messages;
    sums.messages += messages;
    sums.failed += failed;
    if (ours !== "no") sums.failedOurs += failed;
  }
  return sums;
}

type OfWeek<T> = T & { weekMs: number };

/** Joins the sums of both kinds of reports, the newest week first. */
export function joinedWeeks(dmarc: readonly OfWeek<DmarcTotals>[], tls: readonly OfWeek<TlsTotals>[]): ReportedWeek[] {
  const weeks = new Map<number, ReportedWeek>();
  const of = (weekMs: number): ReportedWeek => {
    const week = weeks.get(weekMs) ?? { weekMs, dmarc: NO_DMARC, tls: NO_TLS };
    weeks.set(weekMs, week);
    return week;
  };
  for (const { weekMs, ...totals } of dmarc) of(weekMs).dmarc = totals;
  for (const { weekMs, ...totals } of tls) of(weekMs).tls = totals;
  return [...weeks.values()].sort((one, other) => other.weekMs - one.weekMs);
}

const NO_DMARC: DmarcTotals = { reports: 0, messages: 0, failed: 0, failedOurs: 0 };
const NO_TLS: TlsTotals = { reports: 0, succeeded: 0, failed: 0 };
