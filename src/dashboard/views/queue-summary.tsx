/** @jsxRuntime automatic @jsxImportSource preact */
/** The recipient domains with most recipients waiting, on the overview. */
import type { QueueDestination, QueueReport } from "../../app/reports/queue-report.ts";
import { DELIVERY_PAUSED_TEXT } from "../../app/reports/queue-wait-text.ts";
import { Badge, EmptyState, Notice, RelativeTime } from "./components.tsx";
import { countText, plural } from "./labels.ts";
import { messagesLink } from "./message-links.ts";
import { QueueWaitText, queueCountsText } from "./queue-wait.tsx";

export interface QueueSummaryProps {
  queue: QueueReport;
  nowMs: number;
  /** Whether the reader's message list has these messages: not those of all accounts. */
  isLinked: boolean;
}

export function QueueSummary({ queue, nowMs, isLinked }: QueueSummaryProps) {
  const { domains, isDeliveryPaused, idleClosings } = queue;
  return (
    <section class="card" aria-labelledby="queue-title">
      <h2 id="queue-title">Queue by recipient domain</h2>
      {isLinked ? null : <a href="/dashboard/operator/queue">Show the whole queue</a>}
      {isDeliveryPaused ? <Notice tone="warn">{DELIVERY_PAUSED_TEXT}</Notice> : null}
      {idleClosings.length === 0 ? null : (
        <Notice tone="warn">
          {plural(idleClosings.length, "closed destination")} without waiting recipients:{" "}
          <a href="/dashboard/operator/queue">see the queue</a>.
        </Notice>
      )}
      {domains.length === 0 ? (
        <EmptyState title="The queue is empty">
          <p>Recipients that wait for an attempt appear here.</p>
        </EmptyState>
      ) : (
        <ul class="queue">
          {domains.map((entry) => (
            <Entry key={entry.domain} entry={entry} nowMs={nowMs} isLinked={isLinked} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Entry({ entry, nowMs, isLinked }: { entry: QueueDestination; nowMs: number; isLinked: boolean }) {
  const { domain, waiting, oldestAtMs, deliveredLastMinute: rate, pausedAtMs } = entry;
  return (
    <li>
      <p class="queue-head">
        {isLinked ? <a href={messagesLink({ result: "pending", q: `@${domain}` })}>{domain}</a> : <span>{domain}</span>}
        <span class="queue-count">{countText(waiting)}</span>
      </p>
      <p class="queue-facts">
        {pausedAtMs === null ? null : <Badge label={{ text: "Paused", tone: "warn" }} />}
        <span>{queueCountsText(entry)}</span>
        {oldestAtMs === null ? null : (
          <span>
            oldest <RelativeTime atMs={oldestAtMs} nowMs={nowMs} />
          </span>
        )}
        {rate === null || rate === 0 ? null : <span>{plural(rate, "delivery", "deliveries")} in the last minute</span>}
      </p>
      <p class="queue-why">
        <QueueWaitText entry={entry} nowMs={nowMs} />
      </p>
    </li>
  );
}

/** Changes whenever the text of the queue does, except for its relative times. */
export function queueSignature({ domains, waiting, unknown, isDeliveryPaused, idleClosings }: QueueReport): string {
  const closings = idleClosings.map(withoutDueTime).join(" ");
  return `${waiting} ${unknown} ${isDeliveryPaused} ${domains.map(signatureOf).join(" ")} ${closings}`;
}

/** A probe that is due has another time at each look. When the next one is due changes with the last one. */
const withoutDueTime = (shown: object): string =>
  JSON.stringify(shown, (name, value) => (name === "probeAtMs" ? undefined : value));

function signatureOf(entry: QueueDestination): string {
  const { domain, due, deferred, inFlight, deliveredLastMinute, oldestAtMs, destination, wait } = entry;
  const { reason, category, smtp } = entry;
  const { attempts = 0, window = 0, connections = 0 } = destination ?? {};
  return [
    domain,
    due,
    deferred,
    inFlight,
    deliveredLastMinute,
    oldestAtMs,
    attempts,
    window,
    connections,
    withoutDueTime(wait),
    reason,
    category,
    smtp?.message,
  ].join(":");
}
