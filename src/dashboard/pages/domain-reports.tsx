/**
 * The reports of receivers about a domain: whether its DMARC policy can be stricter, why, the trend by week and the sources of messages. TLS
 * reports on deliveries to the domain, and a single week, come after that.
 */
import type { Context } from "koa";
import { type Refusals, readRefusals } from "../../app/incoming/report-intake.ts";
import {
  type DmarcStanding,
  type DmarcVerdict,
  dmarcStanding,
  verdictSentence,
} from "../../app/reports/dmarc-verdict.ts";
import { receiverSentence, refusalsSentence, refusalText, tlsSentence } from "../../app/reports/report-sentences.ts";
import { shareText } from "../../lib/share-text.ts";
import { dayText, weekOf } from "../../lib/week.ts";
import type { Domain } from "../../spool/port/domains.ts";
import {
  type DmarcSource,
  PERIOD_SOURCES_MAX,
  type ReportedWeek,
  type WeekReports,
} from "../../spool/port/sender-reports.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { EmptyState, Identifier, Notice, Table } from "../views/components.tsx";
import { countText, type Tone } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import type { Pages } from "./routes.ts";

export function createDomainReportPages({ spool, registry, clock }: DashboardParts): Pages {
  return {
    "GET /domains/:name/reports": async (ctx, auth) => {
      const accountId = auth.account.id;
      const domain = await registry.domainNamed(accountId, ctx.params.name ?? "");
      if (domain === null) throw notFound();
      const weeks = await spool.reportedWeeks(accountId, domain.name);
      const chosenMs = chosenWeek(ctx);
      const weekMs = chosenMs ?? weeks.find(({ tls }) => tls.reports > 0)?.weekMs ?? null;
      const week = weekMs === null ? null : await spool.weekReports(accountId, domain.name, weekMs);
      const standing = await dmarcStanding(spool, domain, { weeks, nowMs: clock.now() });
      const refusals = await readRefusals(spool, domain.id, clock.now());
      return reportsPage(auth, { domain, weeks, chosenMs, week, standing, refusals });
    },
  };
}

/** The week of `?week=2026-03-02`; null without one. */
function chosenWeek(ctx: Context): number | null {
  const { week } = ctx.query;
  if (typeof week !== "string") return null;
  const atMs = /^\d{4}-\d\d-\d\d$/.test(week) ? Date.parse(week) : Number.NaN;
  if (Number.isNaN(atMs)) throw notFound();
  return weekOf(atMs);
}

interface ReportsState {
  domain: Domain;
  weeks: ReportedWeek[];
  chosenMs: number | null;
  /** The chosen week, else the newest with TLS reports. */
  week: WeekReports | null;
  /** Null without DMARC reports. */
  standing: DmarcStanding | null;
  refusals: Refusals;
}

function reportsPage(auth: AuthContext, { domain, weeks, chosenMs, week, standing, refusals }: ReportsState): string {
  const path = `/dashboard/domains/${domain.name}`;
  return signedInPage(auth, "/domains/one", {
    title: `Reports on ${domain.name}`,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/domains">Domains</a> / <a href={path}>{domain.name}</a>
        </p>
        <h1>Reports on {domain.name}</h1>
        {standing === null ? null : <Verdict verdict={standing.verdict} />}
        {weeks.length === 0 ? (
          <EmptyState title="No reports yet">
            <p>
              Most receivers report once a day. They send reports to{" "}
              <Identifier text={`dmarc-reports@bounces.${domain.name}`} /> if your DMARC record names that address, and
              the return path of the domain is on.
            </p>
          </EmptyState>
        ) : (
          <Weeks path={path} weeks={weeks} chosenMs={chosenMs} />
        )}
        {chosenMs === null || week === null ? null : <Receivers weekMs={chosenMs} week={week} />}
        {standing === null ? null : <Sources standing={standing} />}
        {week === null ? null : <TlsView week={week} />}
        <RefusalsView refusals={refusals} />
        <details>
          <summary>What the reports mean</summary>
          <p class="lead">
            Receivers report which messages with {domain.name} in From passed DMARC, and from which addresses they came.
            Senders report whether they could deliver to {domain.name} over TLS. Each report is the statement of whoever
            sent it. The answer is about the last four weeks with reports; of passed messages, it counts yours without
            the largest report, and at most as many as you have sent.
          </p>
        </details>
      </>
    ),
  });
}

const TONES: Readonly<Record<DmarcVerdict["answer"], Tone>> = {
  no_record: "quiet",
  strictest: "good",
  few_reports: "quiet",
  own_failures: "bad",
  check_sources: "warn",
  yes: "good",
};

function Verdict({ verdict }: { verdict: DmarcVerdict }) {
  return <Notice tone={TONES[verdict.answer]}>{verdictSentence(verdict)} Reports are not authenticated.</Notice>;
}

function RefusalsView({ refusals }: { refusals: Refusals }) {
  if (refusals.total === 0) return null;
  return (
    <details>
      <summary>{refusalsSentence(refusals)}</summary>
      <ul>
        {refusals.reasons.map(({ reason, reports }) => (
          <li key={reason}>
            {countText(reports)}: {refusalText(reason)}
          </li>
        ))}
      </ul>
      <Table label="Newest reports that were not stored" head={["Time (UTC)", "Sender", "Address", "Reason"]}>
        {refusals.newest.map(({ atMs, sender, ip, reason }, i) => (
          <tr key={`${atMs} ${i}`}>
            <th scope="row">{new Date(atMs).toISOString().slice(0, 16).replace("T", " ")}</th>
            <td>
              <Identifier text={sender === "" ? "<>" : sender} />
            </td>
            <td>
              <Identifier text={ip} />
            </td>
            <td>{refusalText(reason)}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

/** Weeks that the trend has, the newest. */
const WEEKS_SHOWN = 13;

interface WeeksProps {
  path: string;
  weeks: readonly ReportedWeek[];
  chosenMs: number | null;
}

function Weeks({ path, weeks, chosenMs }: WeeksProps) {
  const hasTls = weeks.some(({ tls }) => tls.reports > 0);
  const numbers = ["Passed", "Messages", "Yours failed", "Reports", "TLS failures"];
  return (
    <Table
      label="Weeks"
      class="stacked linked pairs"
      numbers={numbers}
      head={["Week of", ...numbers.filter((name) => hasTls || name !== "TLS failures")]}
    >
      {weeks.slice(0, WEEKS_SHOWN).map(({ weekMs, dmarc, tls }) => (
        <tr key={weekMs}>
          <th scope="row" class="nowrap left">
            <a
              class="row-link"
              href={`${path}/reports?week=${dayText(weekMs)}`}
              {...(weekMs === chosenMs ? { "aria-current": "page" as const } : {})}
            >
              {dayText(weekMs)}
            </a>
          </th>
          <td class="number right">{shareText(dmarc.messages - dmarc.failed, dmarc.messages)}</td>
          <td class="number left small" data-label="Messages">
            {countText(dmarc.messages)}
          </td>
          <td class="number right small" data-label="Yours failed">
            {countText(dmarc.failedOurs)}
          </td>
          <td class="number secondary">{countText(dmarc.reports)}</td>
          {hasTls ? (
            <td class="number secondary">
              {tls.reports === 0 ? "" : `${countText(tls.failed)} of ${countText(tls.succeeded + tls.failed)}`}
            </td>
          ) : null}
        </tr>
      ))}
    </Table>
  );
}

/** What each receiver has reported of a week, one sentence each. */
function Receivers({ weekMs, week: { receivers, sources } }: { weekMs: number; week: WeekReports }) {
  return (
    <>
      <h2>Week of {dayText(weekMs)} (UTC)</h2>
      {receivers.length === 0 ? <p class="quiet">No DMARC reports of this week.</p> : null}
      <ul class="bullets">
        {receivers.map((receiver) => (
          <li key={receiver.org}>{receiverSentence(receiver, sources)}</li>
        ))}
      </ul>
    </>
  );
}

function Sources({ standing: { verdict, sources } }: { standing: DmarcStanding }) {
  const isCut = sources.length === PERIOD_SOURCES_MAX;
  return (
    <>
      <h2>Sources of messages</h2>
      <p class="quiet">
        Since {dayText(verdict.sinceMs)} (UTC), those that fail most first.
        {isCut ? ` ${PERIOD_SOURCES_MAX} are shown.` : ""}
      </p>
      <Table
        label="Sources of messages"
        class="stacked pairs"
        numbers={["Messages", "Passed", "DKIM aligned", "SPF aligned"]}
        head={["Address", "Passed", "Source", "Messages", "DKIM aligned", "SPF aligned", "Last seen"]}
      >
        {sources.map((source) => (
          <SourceRow key={`${source.ip} ${source.ours}`} source={source} />
        ))}
      </Table>
    </>
  );
}

const SOURCE_NAMES: Readonly<Record<DmarcSource["ours"], string>> = {
  address: "Yours",
  signature: "Yours, forwarded",
  no: "Unknown",
};

function SourceRow({ source }: { source: DmarcSource }) {
  const { ip, ours, messages, failed, dkimPassed, spfPassed, lastMs } = source;
  return (
    <tr>
      <th scope="row" class="left nowrap">
        <code>{ip}</code>
      </th>
      <td class="number right">{shareText(messages - failed, messages)}</td>
      <td class="left small">{SOURCE_NAMES[ours]}</td>
      <td class="number right small" data-label="Messages">
        {countText(messages)}
      </td>
      <td class="number secondary">{shareText(dkimPassed, messages)}</td>
      <td class="number secondary">{shareText(spfPassed, messages)}</td>
      <td class="nowrap secondary">{dayText(lastMs)}</td>
    </tr>
  );
}

function TlsView({ week: { tlsSenders, tlsFailures } }: { week: WeekReports }) {
  if (tlsSenders.length === 0) return null;
  return (
    <>
      <h2>Deliveries to the domain over TLS</h2>
      <ul class="bullets">
        {tlsSenders.map((sender) => (
          <li key={sender.org}>{tlsSentence(sender)}</li>
        ))}
      </ul>
      {tlsFailures.length === 0 ? null : (
        <Table label="TLS failures" head={["Cause", "Policy", "Host", "Reported by", "Sessions"]}>
          {tlsFailures.map(({ org, policyType, resultType, mx, sessions }) => (
            <tr key={`${org} ${policyType} ${resultType} ${mx}`}>
              <td>{resultType}</td>
              <td>{policyType}</td>
              <td>{mx}</td>
              <td>{org}</td>
              <td>{countText(sessions)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
