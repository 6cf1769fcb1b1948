/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The queue of all accounts by recipient domain, with operator actions on a recipient domain: pause, resume, try now.
 */
import type { WaitingDomain, WaitingMail } from "../../spool/port/reports.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, EmptyState, Field, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { countText, noticeText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { WaitingReason } from "../views/waiting-reason.tsx";
import { queueVersion } from "./queue-version.ts";

const NOTICES: Record<string, string> = {
  paused: "Paused: nothing is sent to this domain until you resume it. Attempts in progress are completed.",
  resumed: "Resumed.",
  due: "All recipients that wait for this domain are due now. They are tried as fast as the domain accepts messages.",
  "due-paused":
    "This domain is paused: nothing is sent to it. Its waiting recipients are tried as soon as you resume it.",
  "none-due": "No recipient of this domain waits for a later attempt.",
};

export interface QueueState {
  waiting: WaitingMail;
  nowMs: number;
  /** The name of the notice to show; unknown names show none. */
  done?: string;
  /** The rejected value of the pause form, and the reason. */
  typed?: string;
  error?: string;
}

export function queuePage(auth: AuthContext, state: QueueState): string {
  const { waiting, nowMs } = state;
  const done = noticeText(NOTICES, state.done);
  return signedInPage(auth, "/operator/queue", {
    title: "Queue",
    children: (
      <>
        <h1>Queue</h1>
        {done === undefined ? null : <Notice tone={state.done === "due-paused" ? "warn" : "good"}>{done}</Notice>}
        <div data-live="/dashboard/operator/queue/state" data-version={queueVersion(waiting)} id="queue">
          <p class="lead">
            All accounts: {plural(waiting.waiting, "recipient")} waiting, {countText(waiting.unknown)} unknown.
          </p>
          {waiting.domains.length === 0 ? (
            <EmptyState title="The queue is empty" />
          ) : (
            <Table
              label="Queue by recipient domain"
              class="stacked"
              head={["Recipient domain", "Waiting", "Reason", "Next attempt", "Actions"]}
            >
              {waiting.domains.map((entry) => (
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

function Row({ entry, auth, nowMs }: { entry: WaitingDomain; auth: AuthContext; nowMs: number }) {
  const paused = entry.pausedAtMs !== null;
  return (
    <tr>
      <th scope="row">
        {entry.domain} {paused ? <Badge label={{ text: "Paused", tone: "warn" }} /> : null}
      </th>
      <td class="number">
        {countText(entry.waiting)} <span class="quiet">waiting</span>
      </td>
      <td class="wide-cell">
        <WaitingReason entry={entry} none="–" />
      </td>
      <td class="nowrap">{nextText(entry, nowMs)}</td>
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
  );
}

function nextText({ due, nextAttemptAtMs, pausedAtMs }: WaitingDomain, nowMs: number) {
  if (pausedAtMs !== null) return "When resumed";
  if (due > 0) return `${countText(due)} due now`;
  return nextAttemptAtMs === null ? "–" : <RelativeTime atMs={nextAttemptAtMs} nowMs={nowMs} />;
}

function ActionForm(props: { auth: AuthContext; entry: WaitingDomain; action: string; text: string }) {
  const { domain } = props.entry;
  return (
    <PostForm action={`/dashboard/operator/queue/${props.action}`} formToken={props.auth.formToken}>
      <input type="hidden" name="domain" value={domain} />
      <button type="submit" class="small" aria-label={`${props.text}: ${domain}`}>
        {props.text}
      </button>
    </PostForm>
  );
}
