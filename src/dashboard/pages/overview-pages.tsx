/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The overview: figures, charts, the queue, and the state of domains and host. The page contains all numbers, so it is
 * complete without scripts; charts.js draws the same numbers and keeps them up to date.
 */

import type { Context } from "koa";
import type { HostState } from "../../app/host-watch.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { Activity, ActivityInterval, WaitingMail } from "../../spool/port/reports.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { activityIn, columnsOf, rangeNamed, TIME_RANGES, type TimeRange } from "../views/chart-ranges.ts";
import { Badge, EmptyState, OpenWithoutScript, Table, Timestamp } from "../views/components.tsx";
import { HostSummary } from "../views/host-summary.tsx";
import { countText, plural, shareText, spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { WaitingReason } from "../views/waiting-reason.tsx";
import { ProblemEndpoints, problemEndpointsVersion } from "../views/webhook-notices.tsx";
import type { DashboardParts } from "../web/parts.ts";
import { domainsOf, ProblemDomains, problemDomainsVersion } from "./problem-domains.tsx";
import type { Pages } from "./routes.ts";
import { hasSent, progressOf } from "./start-pages.tsx";

const DOMAINS_SHOWN = 8;

interface OverviewState {
  /** Whether the page covers all accounts, for operators. */
  all: boolean;
  range: TimeRange;
  activity: Activity;
  waiting: WaitingMail;
  domains: Domain[];
  endpoints: Endpoint[];
  host: HostState;
  unavailableReason: string | null;
  nowMs: number;
}

export function createOverviewPages(parts: DashboardParts): Pages {
  const { spool, registry, reports, clock } = parts;

  async function stateFor(auth: AuthContext, range: TimeRange, all: boolean): Promise<OverviewState> {
    const nowMs = clock.now();
    const accountId = all ? null : auth.account.id;
    const [activity, waiting, domains, endpoints] = await Promise.all([
      activityIn(reports, { range, accountId, nowMs }),
      reports.waiting({ accountId, nowMs, limit: DOMAINS_SHOWN }),
      domainsOf(registry, accountId),
      spool.endpoints(accountId),
    ]);
    return {
      all,
      range,
      activity,
      waiting,
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
function versionOf({ activity, waiting, domains, endpoints, host, unavailableReason }: OverviewState): string {
  const { total } = activity;
  const queue = waiting.domains.map((d) => [d.domain, d.waiting, d.reason, d.category, d.pausedAtMs].join(":"));
  const counts = [...Object.values(total), waiting.waiting, waiting.unknown];
  const problems = [problemDomainsVersion(domains), problemEndpointsVersion(endpoints)];
  return [...counts, ...queue, ...problems, host.examinedAtMs, unavailableReason].join(" ");
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
        <Charts state={state} />
        <div class="columns" id="standing" data-live-part>
          <Queue waiting={state.waiting} />
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

function Figures({ state: { activity, waiting, range } }: { state: OverviewState }) {
  const { total } = activity;
  const final = total.delivered + total.failed + total.unknown;
  return (
    <dl class="figures">
      <Figure name="Accepted" value={countText(total.messages)} note={plural(total.recipients, "recipient")} />
      <Figure
        name="Delivered"
        value={shareText(total.delivered, final)}
        note={`${countText(total.delivered)} of ${countText(final)} with a result`}
      />
      <Figure
        name="Time to delivery"
        value={total.p50Ms === null ? "–" : spanText(total.p50Ms)}
        note={total.p95Ms === null ? `median of ${range.text}` : `median; 95 % within ${spanText(total.p95Ms)}`}
      />
      <Figure
        name="Waiting now"
        value={countText(waiting.waiting)}
        note={plural(waiting.domains.length, "recipient domain")}
        href="/dashboard/messages?result=pending"
      />
      <Figure
        name="Failed"
        value={countText(total.failed)}
        note={`in ${range.text}`}
        href="/dashboard/messages?result=failed"
        tone={total.failed > 0 ? "bad" : ""}
      />
      <Figure
        name="Unknown"
        value={countText(waiting.unknown)}
        note="need your decision"
        href="/dashboard/messages?result=unknown"
        tone={waiting.unknown > 0 ? "warn" : ""}
      />
    </dl>
  );
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

/** Charts that charts.js draws from `data-columns`, and the same numbers as a table. */
function Charts({ state: { activity, range, nowMs } }: { state: OverviewState }) {
  const columns = JSON.stringify(columnsOf(activity, range, nowMs));
  return (
    <div id="charts" data-columns={columns}>
      <section class="card chart needs-script" aria-labelledby="chart-results">
        <h2 id="chart-results">
          Results <span class="check-purpose">times in UTC</span>
        </h2>
        <ul class="legend">
          <li class="delivered">Delivered</li>
          <li class="failed">Failed</li>
          <li class="unknown">Unknown</li>
          <li class="accepted">Accepted</li>
        </ul>
        <div class="plot" data-plot="results" aria-hidden="true" />
      </section>
      <section class="card chart needs-script" aria-labelledby="chart-times">
        <h2 id="chart-times">
          Time to delivery <span class="check-purpose">times in UTC</span>
        </h2>
        <ul class="legend">
          <li class="p50">Median</li>
          <li class="p95">95 %</li>
        </ul>
        <div class="plot" data-plot="times" aria-hidden="true" />
      </section>
      <OpenWithoutScript class="card numbers" summary="Show as a table">
        <NumbersTable slots={activity.slots} />
      </OpenWithoutScript>
    </div>
  );
}

function NumbersTable({ slots }: { slots: ActivityInterval[] }) {
  if (slots.length === 0) return <p class="quiet">No activity in this time range.</p>;
  const head = ["From (UTC)", "Accepted", "Delivered", "Failed", "Unknown", "Deferred", "Median", "95 %"];
  const time = (ms: number | null): string => (ms === null ? "–" : spanText(ms));
  return (
    <Table label="Results and times to delivery" head={head}>
      {slots.toReversed().map((slot) => (
        <tr key={slot.atMs}>
          <th scope="row" class="nowrap">
            <Timestamp atMs={slot.atMs} />
          </th>
          {[slot.recipients, slot.delivered, slot.failed, slot.unknown, slot.deferred].map((count, i) => (
            <td key={head[i + 1]} class="number">
              {countText(count)}
            </td>
          ))}
          <td class="number">{time(slot.p50Ms)}</td>
          <td class="number">{time(slot.p95Ms)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Queue({ waiting }: { waiting: WaitingMail }) {
  return (
    <section class="card" aria-labelledby="queue-title">
      <h2 id="queue-title">Queue by recipient domain</h2>
      {waiting.domains.length === 0 ? (
        <EmptyState title="The queue is empty" />
      ) : (
        <ul class="queue">
          {waiting.domains.map((entry) => (
            <li key={entry.domain}>
              <p class="queue-head">
                <a href={`/dashboard/messages?result=pending&q=${encodeURIComponent(`@${entry.domain}`)}`}>
                  {entry.domain}
                </a>
                <span class="queue-count">{countText(entry.waiting)}</span>
              </p>
              <p class="queue-why">
                {entry.pausedAtMs === null ? null : <Badge label={{ text: "Paused", tone: "warn" }} />}{" "}
                <WaitingReason entry={entry} none="" />
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
