/** @jsxRuntime automatic @jsxImportSource preact */
/** The recipient domains with most recipients waiting, on the overview. */
import type { QueueDestination, QueueReport } from "../../app/reports/queue-report.ts";
import { DELIVERY_PAUSED_TEXT } from "../../app/reports/queue-wait-text.ts";
import { Badge, Notice, RelativeTime } from "./components.tsx";
import { countText, plural } from "./labels.ts";
import { messagesLink } from "./message-links.ts";
import { isNormal, queueCountsText, WAIT_LABELS } from "./queue-wait.tsx";

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
      <h2 id="queue-title">
        {isLinked ? "Queue by recipient domain" : <a href="/dashboard/operator/queue">Queue by recipient domain</a>}
      </h2>
      {isDeliveryPaused ? <Notice tone="warn">{DELIVERY_PAUSED_TEXT}</Notice> : null}
      {idleClosings.length === 0 ? null : (
        <Notice tone="warn">
          {plural(idleClosings.length, "closed destination")} without waiting recipients:{" "}
          <a href="/dashboard/operator/queue">see the queue</a>.
        </Notice>
      )}
      {domains.length === 0 ? (
        <p class="quiet">The queue is empty</p>
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

/** One line. Where something is not normal, it has the state, and the page of the queue says why. */
function Entry({ entry, nowMs, isLinked }: { entry: QueueDestination; nowMs: number; isLinked: boolean }) {
  const { domain, waiting, wait } = entry;
  return (
    <li>
      <p class="queue-head">
        <span>
          {isLinked ? (
            <a href={messagesLink({ result: "pending", q: `@${domain}` })}>{domain}</a>
          ) : (
            <span>{domain}</span>
          )}{" "}
          {isNormal(entry) ? null : <Badge label={WAIT_LABELS[wait.type]} />}{" "}
          <span class="quiet small nowrap">
            <Since entry={entry} nowMs={nowMs} />
          </span>
        </span>
        <span class="queue-count" title={queueCountsText(entry)}>
          {countText(waiting)}
        </span>
      </p>
    </li>
  );
}

/** Since when the oldest recipient waits, or when a closed destination is tried again. */
function Since({ entry: { oldestAtMs, wait }, nowMs }: { entry: QueueDestination; nowMs: number }) {
  if (wait.type === "closed" && !wait.closed.isProbing) {
    return (
      <>
        next probe <RelativeTime atMs={wait.closed.probeAtMs} nowMs={nowMs} />
      </>
    );
  }
  if (oldestAtMs === null) return null;
  return (
    <>
      oldest <RelativeTime atMs={oldestAtMs} nowMs={nowMs} />
    </>
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
