/** The command that shows what receivers report about a domain. */
import type { Refusals } from "../app/incoming/report-intake.ts";
import { verdictSentence } from "../app/reports/dmarc-verdict.ts";
import { type DomainReports, domainReports, domainReportsView } from "../app/reports/domain-reports.ts";
import {
  oursText,
  receiverSentence,
  refusalsSentence,
  refusalText,
  tlsSentence,
} from "../app/reports/report-sentences.ts";
import { rfc3339 } from "../lib/clock.ts";
import { dayText } from "../lib/week.ts";
import type { ReportedSource, ReportedWeek, WeekReports } from "../spool/port/sender-reports.ts";
import { boundDomain } from "./bound-domain.ts";
import { type Implementation, UsageError } from "./command.ts";
import { table } from "./table.ts";

export const domainReportsCommand: Implementation = {
  async run(context, { positionals: [name = ""], options }) {
    const domain = await boundDomain(context, name);
    const day = typeof options.week === "string" ? options.week : undefined;
    const reports = await domainReports(context.store, domain, { week: day, nowMs: context.nowMs });
    if (reports === "invalid_week") throw new UsageError(`--week '${day}' is not a day such as 2026-03-02`);
    const json = domainReportsView(reports);
    const verdict = reports.standing === null ? [] : [verdictSentence(reports.standing.verdict)];
    const text = [...verdict, reportText(reports), ...refusalBlocks(reports.refusals)].join("\n\n");
    return { json, text };
  },
};

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

function reportText({ domain, weekMs, week, weeks }: DomainReports): string {
  const { receivers, sources, tlsSenders, tlsFailures } = week;
  if (receivers.length + tlsSenders.length === 0) {
    return `No reports on ${domain} in the week of ${dayText(weekMs)}.${otherWeeks(weeks)}`;
  }
  const blocks = [
    [`Reports on ${domain} in the week of ${dayText(weekMs)} (UTC), as receivers state them:`],
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
    : ` There are reports of the weeks of ${weeks.map(({ weekMs }) => dayText(weekMs)).join(", ")}.`;

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
