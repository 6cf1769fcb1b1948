/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of one webhook endpoint: its state and filter, the actions on it, and its recent deliveries.
 */

import { formerSecretUntilMs } from "../../app/webhooks/webhook-state.ts";
import { isSuccess, type WebhookResponse } from "../../app/webhooks/webhook-test-event.ts";
import { DAY_MS, HOUR_MS } from "../../lib/units.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { EventFilter } from "../../spool/port/events.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Copyable, Field, Notice, PostForm, RelativeTime, Select, Timestamp } from "../views/components.tsx";
import { countText, endpointLabel, noticeText, plural, spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { Allowed, ButtonLink } from "../views/permissions.tsx";
import { type AttemptPage, Deliveries, pathOf, ResponseText } from "../views/webhook-deliveries.tsx";
import { FilterFacts } from "../views/webhook-form.tsx";
import { StateNotice } from "../views/webhook-notices.tsx";

/** Events that are counted as waiting at most. */
const WAITING_COUNT_MAX = 10_000;

export interface EndpointState {
  endpoint: Endpoint;
  keys: ApiKey[];
  waiting: { retries: number; events: number };
  attempts: AttemptPage;
  nowMs: number;
  resultsKeptMs: number;
  /** The response to a test event that was just sent. */
  tested: WebhookResponse | null;
  /** The name of the notice to show. */
  done: unknown;
  /** The rejected value of the form that sends events again, and the reason. */
  replay?: { typed: string; error: string };
}

const NOTICES: Record<string, string> = {
  edited: "Endpoint changed. The new URL and filter apply to all events that are sent from now on.",
  resumed: "Endpoint resumed. The events that waited are being sent.",
  replayed: "The events are being sent again, the oldest first.",
  "replayed-paused": "The endpoint is paused: the events wait, and are sent again when you resume the endpoint.",
  "replayed-disabled": "The endpoint is disabled: the events wait, and are sent again when you enable the endpoint.",
};

/** The periods that the form for sending events again offers. */
export const REPLAY_PERIODS: readonly [string, string, number][] = [
  ["1h", "The last hour", HOUR_MS],
  ["1d", "The last day", DAY_MS],
  ["7d", "The last 7 days", 7 * DAY_MS],
];

/** Changes whenever the page does, except for its relative times. */
export function endpointVersion({ endpoint, waiting, attempts: { attempts } }: EndpointState): string {
  const { version, disabled, failingSinceMs } = endpoint;
  const [newest] = attempts;
  const state = [version, disabled?.atMs, failingSinceMs, newest?.number, attempts.length];
  return [...state, waiting.events, waiting.retries].join(" ");
}

export function endpointPage(auth: AuthContext, state: EndpointState): string {
  const { endpoint, nowMs, resultsKeptMs, tested } = state;
  const done = noticeText(NOTICES, state.done);
  return signedInPage(auth, "/webhooks/one", {
    title: new URL(endpoint.url).host,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/webhooks">Webhooks</a>
        </p>
        <div class="title-row" id="title" data-live-part>
          <h1>{endpoint.url}</h1>
          <Badge label={endpointLabel(endpoint)} />
        </div>
        {done === undefined ? null : <Notice tone="good">{done}</Notice>}
        {tested === null ? null : <TestResult tested={tested} />}
        <div id="notices" data-live-part>
          <StateNotice endpoint={endpoint} nowMs={nowMs} resultsKeptMs={resultsKeptMs} />
        </div>
        <Actions auth={auth} endpoint={endpoint} />
        <Facts state={state} />
        <Deliveries
          endpoint={endpoint}
          page={state.attempts}
          hasRetries={state.waiting.retries > 0}
          version={endpointVersion(state)}
          nowMs={nowMs}
        />
        <Allowed to={`POST ${pathOf(endpoint)}/replay`}>
          <Replay auth={auth} state={state} />
        </Allowed>
        <Allowed to={`POST ${pathOf(endpoint)}/remove`}>
          <section class="card">
            <h2>Remove</h2>
            <p>Nothing more is sent to a removed endpoint, and its deliveries are deleted.</p>
            <a class="button danger" href={`${pathOf(endpoint)}/remove`}>
              Remove endpoint …
            </a>
          </section>
        </Allowed>
      </>
    ),
  });
}

function TestResult({ tested }: { tested: WebhookResponse }) {
  const { status, error, response, durationMs } = tested;
  const outcome = status === null ? "No response" : `Status ${status}`;
  return (
    <Notice tone={isSuccess(tested) ? "good" : "bad"}>
      <p>
        {isSuccess(tested) ? "The endpoint accepted the test event." : "The endpoint did not accept the test event."}{" "}
        {outcome} after {spanText(durationMs)}. {error}
      </p>
      {response === "" ? null : <ResponseText text={response} />}
    </Notice>
  );
}

function Actions({ auth, endpoint }: { auth: AuthContext; endpoint: Endpoint }) {
  const { pausedAtMs, disabled } = endpoint;
  const path = pathOf(endpoint);
  const isStopped = pausedAtMs !== null || disabled !== null;
  return (
    <div class="bar" id="actions" data-live-part>
      <PostForm action={`${path}/test`} formToken={auth.formToken}>
        <button type="submit">Send test event</button>
      </PostForm>
      <PostForm action={`${path}/${isStopped ? "resume" : "pause"}`} formToken={auth.formToken}>
        <button type="submit" class={isStopped ? "primary" : ""}>
          {disabled !== null ? "Enable" : isStopped ? "Resume" : "Pause"}
        </button>
      </PostForm>
      <ButtonLink href={`${path}/edit`}>Edit</ButtonLink>
      <ButtonLink href={`${path}/rotate`}>Rotate secret …</ButtonLink>
    </div>
  );
}

function Facts({ state: { endpoint, keys, waiting, nowMs } }: { state: EndpointState }) {
  const { id, createdAtMs } = endpoint;
  const formerUntilMs = formerSecretUntilMs(endpoint, nowMs);
  return (
    <dl class="facts card" id="facts" data-live-part>
      <FilterFacts endpoint={endpoint} keys={keys} />
      <dt>Waiting</dt>
      <dd>{waitingText(waiting, endpoint)}</dd>
      <dt>Created</dt>
      <dd>
        <Timestamp atMs={createdAtMs} />, <RelativeTime atMs={createdAtMs} nowMs={nowMs} />
      </dd>
      {formerUntilMs === null ? null : (
        <>
          <dt>Former secret</dt>
          <dd>
            valid until <Timestamp atMs={formerUntilMs} />
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <Copyable text={id} label="endpoint id" hasIcon />
      </dd>
    </dl>
  );
}

/**
 * A retry holds back the later events of its message, or those of domains, so retries are not counted as events. Counting the
 * events that the filter selects would mean to read them all.
 */
function waitingText({ retries, events }: EndpointState["waiting"], { types, keys, domains }: EventFilter): string {
  const parts = [];
  if (events > 0) {
    const count = events >= WAITING_COUNT_MAX ? `${countText(WAITING_COUNT_MAX)} or more` : countText(events);
    const isFiltered = types !== null || keys !== null || domains !== null;
    const ofFilter = isFiltered ? ", including those that the filter leaves out" : "";
    parts.push(`${count} new ${events === 1 ? "event" : "events"}${ofFilter}`);
  }
  if (retries > 0) parts.push(`${plural(retries, "failed event")} to be sent again`);
  return parts.length === 0 ? "Nothing" : parts.join("; ");
}

function Replay({ auth, state: { endpoint, replay } }: { auth: AuthContext; state: EndpointState }) {
  return (
    <section class="card">
      <h2>Send events again</h2>
      <p>
        All events since the chosen time are sent again, the oldest first. Your website recognizes repeated events by
        their id.
      </p>
      <PostForm action={`${pathOf(endpoint)}/replay`} formToken={auth.formToken} class="inline-form">
        <Select
          label="Since"
          name="period"
          value="1h"
          options={REPLAY_PERIODS.map(([value, text]) => ({ value, text }))}
        />
        <Field
          label="Or since a time (UTC)"
          name="since"
          type="datetime-local"
          value={replay?.typed}
          error={replay?.error}
        />
        <button type="submit">Send again</button>
      </PostForm>
    </section>
  );
}
