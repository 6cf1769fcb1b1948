/** @jsxRuntime automatic @jsxImportSource preact */
/** The reports of receivers about a domain, by week: DMARC reports on messages from it, TLS reports on deliveries to it. */
import type { Context } from "koa";
import { type Refusals, readRefusals } from "../../app/incoming/report-intake.ts";
import {
  oursText,
  receiverSentence,
  refusalsSentence,
  refusalText,
  tlsSentence,
} from "../../app/reports/report-sentences.ts";
import { weekOf } from "../../lib/week.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { ReportedSource, ReportedWeek, WeekReports } from "../../spool/port/sender-reports.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { EmptyState, Identifier, Notice, Table } from "../views/components.tsx";
import { countText } from "../views/labels.ts";
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
      const weekMs = chosenWeek(ctx, weeks);
      const week = weekMs === null ? null : await spool.weekReports(accountId, domain.name, weekMs);
      const refusals = await readRefusals(spool, domain.id, clock.now());
      return reportsPage(auth, { domain, weeks, weekMs, week, refusals });
    },
  };
}

/** The week of `?week=2026-03-02`, else the newest; null without reports. */
function chosenWeek(ctx: Context, weeks: readonly ReportedWeek[]): number | null {
  const { week } = ctx.query;
  if (typeof week !== "string") return weeks[0]?.weekMs ?? null;
  const atMs = /^\d{4}-\d\d-\d\d$/.test(week) ? Date.parse(week) : Number.NaN;
  if (Number.isNaN(atMs)) throw notFound();
  return weekOf(atMs);
}

interface ReportsState {
  domain: Domain;
  weeks: ReportedWeek[];
  weekMs: number | null;
  week: WeekReports | null;
  refusals: Refusals;
}

const dateText = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

function reportsPage(auth: AuthContext, { domain, weeks, weekMs, week, refusals }: ReportsState): string {
  const path = `/dashboard/domains/${domain.name}`;
  return signedInPage(auth, "/domains/one", {
    title: `Reports on ${domain.name}`,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/domains">Domains</a> / <a href={path}>{domain.name}</a>
        </p>
        <h1>Reports on {domain.name}</h1>
        <p class="lead">
          Receivers report which messages with {domain.name} in From passed DMARC, and from which addresses they came.
          Senders report whether they could deliver to {domain.name} over TLS. Reports are not authenticated: each is
          the statement of whoever sent it.
        </p>
        {week === null || weekMs === null ? (
          <EmptyState title="No reports yet">
            <p>
              Most receivers report once a day. They send reports to{" "}
              <Identifier text={`dmarc-reports@bounces.${domain.name}`} /> if your DMARC record names that address, and
              the return path of the domain is on.
            </p>
          </EmptyState>
        ) : (
          <>
            <Weeks path={path} weeks={weeks} weekMs={weekMs} />
            <h2>Week of {dateText(weekMs)} (UTC)</h2>
            <DmarcView week={week} />
            <TlsView week={week} />
          </>
        )}
        <RefusalsView refusals={refusals} />
      </>
    ),
  });
}

function RefusalsView({ refusals }: { refusals: Refusals }) {
  if (refusals.total === 0) return null;
  return (
    <>
      <h2>Reports that were not stored</h2>
      <p>{refusalsSentence(refusals)}</p>
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
    </>
  );
}

function Weeks({ path, weeks, weekMs: shownMs }: { path: string; weeks: readonly ReportedWeek[]; weekMs: number }) {
  return (
    <Table label="Weeks" head={["Week of", "DMARC reports", "Messages", "Failed", "Failed, ours", "TLS failures"]}>
      {weeks.map(({ weekMs, dmarc, tls }) => (
        <tr key={weekMs}>
          <th scope="row">
            <a
              href={`${path}/reports?week=${dateText(weekMs)}`}
              {...(weekMs === shownMs ? { "aria-current": "page" as const } : {})}
            >
              {dateText(weekMs)}
            </a>
          </th>
          <td>{countText(dmarc.reports)}</td>
          <td>{countText(dmarc.messages)}</td>
          <td>{countText(dmarc.failed)}</td>
          <td>{countText(dmarc.failedOurs)}</td>
          <td>
            {tls.reports === 0 ? "" : `${countText(tls.failed)} of ${countText(tls.succeeded + tls.failed)} sessions`}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function DmarcView({ week: { receivers, sources } }: { week: WeekReports }) {
  if (receivers.length === 0) return null;
  const isOursFailing = receivers.some(({ failedOurs }) => failedOurs > 0);
  return (
    <>
      {isOursFailing ? (
        <Notice tone="warn">
          Messages of yours failed DMARC. See the rows marked “yes” below, and the DKIM and SPF records of the domain.
        </Notice>
      ) : null}
      <ul class="bullets">
        {receivers.map((receiver) => (
          <li key={receiver.org}>{receiverSentence(receiver, sources)}</li>
        ))}
      </ul>
      <Table
        label="Sources of messages"
        class="stacked"
        head={["Address", "Ours", "Reported by", "From domain", "Messages", "Failed", "DKIM", "SPF", "Disposition"]}
      >
        {sources.map((source) => (
          <SourceRow key={`${source.org} ${source.ip} ${source.ours}`} source={source} />
        ))}
      </Table>
    </>
  );
}

function SourceRow({ source }: { source: ReportedSource }) {
  const { org, ip, messages, failed, dkimPassed, spfPassed, headerFrom } = source;
  return (
    <tr>
      <th scope="row">{ip}</th>
      <td data-label="Ours">{oursText(source)}</td>
      <td data-label="Reported by">{org}</td>
      <td data-label="From domain">{headerFrom === "" ? "several" : headerFrom}</td>
      <td data-label="Messages">{countText(messages)}</td>
      <td data-label="Failed">{countText(failed)}</td>
      <td data-label="DKIM">{countText(dkimPassed)} passed</td>
      <td data-label="SPF">{countText(spfPassed)} passed</td>
      <td data-label="Disposition">{fateText(source)}</td>
    </tr>
  );
}

/** What the receiver did with the messages that it did not simply accept. */
function fateText({ quarantined, rejected }: ReportedSource): string {
  const parts = [
    ...(rejected === 0 ? [] : [`${countText(rejected)} rejected`]),
    ...(quarantined === 0 ? [] : [`${countText(quarantined)} to spam`]),
  ];
  return parts.length === 0 ? "accepted" : parts.join(", ");
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
