/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The overview: what people look at rather than read. The numbers come with the page, so it says everything without
 * scripts too; charts are drawn from the same numbers and keep themselves up to date.
 */
import type { Context } from "koa";
import { explain } from "../../message/explanation.ts";
import type { Domain } from "../../spool/port/accounts.ts";
import type { Activity, Slot, WaitingMail } from "../../spool/port/reports.ts";
import type { Visit } from "../auth/sessions.ts";
import { activityIn, columnsOf, RANGES, type Range, rangeNamed } from "../views/chart-ranges.ts";
import { Badge, Empty, Moment, Table } from "../views/components.tsx";
import { HostSummary } from "../views/host-summary.tsx";
import { countText, plural, shareText, spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import type { DashboardParts, HostState } from "../web/parts.ts";
import type { Pages } from "./routes.ts";
import { hasBegun, progressOf } from "./start-pages.tsx";
import { DomainsInTrouble, domainsOf, troubleVersion } from "./troubled-domains.tsx";

const DOMAINS_SHOWN = 8;

interface OverviewState {
  /** All accounts together: for operators. */
  all: boolean;
  range: Range;
  activity: Activity;
  waiting: WaitingMail;
  domains: Domain[];
  host: HostState;
  refusal: string | null;
  nowMs: number;
}

export function createOverviewPages(parts: DashboardParts): Pages {
  const { registry, reports, clock } = parts;

  async function stateFor(visit: Visit, range: Range, all: boolean): Promise<OverviewState> {
    const nowMs = clock.now();
    const accountId = all ? null : visit.account.id;
    const [activity, waiting, domains] = await Promise.all([
      activityIn(reports, { range, accountId, nowMs }),
      reports.waiting({ accountId, nowMs, limit: DOMAINS_SHOWN }),
      domainsOf(registry, accountId),
    ]);
    return {
      all,
      range,
      activity,
      waiting,
      domains,
      host: parts.host.look(),
      refusal: parts.sending.unavailableReason(),
      nowMs,
    };
  }

  return {
    "GET /": async (ctx, visit) => {
      const isBare = ctx.query.range === undefined && ctx.query.all === undefined;
      if (isBare && !hasBegun(await progressOf(parts, visit.account.id))) return ctx.redirect("/dashboard/start");
      return overviewPage(visit, await stateFor(visit, rangeNamed(ctx.query.range), asksForAll(ctx, visit)));
    },

    "GET /data/overview": async (ctx, visit) => {
      const range = rangeNamed(ctx.query.range);
      const state = await stateFor(visit, range, asksForAll(ctx, visit));
      ctx.body = { version: versionOf(state), columns: columnsOf(state.activity, range, state.nowMs) };
    },
  };
}

const asksForAll = (ctx: Context, visit: Visit): boolean => visit.user.operator && ctx.query.all === "1";

/** What the overview is asked for, as part of a link. */
const queryOf = (range: Range, all: boolean): string => `range=${range.name}${all ? "&all=1" : ""}`;

/** Changes with what the page shows in words. */
function versionOf({ activity, waiting, domains, host, refusal }: OverviewState): string {
  const { total } = activity;
  const queue = waiting.domains.map((d) => [d.domain, d.waiting, d.reason, d.category, d.pausedAtMs].join(":"));
  const counts = [...Object.values(total), waiting.waiting, waiting.unknown];
  return [...counts, ...queue, troubleVersion(domains), host.examinedAtMs, refusal].join(" ");
}

function overviewPage(visit: Visit, state: OverviewState): string {
  const { range } = state;
  return signedInPage(visit, "", {
    title: "Overview",
    scripts: ["charts.js"],
    styles: ["uplot.css"],
    children: (
      <>
        <div class="title-row">
          <h1>{state.all ? "Overview of all accounts" : "Overview"}</h1>
          <div class="bar">
            {visit.user.operator ? (
              <a href={`/dashboard?${queryOf(range, !state.all)}`}>
                {state.all ? `Only the account ${visit.account.name}` : "All accounts"}
              </a>
            ) : null}
            <RangeLinks range={range} all={state.all} />
          </div>
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
            <DomainsInTrouble domains={state.domains} visit={visit} />
            <HostSummary visit={visit} host={state.host} refusal={state.refusal} />
          </div>
        </div>
      </>
    ),
  });
}

function RangeLinks({ range, all }: { range: Range; all: boolean }) {
  return (
    <nav class="tabs" aria-label="Range">
      {[...RANGES]
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
        note={plural(waiting.domains.length, "destination")}
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
        name="In doubt"
        value={countText(waiting.unknown)}
        note="need a person"
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

/** Drawn by charts.js from the numbers in `data-columns`; the table says the same. */
function Charts({ state: { activity, range, nowMs } }: { state: OverviewState }) {
  const columns = JSON.stringify(columnsOf(activity, range, nowMs));
  return (
    <div id="charts" data-columns={columns}>
      <section class="card chart" aria-labelledby="chart-results">
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
      <section class="card chart" aria-labelledby="chart-times">
        <h2 id="chart-times">
          Time to delivery <span class="check-purpose">times in UTC</span>
        </h2>
        <ul class="legend">
          <li class="p50">Median</li>
          <li class="p95">95 %</li>
        </ul>
        <div class="plot" data-plot="times" aria-hidden="true" />
      </section>
      <details class="card numbers">
        <summary>The same in numbers</summary>
        <NumbersTable slots={activity.slots} />
      </details>
    </div>
  );
}

function NumbersTable({ slots }: { slots: Slot[] }) {
  if (slots.length === 0) return <p class="quiet">Nothing happened in this time.</p>;
  const head = ["From (UTC)", "Accepted", "Delivered", "Failed", "Unknown", "Tried again later", "Median", "95 %"];
  const time = (ms: number | null): string => (ms === null ? "–" : spanText(ms));
  return (
    <Table label="Results and times to delivery" head={head}>
      {slots.toReversed().map((slot) => (
        <tr key={slot.atMs}>
          <th scope="row" class="nowrap">
            <Moment atMs={slot.atMs} />
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
      <h2 id="queue-title">Queue by destination</h2>
      {waiting.domains.length === 0 ? (
        <Empty title="Nothing waits" />
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
                {entry.pausedAtMs === null ? null : <Badge word={{ text: "Paused", tone: "warn" }} />}{" "}
                {entry.reason === null
                  ? entry.waiting === 0
                    ? ""
                    : "Not tried yet."
                  : explain(entry.reason, entry.category)}{" "}
                {entry.smtp === null ? null : (
                  <q class="said">
                    {entry.smtp.code} {entry.smtp.message}
                  </q>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
