/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Notices about webhook endpoints that Postrider does not reach, and what to do about them.
 */
import { DISABLE_AFTER_MS, endpointState } from "../../app/webhooks/webhook-state.ts";
import { periodText } from "../../lib/period-text.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, RelativeTime, Timestamp } from "./components.tsx";
import { plural } from "./labels.ts";
import { Task } from "./mail-health.tsx";

/** Endpoints in the overview's list; further ones are counted. */
const SHOWN_MAX = 5;

export interface StateNoticeProps {
  endpoint: Endpoint;
  nowMs: number;
  resultsKeptMs: number;
}

/** The state of one endpoint, for its own page; nothing for an active one. */
export function StateNotice({ endpoint, nowMs, resultsKeptMs }: StateNoticeProps) {
  const { disabled, pausedAtMs, failingSinceMs } = endpoint;
  if (disabled !== null) {
    return (
      <Notice tone="bad">
        <p>
          Postrider disabled this endpoint <RelativeTime atMs={disabled.atMs} nowMs={nowMs} />:{" "}
          <DisabledReasonText endpoint={endpoint} /> Its events wait, and are deleted {periodText(resultsKeptMs)} after
          the last result of their message.
        </p>
        <p>Send a test event to make sure that the endpoint works. Then enable it to send the events that wait.</p>
      </Notice>
    );
  }
  if (pausedAtMs !== null) {
    return (
      <Notice tone="quiet">
        Paused since <Timestamp atMs={pausedAtMs} />. Events wait until you resume the endpoint, and are deleted{" "}
        {periodText(resultsKeptMs)} after the last result of their message.
      </Notice>
    );
  }
  if (failingSinceMs === null) return null;
  return (
    <Notice tone="warn">
      Attempts have failed since <Timestamp atMs={failingSinceMs} />. Failed events are sent again automatically. After{" "}
      {periodText(DISABLE_AFTER_MS)} without a success, Postrider disables the endpoint. The deliveries below show the
      responses.
    </Notice>
  );
}

function DisabledReasonText({ endpoint: { disabled, failingSinceMs } }: { endpoint: Endpoint }) {
  if (disabled?.reason === "gone") return <>it responded with 410 Gone, which asks for no more events.</>;
  if (failingSinceMs === null) return <>all attempts failed for days.</>;
  return (
    <>
      all attempts have failed since <Timestamp atMs={failingSinceMs} />.
    </>
  );
}

/** Returns the disabled endpoints, and then the failing ones. */
function problemEndpoints(endpoints: Endpoint[]): Endpoint[] {
  return (["disabled", "failing"] as const).flatMap((state) =>
    endpoints.filter((endpoint) => endpointState(endpoint) === state),
  );
}

/** Changes whenever the notices do, except for their relative times. */
export const problemEndpointsVersion = (endpoints: Endpoint[]): string =>
  problemEndpoints(endpoints)
    .map((endpoint) => `${endpoint.id}${endpointState(endpoint)}${endpoint.url}`)
    .join(" ");

export interface ProblemEndpointsProps {
  auth: AuthContext;
  endpoints: Endpoint[];
  nowMs: number;
}

/** A task for each endpoint that is disabled or failing, for the overview. */
export function EndpointTasks({ auth, endpoints, nowMs }: ProblemEndpointsProps) {
  const problems = problemEndpoints(endpoints);
  const more = problems.length - SHOWN_MAX;
  return (
    <>
      {problems.slice(0, SHOWN_MAX).map((endpoint) => (
        <EndpointTask key={endpoint.id} auth={auth} endpoint={endpoint} nowMs={nowMs} />
      ))}
      {more > 0 ? (
        <Task tone="warn">
          {plural(more, "more webhook endpoint is", "more webhook endpoints are")} disabled or failing.
        </Task>
      ) : null}
    </>
  );
}

function EndpointTask({ auth, endpoint, nowMs }: { auth: AuthContext; endpoint: Endpoint; nowMs: number }) {
  const { id, accountId, url, disabled, failingSinceMs } = endpoint;
  // An endpoint of another account has a page only after the operator has switched to that account.
  const isOwn = accountId === auth.account.id;
  const action = isOwn
    ? { href: `/dashboard/webhooks/${id}`, text: "Open the endpoint" }
    : { href: `/dashboard/operator/accounts/${accountId}`, text: "Open its account" };
  const sinceMs = disabled?.atMs ?? failingSinceMs ?? nowMs;
  return (
    <Task tone={disabled === null ? "warn" : "bad"} action={action}>
      The webhook endpoint <strong>{url}</strong> {isOwn ? null : "of another account "}
      {disabled === null ? "does not accept events: attempts began to fail" : "was disabled"}{" "}
      <RelativeTime atMs={sinceMs} nowMs={nowMs} />
      {disabled === null ? "." : "; its events wait."}
    </Task>
  );
}
