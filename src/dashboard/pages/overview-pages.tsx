/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The overview: figures, charts, the queue, and the state of domains and host. The page contains all numbers, so it is
 * complete without scripts; charts.js draws the same numbers and keeps them up to date.
 */

import type { Context } from "koa";
import type { HostState } from "../../app/installation/host-watch.ts";
import { type QueueReport, readQueue } from "../../app/reports/queue-report.ts";
import type { ReceiverFailures } from "../../app/reports/receivers.ts";
import { shareText } from "../../lib/share-text.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { Activity, Failures } from "../../spool/port/reports.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { activityIn, columnsOf, momentsOf, rangeNamed, TIME_RANGES, type TimeRange } from "../views/chart-ranges.ts";
import { Charts } from "../views/charts.tsx";
import { FailureLists } from "../views/failures.tsx";
import { HostSummary } from "../views/host-summary.tsx";
import { countText, plural, spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { acceptedLink, messagesLink, resultLink } from "../views/message-links.ts";
import { QueueSummary, queueSignature } from "../views/queue-summary.tsx";
import { queueCountsText } from "../views/queue-wait.tsx";
import { ProblemEndpoints, problemEndpointsVersion } from "../views/webhook-notices.tsx";
import type { DashboardParts } from "../web/parts.ts";
import { domainsOf, ProblemDomains, problemDomainsVersion } from "./problem-domains.tsx";
import { FailuresOfReceivers, RecentFailures } from "./recent-failures.ts";
import type { Pages } from "./routes.ts";
import { hasSent, progressOf } from "./start-pages.tsx";

const DOMAINS_SHOWN = 8;

interface OverviewState {
  /** Whether the page covers all accounts, for operators. */
  all: boolean;
  range: TimeRange;
  activity: Activity;
  sinceMs: number;
  failures: Failures;
  receivers: ReceiverFailures[];
  queue: QueueReport;
  domains: Domain[];
  endpoints: Endpoint[];
  host: HostState;
  unavailableReason: string | null;
  nowMs: number;
}

export function createOverviewPages(parts: DashboardParts): Pages {
  const { spool, registry, reports, clock } = parts;
  const recentFailures = new RecentFailures(reports, clock);
  const byReceiver = new FailuresOfReceivers(spool, clock);

  async function stateFor(auth: AuthContext, range: TimeRange, all: boolean): Promise<OverviewState> {
    const nowMs = clock.now();
    const accountId = all ? null : auth.account.id;
    const moments = momentsOf(range, nowMs);
    const [activity, queue, domains, endpoints] = await Promise.all([
      activityIn(reports, { range, accountId, nowMs }),
      readQueue(parts, { accountId, nowMs, limit: DOMAINS_SHOWN }),
      domainsOf(registry, accountId),
      spool.endpoints(accountId),
    ]);
    return {
      all,
      range,
      activity,
      sinceMs: moments.sinceMs,
      failures: await recentFailures.read({ accountId, ...moments }, activity.total.failed),
      receivers: all ? await byReceiver.read({ nowMs, days: Math.ceil(range.spanMs / DAY_MS) }) : [],
      queue,
      domains,
      endpoints,
      host: parts.host.look(),
      unavailableReason: parts.sending.unavailableReason(),
      nowMs,
    };
  }

  return {
    "GET /": async (ctx, auth) => {
      const isBare = ctx.query.range === undefined && ctx.query.all === undefined;
      if (isBare && !hasSent(await progressOf(parts, auth.account.id))) return ctx.redirect("/dashboard/start");
      return overviewPage(auth, await stateFor(auth, rangeNamed(ctx.query.range), isForAll(ctx, auth)));
    },

    "GET /data/overview": async (ctx, auth) => {
      const range = rangeNamed(ctx.query.range);
      const state = await stateFor(auth, range, isForAll(ctx, auth));
      ctx.body = { version: versionOf(state), columns: columnsOf(state.activity, range, state.nowMs) };
    },
  };
}

const isForAll = (ctx: Context, auth: AuthContext): boolean => auth.user.operator && ctx.query.all === "1";

/** Encodes the overview's parameters as a query string. */
const queryOf = (range: TimeRange, all: boolean): string => `range=${range.name}${all ? "&all=1" : ""}`;

/** Changes whenever the page's text does, except for its relative times. */
function versionOf(state: OverviewState): string {
  const { activity, failures, queue, domains, endpoints, host, unavailableReason } = state;
  const { total } = activity;
  const counts = [...Object.values(total), queue.waiting, queue.unknown];
  const failed = [failures.reasons, failures.domains, state.receivers].map((list) => JSON.stringify(list));
  const problems = [problemDomainsVersion(domains), problemEndpointsVersion(endpoints)];
  return [...counts, ...failed, queueSignature(queue), ...problems, host.examinedAtMs, unavailableReason].join(" ");
}

function overviewPage(auth: AuthContext, state: OverviewState): string {
  const { range } = state;
  return signedInPage(auth, "", {
    title: "Overview",
    scripts: ["charts.js"],
    styles: ["uplot.css"],
    children: (
      <>
        <div class="title-row">
          <h1>{state.all ? "Overview of all accounts" : "Overview"}</h1>
          <div class="bar">
            {auth.user.operator ? (
              <a href={`/dashboard?${queryOf(range, !state.all)}`}>
                {state.all ? `Only account ${auth.account.name}` : "All accounts"}
              </a>
            ) : null}
            <RangeLinks range={range} all={state.all} />
          </div>
        </div>
        <div class="stack" id="webhook-notices" data-live-part>
          <ProblemEndpoints auth={auth} endpoints={state.endpoints} nowMs={state.nowMs} />
        </div>
        <div
          data-live={`/dashboard/data/overview?${queryOf(range, state.all)}`}
          data-version={versionOf(state)}
          id="figures"
        >
          <Figures state={state} />
        </div>
        <Charts activity={state.activity} range={range} nowMs={state.nowMs} />
        <div class="stack" id="failures" data-live-part>
          <FailureLists
            failures={state.failures}
            receivers={state.receivers}
            rangeText={range.text}
            sinceMs={state.sinceMs}
            isLinked={!state.all}
          />
        </div>
        <div class="columns" id="standing" data-live-part>
          <QueueSummary queue={state.queue} nowMs={state.nowMs} isLinked={!state.all} />
          <div class="stack">
            <ProblemDomains domains={state.domains} auth={auth} />
            <HostSummary auth={auth} host={state.host} unavailableReason={state.unavailableReason} />
          </div>
        </div>
      </>
    ),
  });
}

function RangeLinks({ range, all }: { range: TimeRange; all: boolean }) {
  return (
    <nav class="tabs" aria-label="Range">
      {[...TIME_RANGES]
        .sort((a, b) => a.spanMs - b.spanMs)
        .map((each) => (
          <a
            key={each.name}
            href={`/dashboard?${queryOf(each, all)}`}
            aria-current={each.name === range.name ? "true" : undefined}
          >
            {each.text}
          </a>
        ))}
    </nav>
  );
}

function Figures({ state: { activity, queue, range, sinceMs, all } }: { state: OverviewState }) {
  const { total } = activity;
  const final = total.delivered + total.failed + total.unknown;
  // The message list is of one account.
  const linked = (href: string): { href?: string } => (all ? {} : { href });
  return (
    <dl class="figures">
      <Figure
        name="Accepted"
        value={countText(total.messages)}
        note={`for ${plural(total.recipients, "recipient")}`}
        {...linked(acceptedLink(sinceMs))}
      />
      <Figure
        name="Delivered"
        value={shareText(total.delivered, final)}
        note={final === 0 ? "no results yet" : `${countText(total.delivered)} of ${countText(final)} with a result`}
        {...linked(resultLink("delivered", sinceMs))}
      />
      <Figure
        name="Time to delivery"
        value={total.p50Ms === null ? "–" : spanText(total.p50Ms)}
        note={total.p95Ms === null ? `median of ${range.text}` : `median; 95 % within ${spanText(total.p95Ms)}`}
      />
      <Figure
        name="Waiting now"
        value={countText(queue.waiting)}
        note={waitingNote(queue)}
        {...linked(messagesLink({ result: "pending" }))}
      />
      <Figure
        name="Failed"
        value={countText(total.failed)}
        note={`recipients in ${range.text}`}
        {...linked(resultLink("failed", sinceMs))}
        tone={total.failed > 0 ? "bad" : ""}
      />
      <Figure
        name="Unknown"
        value={countText(queue.unknown)}
        note={decisionNote(queue.unknown)}
        {...linked(messagesLink({ result: "unknown" }))}
        tone={queue.unknown > 0 ? "warn" : ""}
      />
    </dl>
  );
}

function decisionNote(unknown: number): string {
  if (unknown === 0) return "nothing needs your decision";
  return unknown === 1 ? "needs your decision" : "need your decision";
}

/** Which of them are due, deferred and in flight, unless more domains wait than are listed. */
function waitingNote(queue: QueueReport): string {
  const isWhole = queue.waiting > 0 && queue.domains.length < DOMAINS_SHOWN;
  return isWhole ? queueCountsText(queue) : "recipients";
}

function Figure(props: { name: string; value: string; note: string; href?: string; tone?: string }) {
  return (
    <div class={`figure card ${props.tone ?? ""}`}>
      <dt>{props.href === undefined ? props.name : <a href={props.href}>{props.name}</a>}</dt>
      <dd>
        <span class="figure-value">{props.value}</span>
        <span class="figure-note">{props.note}</span>
      </dd>
    </div>
  );
}
