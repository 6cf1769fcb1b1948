/** What receivers and senders report about a domain: its DMARC standing, and one week, as API and command line show them. */
import { rfc3339 } from "../../lib/clock.ts";
import { dayText, weekOf } from "../../lib/week.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { DmarcTotals, ReportedWeek, SenderReports, WeekReports } from "../../spool/port/sender-reports.ts";
import { type Refusals, readRefusals } from "../incoming/report-intake.ts";
import { type DmarcStanding, dmarcStanding, verdictSentence } from "./dmarc-verdict.ts";

export interface DomainReports {
  domain: string;
  /** Its Monday. */
  weekMs: number;
  week: WeekReports;
  /** All weeks with reports, the newest first. */
  weeks: readonly ReportedWeek[];
  /** Null without DMARC reports. */
  standing: DmarcStanding | null;
  refusals: Refusals;
}

/** `week` is a day of the week, such as 2026-03-02; the newest week with reports if absent. Returns `invalid_week` if it is no day. */
export async function domainReports(
  store: Pick<SenderReports, "reportedWeeks" | "weekReports" | "dmarcPeriod"> & Pick<KeyValueStore, "readValue">,
  domain: Domain,
  { week: day, nowMs }: { week?: string | undefined; nowMs: number },
): Promise<DomainReports | "invalid_week"> {
  const { accountId, id, name } = domain;
  const given = day === undefined ? null : weekNamed(day);
  if (Number.isNaN(given)) return "invalid_week";
  const weeks = await store.reportedWeeks(accountId, name);
  const weekMs = given ?? weeks[0]?.weekMs ?? weekOf(nowMs);
  const week = await store.weekReports(accountId, name, weekMs);
  const standing = await dmarcStanding(store, domain, { weeks, nowMs });
  return { domain: name, weekMs, week, weeks, standing, refusals: await readRefusals(store, id, nowMs) };
}

/** Not a number if it is no day. */
const weekNamed = (day: string): number =>
  /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) ? weekOf(Date.parse(day)) : Number.NaN;

export const domainReportsView = ({ domain, weekMs, week, weeks, standing, refusals }: DomainReports) => ({
  domain,
  dmarc: standing === null ? null : standingView(standing),
  week: dayText(weekMs),
  ...weekView(week),
  weeks: weeks.map(weekSumsView),
  not_stored: refusalsView(refusals),
});

const standingView = ({ verdict, sources }: DmarcStanding) => ({
  answer: verdict.answer,
  detail: verdictSentence(verdict),
  policy: verdict.policy,
  next_policy: verdict.next,
  since: dayText(verdict.sinceMs),
  messages: verdict.reported.messages,
  failed: verdict.reported.failed,
  sources: sources.map(({ ip, ours, messages, failed, dkimPassed, spfPassed, lastMs }) => ({
    ip,
    ours,
    messages,
    failed,
    dkim_passed: dkimPassed,
    spf_passed: spfPassed,
    last_seen: dayText(lastMs),
  })),
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
