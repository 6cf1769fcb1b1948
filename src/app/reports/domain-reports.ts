/** What receivers and senders report about a domain in one week, as API and command line show it. */
import { rfc3339 } from "../../lib/clock.ts";
import { weekOf } from "../../lib/week.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { DmarcTotals, ReportedWeek, SenderReports, WeekReports } from "../../spool/port/sender-reports.ts";
import { type Refusals, readRefusals } from "../incoming/report-intake.ts";

export interface DomainReports {
  domain: string;
  /** Its Monday. */
  weekMs: number;
  week: WeekReports;
  /** All weeks with reports, the newest first. */
  weeks: readonly ReportedWeek[];
  refusals: Refusals;
}

/** `week` is a day of the week, such as 2026-03-02; the newest week with reports if absent. Returns `invalid_week` if it is no day. */
export async function domainReports(
  store: Pick<SenderReports, "reportedWeeks" | "weekReports"> & Pick<KeyValueStore, "readValue">,
  { accountId, id, name }: Domain,
  { week: day, nowMs }: { week?: string | undefined; nowMs: number },
): Promise<DomainReports | "invalid_week"> {
  const given = day === undefined ? null : weekNamed(day);
  if (Number.isNaN(given)) return "invalid_week";
  const weeks = await store.reportedWeeks(accountId, name);
  const weekMs = given ?? weeks[0]?.weekMs ?? weekOf(nowMs);
  const week = await store.weekReports(accountId, name, weekMs);
  return { domain: name, weekMs, week, weeks, refusals: await readRefusals(store, id, nowMs) };
}

/** Not a number if it is no day. */
const weekNamed = (day: string): number =>
  /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) ? weekOf(Date.parse(day)) : Number.NaN;

/** The day of a time in UTC, such as 2026-03-02. */
export const dayText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

export const domainReportsView = ({ domain, weekMs, week, weeks, refusals }: DomainReports) => ({
  domain,
  week: dayText(weekMs),
  ...weekView(week),
  weeks: weeks.map(weekSumsView),
  not_stored: refusalsView(refusals),
});

const totalsView = ({ reports, messages, failed, failedOurs }: DmarcTotals) => ({
  reports,
  messages,
  failed,
  failed_ours: failedOurs,
});

const weekSumsView = ({ weekMs, dmarc, tls }: ReportedWeek) => ({
  week: dayText(weekMs),
  dmarc: totalsView(dmarc),
  tls,
});

const weekView = ({ receivers, sources, tlsSenders, tlsFailures }: WeekReports) => ({
  receivers: receivers.map(({ org, ...totals }) => ({ org, ...totalsView(totals) })),
  sources: sources.map(({ dkimPassed, spfPassed, headerFrom, ...source }) => ({
    ...source,
    dkim_passed: dkimPassed,
    spf_passed: spfPassed,
    header_from: headerFrom === "" ? null : headerFrom,
  })),
  tls_senders: tlsSenders,
  tls_failures: tlsFailures.map(({ org, policyType, resultType, mx, sessions }) => ({
    org,
    policy_type: policyType,
    result_type: resultType,
    mx: mx === "" ? null : mx,
    sessions,
  })),
});

const refusalsView = ({ total, reasons, newest }: Refusals) => ({
  total,
  reasons: Object.fromEntries(reasons.map(({ reason, reports }) => [reason, reports])),
  newest: newest.map(({ atMs, ...refused }) => ({ at: rfc3339(atMs), ...refused })),
});
