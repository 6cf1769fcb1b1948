/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Charts that charts.js draws from `data-columns`, and the same numbers as a table. Times are in UTC; charts.js shows them in the
 * reader's time zone and language.
 */
import type { ComponentChildren } from "preact";
import type { Activity, ActivityInterval } from "../../spool/port/reports.ts";
import { columnsOf, type TimeRange } from "./chart-ranges.ts";
import { EmptyState, OpenWithoutScript, Table, Timestamp } from "./components.tsx";
import { countText, spanText } from "./labels.ts";

/** Which chart is shown. */
export type ChartName = "results" | "times";

export const chartNamed = (name: unknown): ChartName => (name === "times" ? "times" : "results");

export interface ChartsProps {
  activity: Activity;
  range: TimeRange;
  nowMs: number;
  chart: ChartName;
  /** The page with another chart. */
  chartLink: (chart: ChartName) => string;
}

const TITLES: Readonly<Record<ChartName, string>> = { results: "Results", times: "Time to delivery" };

export function Charts({ activity, range, nowMs, chart, chartLink }: ChartsProps) {
  const columns = JSON.stringify(columnsOf(activity, range, nowMs));
  const tabs = (
    <nav class="tabs needs-script" aria-label="Chart">
      {(["results", "times"] as const).map((name) => (
        <a key={name} href={chartLink(name)} aria-current={name === chart ? "true" : undefined}>
          {TITLES[name]}
        </a>
      ))}
    </nav>
  );
  return (
    <div id="charts" data-columns={columns}>
      {chart === "results" ? (
        <Chart
          name="results"
          tabs={tabs}
          unit="recipients"
          series={["delivered Delivered", "failed Failed", "unknown Unknown", "recipients Accepted"]}
          empty={`No messages in the last ${range.text}`}
        />
      ) : (
        <Chart
          name="times"
          tabs={tabs}
          series={["p50 Median", "p95 95 %"]}
          empty={`Nothing was delivered in the last ${range.text}`}
        />
      )}
      <div id="numbers" data-live-part>
        <OpenWithoutScript class="numbers" summary="Show as a table">
          <NumbersTable slots={activity.slots} />
        </OpenWithoutScript>
      </div>
    </div>
  );
}

interface ChartProps {
  name: ChartName;
  tabs: ComponentChildren;
  unit?: string;
  /** The class and the name of each series. */
  series: string[];
  /** Shown instead of an empty chart. */
  empty: string;
}

function Chart({ name, tabs, unit, series, empty }: ChartProps) {
  return (
    <section class="card chart needs-script" aria-labelledby={`chart-${name}`}>
      <div class="title-row">
        <h2 id={`chart-${name}`}>
          {TITLES[name]}{" "}
          <span class="check-purpose">
            {unit === undefined ? "" : `${unit}, `}
            <span data-zone>times in UTC</span>
          </span>
        </h2>
        <ul class="legend">
          {series.map((each) => {
            const [className = "", ...words] = each.split(" ");
            return (
              <li key={className} class={className}>
                {words.join(" ")}
              </li>
            );
          })}
        </ul>
        {tabs}
      </div>
      <div class="plot" data-plot={name} />
      <p class="readout" data-readout={name} />
      <div class="chart-empty" hidden>
        <EmptyState title={empty} />
      </div>
    </section>
  );
}

function NumbersTable({ slots }: { slots: ActivityInterval[] }) {
  if (slots.length === 0) return <p class="quiet">No activity in this time range.</p>;
  const head = ["From", "Accepted", "Recipients", "Delivered", "Failed", "Unknown", "Deferred", "Median", "95 %"];
  const time = (ms: number | null): string => (ms === null ? "–" : spanText(ms));
  const countsOf = ({ messages, recipients, delivered, failed, unknown, deferred }: ActivityInterval): number[] => [
    messages,
    recipients,
    delivered,
    failed,
    unknown,
    deferred,
  ];
  return (
    <Table label="Results and times to delivery" class="stacked" head={head}>
      {slots.toReversed().map((slot) => (
        <tr key={slot.atMs}>
          <th scope="row" class="nowrap">
            <Timestamp atMs={slot.atMs} />
          </th>
          {countsOf(slot).map((count, i) => (
            <td key={head[i + 1]} class="number" data-label={head[i + 1]}>
              {countText(count)}
            </td>
          ))}
          <td class="number" data-label="Median">
            {time(slot.p50Ms)}
          </td>
          <td class="number" data-label="95 %">
            {time(slot.p95Ms)}
          </td>
        </tr>
      ))}
    </Table>
  );
}
