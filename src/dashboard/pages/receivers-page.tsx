/** @jsxRuntime automatic @jsxImportSource preact */
/** The receivers: the limits of each and what they come from, whether it accepts mail now, and the operator's limits. */
import type { LimitFault, LimitField, TypedLimits } from "../../app/decide/receivers.ts";
import { type ClosedAddress, closedAt, type ReceiverReport, type ReceiverState } from "../../app/reports/receivers.ts";
import { closedSentence } from "../../message/result/closed-destination.ts";
import { MESSAGES_PER_CONNECTION } from "../../receivers/limits.ts";
import { delistingPageOf } from "../../receivers/receiver.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Field, Notice, PostForm, Table } from "../views/components.tsx";
import { countText, type Label, noticeText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { RowLink, StateText } from "../views/list-rows.tsx";
import { Sentence } from "../views/queue-wait.tsx";

const NOTICES: Record<string, string> = {
  set: "The limits are set. Delivery follows within ten seconds.",
  reset: "The limits that were set are removed. Delivery follows within ten seconds.",
  full: "Nothing was changed: limits of 1,000 receivers are set already. Reset some first.",
};

export const STATE_LABELS: Readonly<Record<ReceiverState, Label>> = {
  open: { text: "Open", tone: "good" },
  paused: { text: "Paused", tone: "wait" },
  blocked: { text: "Blocked", tone: "bad" },
  closed: { text: "Closed", tone: "warn" },
};

export interface ReceiversState {
  receivers: readonly ReceiverReport[];
  nowMs: number;
  /** The name of the notice to show; unknown names show none. */
  done?: string;
  /** The rejected values of the form, and the reason. */
  typed?: TypedLimits & { name: string };
  fault?: LimitFault;
}

/** Changes whenever the page does, except for its relative times. */
export const receiversVersion = ({ receivers }: Pick<ReceiversState, "receivers">): string =>
  JSON.stringify(
    receivers.map(({ name, limits, overridden, state, closed, attempts, connections }) => {
      const last = closed === null ? null : [closed.sinceMs, closed.isProbing, closed.last?.atMs];
      return [name, limits, overridden, state, last, attempts, connections];
    }),
  );

export function receiversPage(auth: AuthContext, state: ReceiversState): string {
  const { receivers, nowMs, done } = state;
  const notice = noticeText(NOTICES, done);
  const refusing = receivers.filter((each) => each.state !== "open");
  const others = receivers.filter((each) => each.state === "open");
  return signedInPage(auth, "/operator/receivers", {
    title: "Receivers",
    children: (
      <>
        <h1>Receivers</h1>
        {notice === undefined ? null : <Notice tone={done === "full" ? "bad" : "good"}>{notice}</Notice>}
        <div data-live="/dashboard/operator/receivers/state" data-version={receiversVersion(state)} id="receivers">
          <p class="lead">
            Who takes the mail of all accounts. {plural(refusing.length, "receiver")} of {countText(receivers.length)}{" "}
            {refusing.length === 1 ? "accepts" : "accept"} nothing now.
          </p>
          <Table
            label="Receivers"
            class="stacked linked pairs receivers"
            numbers={["Messages a connection", "Messages a minute", "Pause"]}
            head={[
              "Receiver",
              "State",
              "Connections",
              "Messages a connection",
              "Messages a minute",
              "Pause",
              "Actions",
            ]}
          >
            {[...refusing, ...others].map((receiver) => (
              <Row key={receiver.name} receiver={receiver} auth={auth} nowMs={nowMs} />
            ))}
          </Table>
        </div>
        <LimitsForm auth={auth} state={state} />
      </>
    ),
  });
}

interface RowProps {
  receiver: ReceiverReport;
  auth: AuthContext;
  nowMs: number;
}

/** Two rows where it accepts nothing: the limits, then why. */
function Row({ receiver, auth, nowMs }: RowProps) {
  const { name, profile, limits, overridden, state, connections } = receiver;
  return (
    <>
      <tr>
        <th scope="row" class="left nowrap">
          <RowLink href={`/dashboard/operator/receivers/${name}`}>{profile?.label ?? name}</RowLink>{" "}
          {profile === null ? null : <code class="quiet">{name}</code>}
        </th>
        <td class="right">
          <StateText label={STATE_LABELS[state]} />
        </td>
        <td class="left small" data-label="Connections">
          <span class="nowrap">
            {countText(connections)}{" "}
            {limits.connections === undefined ? (
              <span class="quiet" title="Limited by the receiver's replies">
                open
              </span>
            ) : (
              <span class="quiet">of {countText(limits.connections)} open</span>
            )}
          </span>
        </td>
        <td class="number secondary">{countText(limits.messagesPerConnection ?? MESSAGES_PER_CONNECTION)}</td>
        <td class="number secondary">
          {limits.messagesPerMinute === undefined ? "–" : countText(limits.messagesPerMinute)}
        </td>
        <td class="number secondary">{limits.pauseSeconds === undefined ? "as told" : `${limits.pauseSeconds} s`}</td>
        <td class="right action">
          {overridden.length === 0 ? null : (
            <PostForm action="/dashboard/operator/receivers/reset" formToken={auth.formToken} entry={{ name }}>
              <button type="submit" class="small" aria-label={`Reset: ${name}`}>
                Reset
              </button>
            </PostForm>
          )}
        </td>
      </tr>
      <Why receiver={receiver} nowMs={nowMs} />
    </>
  );
}

/** Of each sending address, if there are several. */
function Why({ receiver, nowMs }: Omit<RowProps, "auth">) {
  return (
    <>
      {closedAt(receiver).map((each) => (
        <ClosedRow key={each.address ?? ""} {...each} profile={receiver.profile} nowMs={nowMs} />
      ))}
    </>
  );
}

type ClosedProps = ClosedAddress & Pick<ReceiverReport, "profile"> & { nowMs: number };

const ClosedRow = (props: ClosedProps) => (
  <tr class="queue-why">
    <td colSpan={7}>
      <WhyClosed {...props} />
    </td>
  </tr>
);

/** Which address is refused, since when, the receiver's words, the next probe, and where to ask. */
export function WhyClosed({ address, state, closed, profile, nowMs }: ClosedProps) {
  const page = state === "blocked" ? delistingPageOf(profile) : (profile?.sendersUrl ?? null);
  return (
    <>
      {address === null ? null : `From ${address}: `}
      <Sentence parts={closedSentence(closed)} nowMs={nowMs} />{" "}
      {page === null ? null : (
        <a href={page} rel="noreferrer">
          {state === "blocked" ? "Request delisting" : "Sender guidelines"}
        </a>
      )}
    </>
  );
}

function LimitsForm({ auth, state: { typed, fault } }: { auth: AuthContext; state: ReceiversState }) {
  const errorOf = (field: LimitField): { error?: string } =>
    fault?.field === field ? { error: `This is not valid: ${fault.detail}.` } : {};
  return (
    <section class="card">
      <h2>Set limits of a receiver</h2>
      <p>They replace the limits of its profile. An empty field changes nothing.</p>
      <PostForm action="/dashboard/operator/receivers" formToken={auth.formToken}>
        <Field
          label="Receiver"
          name="name"
          value={typed?.name}
          required
          placeholder="gmail, or example.org"
          {...errorOf("name")}
        />
        <Field
          label="Connections at one time"
          name="connections"
          value={typed?.connections}
          inputMode="numeric"
          {...errorOf("connections")}
        />
        <Field
          label="Messages a connection"
          name="messages_per_connection"
          value={typed?.messagesPerConnection}
          inputMode="numeric"
          {...errorOf("messagesPerConnection")}
        />
        <Field
          label="Messages a minute"
          name="messages_per_minute"
          value={typed?.messagesPerMinute}
          inputMode="numeric"
          {...errorOf("messagesPerMinute")}
        />
        <Field
          label="Pause after a rate limit"
          name="pause"
          value={typed?.pause}
          placeholder="15m"
          hint="Unless a reply says how long."
          {...errorOf("pause")}
        />
        <button type="submit">Set limits</button>
      </PostForm>
    </section>
  );
}
