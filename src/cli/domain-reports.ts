/** The command that shows what receivers report about a domain. */
import { type Refusals, readRefusals } from "../app/incoming/report-intake.ts";
import {
  oursText,
  receiverSentence,
  refusalsSentence,
  refusalText,
  tlsSentence,
} from "../app/reports/report-sentences.ts";
import { rfc3339 } from "../lib/clock.ts";
import { weekOf } from "../lib/week.ts";
import type { DmarcTotals, ReportedSource, ReportedWeek, WeekReports } from "../spool/port/sender-reports.ts";
import { boundDomain } from "./bound-domain.ts";
import { type Implementation, UsageError } from "./command.ts";
import { table } from "./table.ts";

export const domainReports: Implementation = {
  async run(context, { positionals: [name = ""], options }) {
    const { store, account } = context;
    const domain = await boundDomain(context, name);
    const given = typeof options.week === "string" ? weekNamed(options.week) : null;
    const weeks = await store.reportedWeeks(account.id, domain.name);
    const weekMs = given ?? weeks[0]?.weekMs ?? weekOf(context.nowMs);
    const week = await store.weekReports(account.id, domain.name, weekMs);
    const refusals = await readRefusals(store, domain.id, context.nowMs);
    const json = {
      domain: domain.name,
      week: dateText(weekMs),
      ...weekJson(week),
      weeks: weeks.map(weekSumsJson),
      not_stored: refusalsJson(refusals),
    };
    const text = [reportText(week, { domain: domain.name, weekMs, weeks }), ...refusalBlocks(refusals)].join("\n\n");
    return { json, text };
  },
};

const refusalsJson = ({ total, reasons, newest }: Refusals) => ({
  total,
  reasons: Object.fromEntries(reasons.map(({ reason, reports }) => [reason, reports])),
  newest: newest.map(({ atMs, ...refused }) => ({ at: rfc3339(atMs), ...refused })),
});

const refusalBlocks = (refusals: Refusals): string[] =>
  refusals.total === 0
    ? []
    : [
        [
          refusalsSentence(refusals),
          ...refusals.reasons.map(({ reason, reports }) => `  ${reports}: ${refusalText(reason)}`),
        ].join("\n"),
        table(
          ["AT", "SENDER", "ADDRESS", "REASON"],
          refusals.newest.map(({ atMs, sender, ip, reason }) => [rfc3339(atMs), sender, ip, reason]),
          "",
        ),
      ];

const dateText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

function weekNamed(given: string): number {
  const atMs = /^\d{4}-\d\d-\d\d$/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(atMs)) throw new UsageError(`--week '${given}' is not a day such as 2026-03-02`);
  return weekOf(atMs);
}

const totalsJson = ({ reports, messages, failed, failedOurs }: DmarcTotals) => ({
  reports,
  messages,
  failed,
  failed_ours: failedOurs,
});

const weekSumsJson = ({ weekMs, dmarc, tls }: ReportedWeek) => ({
  week: dateText(weekMs),
  dmarc: totalsJson(dmarc),
  tls,
});

function weekJson({ receivers, sources, tlsSenders, tlsFailures }: WeekReports) {
  return {
    receivers: receivers.map(({ org, ...totals }) => ({ org, ...totalsJson(totals) })),
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
  };
}

interface Shown {
  domain: string;
  weekMs: number;
  weeks: readonly ReportedWeek[];
}

function reportText(week: WeekReports, { domain, weekMs, weeks }: Shown): string {
  const { receivers, sources, tlsSenders, tlsFailures } = week;
  if (receivers.length + tlsSenders.length === 0) {
    return `No reports on ${domain} in the week of ${dateText(weekMs)}.${otherWeeks(weeks)}`;
  }
  const blocks = [
    [`Reports on ${domain} in the week of ${dateText(weekMs)} (UTC), as receivers state them:`],
    receivers.map((receiver) => receiverSentence(receiver, sources)),
    sources.length === 0 ? [] : [sourceTable(sources)],
    tlsSenders.map(tlsSentence),
    tlsFailures.length === 0 ? [] : [failureTable(tlsFailures)],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

const otherWeeks = (weeks: readonly ReportedWeek[]): string =>
  weeks.length === 0
    ? ""
    : ` There are reports of the weeks of ${weeks.map(({ weekMs }) => dateText(weekMs)).join(", ")}.`;

const sourceTable = (sources: readonly ReportedSource[]): string =>
  table(
    ["ADDRESS", "MESSAGES", "FAILED", "REJECTED", "SPAM", "REPORTED BY", "OURS"],
    sources.map((source) => [
      source.ip,
      `${source.messages}`,
      `${source.failed}`,
      `${source.rejected}`,
      `${source.quarantined}`,
      source.org,
      oursText(source),
    ]),
    "",
  );

const failureTable = (failures: WeekReports["tlsFailures"]): string =>
  table(
    ["CAUSE", "POLICY", "HOST", "SESSIONS", "REPORTED BY"],
    failures.map(({ org, policyType, resultType, mx, sessions }) => [resultType, policyType, mx, `${sessions}`, org]),
    "",
  );
