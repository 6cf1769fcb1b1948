/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The queue of all accounts by recipient domain: how much waits, since when, and its state; with operator actions on a recipient domain:
 * pause, resume, try now. Domains that flow are one line, and a sentence is where something is not normal.
 */
import type { IdleClosing, QueueDestination, QueueReport } from "../../app/reports/queue-report.ts";
import { DELIVERY_PAUSED_TEXT } from "../../app/reports/queue-wait-text.ts";
import { closedSentence } from "../../message/result/closed-destination.ts";
import { explain } from "../../message/result/explanation.ts";
import { destinationLabel } from "../../receivers/names.ts";
import type { QuarantineReport } from "../../spool/port/quarantine.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Breakable, EmptyState, Field, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { countText, noticeText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { StateText } from "../views/list-rows.tsx";
import { queueSignature } from "../views/queue-summary.tsx";
import { isFlowing, isNormal, QueueWaitText, queueCountsText, Sentence, WAIT_LABELS } from "../views/queue-wait.tsx";
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
            <Destinations auth={auth} domains={queue.domains} nowMs={nowMs} />
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

interface DestinationsProps {
  auth: AuthContext;
  domains: readonly QueueDestination[];
  nowMs: number;
}

/** Those that do not flow, and one line for those that do. */
function Destinations({ domains, ...props }: DestinationsProps) {
  const flowing = domains.filter(isFlowing);
  const others = domains.filter((entry) => !isFlowing(entry));
  const waiting = flowing.reduce((sum, entry) => sum + entry.waiting, 0);
  const pace = flowing.reduce((sum, { deliveredLastMinute }) => sum + (deliveredLastMinute ?? 0), 0);
  return (
    <>
      {others.length === 0 ? null : <DestinationTable label="Queue by recipient domain" domains={others} {...props} />}
      {flowing.length === 0 ? null : (
        <details class="card">
          <summary>
            {plural(flowing.length, "recipient domain")} without delay: {plural(waiting, "recipient")} waiting,{" "}
            {countText(pace)} delivered in the last minute
          </summary>
          <DestinationTable label="Recipient domains without delay" domains={flowing} {...props} />
        </details>
      )}
    </>
  );
}

function DestinationTable({ label, domains, ...props }: DestinationsProps & { label: string }) {
  return (
    <Table
      label={label}
      class="stacked pairs destinations"
      numbers={["Waiting", "Oldest", "Pace"]}
      head={["Recipient domain", "Waiting", "State", "Oldest", "Pace", ""]}
    >
      {domains.map((entry) => (
        <Row key={entry.domain} entry={entry} {...props} />
      ))}
    </Table>
  );
}

/** One row, and a second one with a sentence where something is not normal. */
function Row({ entry, auth, nowMs }: { entry: QueueDestination; auth: AuthContext; nowMs: number }) {
  const { domain, waiting, oldestAtMs, deliveredLastMinute: rate, pausedAtMs, destination } = entry;
  const isPaused = pausedAtMs !== null;
  const receiver = destination === null ? domain : destinationLabel(destination.name);
  return (
    <>
      <tr>
        <th scope="row" class="left" title={connectionsText(entry)}>
          {domain}
          {receiver === domain ? null : <span class="quiet"> {receiver}</span>}
        </th>
        <td class="number right" title={queueCountsText(entry)}>
          {countText(waiting)}
        </td>
        <td class="left small state-cell">
          <State entry={entry} nowMs={nowMs} />
        </td>
        <td class="number right small">
          {oldestAtMs === null ? "–" : <RelativeTime atMs={oldestAtMs} nowMs={nowMs} />}
        </td>
        <td class="number nowrap secondary">{rate === null ? "–" : `${countText(rate)} a minute`}</td>
        <td class="buttons">
          <div class="bar">
            <ActionForm
              auth={auth}
              entry={entry}
              action={isPaused ? "resume" : "pause"}
              text={isPaused ? "Resume" : "Pause"}
            />
            <ActionForm auth={auth} entry={entry} action="try-now" text="Try now" />
          </div>
        </td>
      </tr>
      {isNormal(entry) ? null : (
        <tr class="queue-why">
          <td colSpan={6}>
            <QueueWaitText entry={entry} nowMs={nowMs} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Of a deferral, also when it ends and what the newest attempt met, cut at the end of the line. */
function State({ entry, nowMs }: { entry: QueueDestination; nowMs: number }) {
  const { wait, reason, category, smtp } = entry;
  if (wait.type !== "deferred") return <StateText label={WAIT_LABELS[wait.type]} />;
  const why = reason === null ? "" : explain(reason, category);
  const reply = smtp === null ? "" : `${smtp.code} ${smtp.message}`;
  return (
    <div class="line" title={[why, reply].filter((text) => text !== "").join("\n")}>
      <span class="whole">
        {WAIT_LABELS.deferred.text}
        {wait.nextAttemptAtMs === null ? null : (
          <>
            , next <RelativeTime atMs={wait.nextAttemptAtMs} nowMs={nowMs} />
          </>
        )}
      </span>
      <span class="cut quiet">{reply === "" ? why : reply}</span>
    </div>
  );
}

/** Open connections, and the limit of attempts; of the operator of its mail servers, which may serve other domains too. */
function connectionsText({ destination }: QueueDestination): string | undefined {
  if (destination === null) return undefined;
  const { name, attempts, window, connections, limit } = destination;
  const open = limit === null ? "" : ` of ${countText(limit)}`;
  return `${countText(connections)}${open} connections open, ${countText(attempts)} of ${plural(window, "attempt")} in progress at ${destinationLabel(name)}`;
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
