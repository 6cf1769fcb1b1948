/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The queue of all accounts by recipient domain: what is due, deferred and in flight, and why it waits; with operator actions on
 * a recipient domain: pause, resume, try now.
 */
import type { IdleClosing, QueueDestination, QueueReport } from "../../app/reports/queue-report.ts";
import { DELIVERY_PAUSED_TEXT } from "../../app/reports/queue-wait-text.ts";
import { closedSentence } from "../../message/result/closed-destination.ts";
import { destinationLabel } from "../../receivers/names.ts";
import type { QuarantineReport } from "../../spool/port/quarantine.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Breakable, EmptyState, Field, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { countText, noticeText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { queueSignature } from "../views/queue-summary.tsx";
import { QueueWaitText, queueCountsText, Sentence } from "../views/queue-wait.tsx";
import { QuarantinedMessages, quarantineVersion } from "./quarantine.tsx";

const NOTICES: Record<string, string> = {
  paused: "Paused: nothing is sent to this domain until you resume it. Attempts in progress are completed.",
  resumed: "Resumed.",
  due: "All recipients that wait for this domain are due now. They are tried as fast as the domain accepts messages.",
  "due-paused":
    "This domain is paused: nothing is sent to it. Its waiting recipients are tried as soon as you resume it.",
  "due-closed":
    "Delivery to this domain is closed: one message probes it within seconds, and the result appears below. The other recipients that wait are due, and are tried as soon as it accepts a message.",
  "none-closed":
    "Delivery to this domain is closed, and no recipient waits for it. The next message for the domain is tried as a probe.",
  discarded: "Discarded: the message's recipients without a final result have failed.",
  "not-quarantined": "Nothing was changed: the message is not quarantined any more.",
  "none-due": "No recipient of this domain waits for a later attempt.",
};

const WARNING_NOTICES = /^due-|-closed$|^not-/;

/** Closed destinations without waiting recipients, and recipient domains of each. */
const CLOSINGS_SHOWN = 50;
const DOMAINS_NAMED = 5;

export interface QueueState {
  queue: QueueReport;
  quarantine: QuarantineReport;
  nowMs: number;
  /** The name of the notice to show; unknown names show none. */
  done?: string;
  /** The rejected value of the pause form, and the reason. */
  typed?: string;
  error?: string;
}

/** Changes whenever the page does, except for its relative times. */
export const queueVersion = ({ queue, quarantine }: Pick<QueueState, "queue" | "quarantine">): string =>
  `${queueSignature(queue)} ${quarantineVersion(quarantine)}`;

export function queuePage(auth: AuthContext, state: QueueState): string {
  const { queue, nowMs } = state;
  const done = noticeText(NOTICES, state.done);
  return signedInPage(auth, "/operator/queue", {
    title: "Queue",
    children: (
      <>
        <h1>Queue</h1>
        {done === undefined ? null : (
          <Notice tone={WARNING_NOTICES.test(state.done ?? "") ? "warn" : "good"}>{done}</Notice>
        )}
        <div data-live="/dashboard/operator/queue/state" data-version={queueVersion(state)} id="queue">
          <p class="lead">
            All accounts: {plural(queue.waiting, "recipient")} waiting{countsNote(queue)}, {countText(queue.unknown)}{" "}
            unknown.
          </p>
          {queue.isDeliveryPaused ? <Notice tone="warn">{DELIVERY_PAUSED_TEXT}</Notice> : null}
          <QuarantinedMessages report={state.quarantine} nowMs={nowMs} />
          <IdleClosings closings={queue.idleClosings} nowMs={nowMs} />
          {queue.domains.length === 0 ? (
            <EmptyState title="The queue is empty">
              <p>Recipients that wait for an attempt appear here, by recipient domain.</p>
            </EmptyState>
          ) : (
            <Table
              label="Queue by recipient domain"
              class="stacked destinations"
              numbers={["Due", "Deferred", "In flight", "Delivered"]}
              head={[
                "Recipient domain",
                "Due",
                "Deferred",
                "In flight",
                "Oldest",
                "Delivered",
                "Connections",
                "Actions",
              ]}
            >
              {queue.domains.map((entry) => (
                <Row key={entry.domain} entry={entry} auth={auth} nowMs={nowMs} />
              ))}
            </Table>
          )}
        </div>
        <section class="card">
          <h2>Pause a recipient domain</h2>
          <PostForm action="/dashboard/operator/queue/pause" formToken={auth.formToken} class="inline-form">
            <Field
              label="Recipient domain"
              name="domain"
              value={state.typed}
              error={state.error}
              required
              placeholder="example.org"
              hint="No account sends to this domain until you resume it."
            />
            <button type="submit">Pause</button>
          </PostForm>
        </section>
      </>
    ),
  });
}

/** Closed destinations that nothing waits for, and that the table therefore does not show. */
function IdleClosings({ closings, nowMs }: { closings: readonly IdleClosing[]; nowMs: number }) {
  if (closings.length === 0) return null;
  return (
    <Notice tone="warn">
      {plural(closings.length, "closed destination")} without waiting recipients. The next message for a closed
      destination is a probe: if it is accepted, the destination opens.
      <ul>
        {closings.slice(0, CLOSINGS_SHOWN).map(({ name, domains, closed }) => (
          <li key={name}>
            <strong>
              <Breakable text={destinationLabel(name)} />
            </strong>
            {domains.length === 0 ? "" : ` (${domainsText(domains)})`}:{" "}
            <Sentence parts={closedSentence(closed)} nowMs={nowMs} />
          </li>
        ))}
      </ul>
      {closings.length > CLOSINGS_SHOWN ? `Only ${CLOSINGS_SHOWN} are shown.` : null}
    </Notice>
  );
}

function domainsText(domains: readonly string[]): string {
  const more = domains.length - DOMAINS_NAMED;
  return `${domains.slice(0, DOMAINS_NAMED).join(", ")}${more > 0 ? ` and ${countText(more)} more` : ""}`;
}

/** Which of them are due, deferred and in flight; nothing if not all domains are listed. */
function countsNote(queue: QueueReport): string {
  const { due, deferred, inFlight, waiting } = queue;
  return waiting === 0 || due + deferred + inFlight < waiting ? "" : ` (${queueCountsText(queue)})`;
}

/** Two rows: the numbers and the actions, then why it waits. */
function Row({ entry, auth, nowMs }: { entry: QueueDestination; auth: AuthContext; nowMs: number }) {
  const { domain, due, deferred, inFlight, oldestAtMs, deliveredLastMinute: rate } = entry;
  const paused = entry.pausedAtMs !== null;
  const closed = entry.wait.type === "closed";
  return (
    <>
      <tr>
        <th scope="row">
          <Breakable text={domain} /> {paused ? <Badge label={{ text: "Paused", tone: "warn" }} /> : null}
          {closed ? <Badge label={{ text: "Closed", tone: "warn" }} /> : null}
        </th>
        <td class="number" data-label="Due">
          {countText(due)}
        </td>
        <td class="number" data-label="Deferred">
          {countText(deferred)}
        </td>
        <td class="number" data-label="In flight">
          {countText(inFlight)}
        </td>
        <td class="nowrap" data-label="Oldest">
          {oldestAtMs === null ? "–" : <RelativeTime atMs={oldestAtMs} nowMs={nowMs} />}
        </td>
        <td class="number nowrap" data-label="Delivered">
          {rate === null ? "–" : countText(rate)} <span class="quiet">a minute</span>
        </td>
        <td data-label="Connections">
          <Connections entry={entry} />
        </td>
        <td>
          <div class="bar">
            <ActionForm
              auth={auth}
              entry={entry}
              action={paused ? "resume" : "pause"}
              text={paused ? "Resume" : "Pause"}
            />
            <ActionForm auth={auth} entry={entry} action="try-now" text="Try now" />
          </div>
        </td>
      </tr>
      <tr class="queue-why">
        <td colSpan={8}>
          <QueueWaitText entry={entry} nowMs={nowMs} />
        </td>
      </tr>
    </>
  );
}

/** Open connections, and the limit of attempts; of the operator of its mail servers, which may serve other domains too. */
function Connections({ entry: { destination } }: { entry: QueueDestination }) {
  if (destination === null) return <>–</>;
  const { name, attempts, window, connections, limit } = destination;
  return (
    <>
      {countText(connections)} <span class="quiet">{limit === null ? "open" : `of ${countText(limit)} open`}</span>
      <div class="quiet">
        {countText(attempts)} of {plural(window, "attempt")} at {destinationLabel(name)}
      </div>
    </>
  );
}

function ActionForm(props: { auth: AuthContext; entry: QueueDestination; action: string; text: string }) {
  const { domain } = props.entry;
  return (
    <PostForm action={`/dashboard/operator/queue/${props.action}`} formToken={props.auth.formToken} entry={{ domain }}>
      <button type="submit" class="small" aria-label={`${props.text}: ${domain}`}>
        {props.text}
      </button>
    </PostForm>
  );
}
