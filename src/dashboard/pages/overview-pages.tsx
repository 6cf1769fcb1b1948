/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The overview: whether mail is healthy, what needs action, figures, a chart, failures and the queue. The page contains all numbers, so
 * it is complete without scripts; charts.js draws the same numbers and keeps them up to date.
 */

import type { Context } from "koa";
import type { HostState } from "../../app/installation/host-watch.ts";
import { accountReasons } from "../../app/reports/account-status.ts";
import { type QueueReport, readQueue } from "../../app/reports/queue-report.ts";
import type { ReceiverFailures } from "../../app/reports/receivers.ts";
import { isLongWait, LONG_WAIT_TEXT } from "../../app/reports/service-status.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { Activity, Failures } from "../../spool/port/reports.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { activityIn, columnsOf, momentsOf, rangeNamed, TIME_RANGES, type TimeRange } from "../views/chart-ranges.ts";
import { type ChartName, Charts, chartNamed } from "../views/charts.tsx";
import { FailureLists } from "../views/failures.tsx";
import { signedInPage } from "../views/layout.tsx";
import { BlockedTasks, HostTasks, MailHealth, UnknownTask, WaitTask } from "../views/mail-health.tsx";
import { QueueSummary, queueSignature } from "../views/queue-summary.tsx";
import { EndpointTasks, problemEndpointsVersion } from "../views/webhook-notices.tsx";
import type { DashboardParts } from "../web/parts.ts";
import { Figures } from "./overview-figures.tsx";
import { Comparison, ServiceVerdict, type Verdict } from "./overview-verdict.ts";
import { DomainTasks, domainsOf, problemDomainsVersion } from "./problem-domains.tsx";
import { FailuresOfReceivers, RecentFailures } from "./recent-failures.ts";
import type { Pages } from "./routes.ts";
import { hasSent, progressOf } from "./start-pages.tsx";

const DOMAINS_SHOWN = 5;

interface OverviewState {
  /** Whether the page covers all accounts, for operators. */
  all: boolean;
  range: TimeRange;
  chart: ChartName;
  activity: Activity;
  /** Of the same time before. */
  before: Activity["total"];
  verdict: Verdict;
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
  const comparison = new Comparison(parts);
  const serviceVerdict = new ServiceVerdict(parts);

  async function stateFor(auth: AuthContext, { range, all, chart }: Shown): Promise<OverviewState> {
    const nowMs = clock.now();
    const accountId = all ? null : auth.account.id;
    const moments = momentsOf(range, nowMs);
    const host = parts.host.look();
    const unavailableReason = parts.sending.unavailableReason();
    const [activity, before, queue, domains, endpoints] = await Promise.all([
      activityIn(reports, { range, accountId, nowMs }),
      comparison.before({ range, accountId, nowMs }),
      readQueue(parts, { accountId, nowMs, limit: DOMAINS_SHOWN }),
      domainsOf(registry, accountId),
      spool.endpoints(accountId),
    ]);
    const ofAccount = {
      isAccepting: unavailableReason === null,
      isDeliveryPaused: queue.isDeliveryPaused,
      findings: host.findings,
      oldestAtMs: queue.oldestAtMs,
    };
    return {
      all,
      range,
      chart,
      activity,
      before,
      verdict: auth.user.operator
        ? await serviceVerdict.read(host, nowMs)
        : verdictOf(accountReasons({ ...ofAccount, domains, endpoints, nowMs })),
      sinceMs: moments.sinceMs,
      failures: await recentFailures.read({ accountId, ...moments }, activity.total.failed),
      receivers: all ? await byReceiver.read({ nowMs, days: Math.ceil(range.spanMs / DAY_MS) }) : [],
      queue,
      domains,
      endpoints,
      host,
      unavailableReason,
      nowMs,
    };
  }

  return {
    "GET /": async (ctx, auth) => {
      const isBare = ctx.query.range === undefined && ctx.query.all === undefined;
      if (isBare && !hasSent(await progressOf(parts, auth.account.id))) return ctx.redirect("/dashboard/start");
      return overviewPage(auth, await stateFor(auth, shownBy(ctx, auth)));
    },

    "GET /data/overview": async (ctx, auth) => {
      const state = await stateFor(auth, shownBy(ctx, auth));
      ctx.body = { version: versionOf(state), columns: columnsOf(state.activity, state.range, state.nowMs) };
    },
  };
}

const verdictOf = (reasons: string[]): Verdict => ({ isHealthy: reasons.length === 0, reasons, blocked: [] });

type Shown = Pick<OverviewState, "range" | "all" | "chart">;

const shownBy = ({ query }: Context, auth: AuthContext): Shown => ({
  range: rangeNamed(query.range),
  all: auth.user.operator && query.all === "1",
  chart: chartNamed(query.chart),
});

/** The query string of the overview. */
const queryOf = ({ range, all, chart }: Shown): string =>
  `range=${range.name}${all ? "&all=1" : ""}${chart === "results" ? "" : `&chart=${chart}`}`;

/** Changes whenever the page's text does, except for its relative times. */
function versionOf(state: OverviewState): string {
  const { activity, before, verdict, failures, queue, domains, endpoints, host, unavailableReason } = state;
  const { total } = activity;
  const counts = [
    ...Object.values(total),
    ...Object.values(before),
    queue.waiting,
    queue.unknown,
    ...verdict.reasons,
    ...verdict.blocked,
  ];
  const failed = [failures.reasons, failures.domains, state.receivers].map((list) => JSON.stringify(list));
  const problems = [problemDomainsVersion(domains), problemEndpointsVersion(endpoints)];
  return [...counts, ...failed, queueSignature(queue), ...problems, host.examinedAtMs, unavailableReason].join(" ");
}

/** Without the one that `WaitTask` names. */
const unlistedReasons = ({ verdict: { reasons }, queue: { oldestAtMs }, nowMs }: OverviewState): string[] =>
  isLongWait(oldestAtMs, nowMs) ? reasons.filter((each) => each !== LONG_WAIT_TEXT) : reasons;

function overviewPage(auth: AuthContext, state: OverviewState): string {
  const { range, all, verdict } = state;
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
              <a href={`/dashboard?${queryOf({ ...state, all: !all })}`}>
                {state.all ? `Only account ${auth.account.name}` : "All accounts"}
              </a>
            ) : null}
            <RangeLinks shown={state} />
          </div>
        </div>
        <div id="health" data-live-part>
          <MailHealth isHealthy={verdict.isHealthy} reasons={unlistedReasons(state)}>
            <WaitTask oldestAtMs={state.queue.oldestAtMs} nowMs={state.nowMs} isLinked={!all} />
            <BlockedTasks receivers={verdict.blocked} />
            <HostTasks
              auth={auth}
              host={state.host}
              unavailableReason={state.unavailableReason}
              blocked={verdict.blocked}
            />
            <EndpointTasks auth={auth} endpoints={state.endpoints} nowMs={state.nowMs} />
            <DomainTasks auth={auth} domains={state.domains} />
            <UnknownTask unknown={state.queue.unknown} isLinked={!all} />
          </MailHealth>
        </div>
        <div data-live={`/dashboard/data/overview?${queryOf(state)}`} data-version={versionOf(state)} id="figures">
          <Figures {...state} isWholeQueue={state.queue.domains.length < DOMAINS_SHOWN} />
        </div>
        <Charts
          activity={state.activity}
          range={range}
          nowMs={state.nowMs}
          chart={state.chart}
          chartLink={(chart) => `/dashboard?${queryOf({ ...state, chart })}`}
        />
        <div class="short-lists" id="failures" data-live-part>
          <FailureLists
            failures={state.failures}
            receivers={state.receivers}
            rangeText={range.text}
            sinceMs={state.sinceMs}
            isLinked={!all}
          />
          <QueueSummary queue={state.queue} nowMs={state.nowMs} isLinked={!all} />
        </div>
      </>
    ),
  });
}

function RangeLinks({ shown }: { shown: Shown }) {
  return (
    <nav class="tabs" aria-label="Range">
      {[...TIME_RANGES]
        .sort((a, b) => a.spanMs - b.spanMs)
        .map((each) => (
          <a
            key={each.name}
            href={`/dashboard?${queryOf({ ...shown, range: each })}`}
            aria-current={each.name === shown.range.name ? "true" : undefined}
          >
            {each.text}
          </a>
        ))}
    </nav>
  );
}
