/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of one delivery to a webhook endpoint: the request and the response of an attempt. The body is rebuilt from the event,
 * as long as it is kept; the signature is left out.
 */
import { webhookBody } from "../../app/webhooks/webhook-body.ts";
import type { OutboxEvent } from "../../spool/port/events.ts";
import type { Endpoint, WebhookAttempt } from "../../spool/port/webhooks.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Copyable, Notice, PostForm, RelativeTime, Timestamp } from "../views/components.tsx";
import { attemptLabel, noticeText, spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { type AttemptPlan, NextAttempt, pathOf, ResponseText } from "../views/webhook-deliveries.tsx";

export interface DeliveryState {
  endpoint: Endpoint;
  attempt: WebhookAttempt;
  /** Null once the retention period is over. */
  event: OutboxEvent | null;
  plan: AttemptPlan;
  nowMs: number;
  /** The name of the notice to show. */
  done: unknown;
}

const LEFT_OUT = "The endpoint's filter leaves this event out. Edit the filter to send it again.";

const NOTICES: Record<string, string> = {
  "sent-again": "The event is being sent again. The attempt appears among the endpoint's deliveries in a moment.",
  "waits-paused": "The endpoint is paused: the event waits, and is sent again when you resume the endpoint.",
  "waits-disabled": "The endpoint is disabled: the event waits, and is sent again when you enable the endpoint.",
};

export function deliveryPage(auth: AuthContext, state: DeliveryState): string {
  const { endpoint, attempt, event } = state;
  const { number, type, error, response } = attempt;
  const done = noticeText(NOTICES, state.done);
  return signedInPage(auth, "/webhooks/one", {
    title: `Delivery of ${type}`,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/webhooks">Webhooks</a> / <a href={pathOf(endpoint)}>{endpoint.url}</a>
        </p>
        <div class="title-row">
          <h1>{type}</h1>
          <Badge label={attemptLabel(attempt)} />
        </div>
        {done === undefined ? null : <Notice tone="good">{done}</Notice>}
        {state.done === "left-out" ? <Notice tone="bad">{LEFT_OUT}</Notice> : null}
        <Facts state={state} />
        {event === null ? null : (
          <PostForm action={`${pathOf(endpoint)}/deliveries/${number}/send-again`} formToken={auth.formToken}>
            <button type="submit">Send again</button>
          </PostForm>
        )}
        <section class="card">
          <h2>Request</h2>
          <Copyable text={headersOf(attempt)} label="request headers" block />
          {event === null ? (
            <p class="quiet">The event was deleted after the retention period, so the body cannot be shown.</p>
          ) : (
            <>
              <p class="quiet">The body, with line breaks added:</p>
              <Copyable text={readableBody(event)} label="request body" block />
            </>
          )}
        </section>
        <section class="card">
          <h2>Response</h2>
          {error === null ? null : <p>{error}</p>}
          {response === "" ? <p class="quiet">No body.</p> : <ResponseText text={response} />}
        </section>
      </>
    ),
  });
}

function Facts({ state: { attempt, plan, nowMs } }: { state: DeliveryState }) {
  const { atMs, durationMs, eventId, messageId } = attempt;
  return (
    <dl class="facts card">
      <dt>Time</dt>
      <dd>
        <Timestamp atMs={atMs} />, <RelativeTime atMs={atMs} nowMs={nowMs} />
      </dd>
      <dt>Duration</dt>
      <dd>{spanText(durationMs)}</dd>
      <dt>Attempt</dt>
      <dd>{attempt.attempt}</dd>
      <dt>Next attempt</dt>
      <dd>
        <NextAttempt attempt={attempt} plan={plan} nowMs={nowMs} />
      </dd>
      {messageId === null ? null : (
        <>
          <dt>Message</dt>
          <dd>
            <a href={`/dashboard/messages/${messageId}`}>{messageId}</a>
          </dd>
        </>
      )}
      <dt>Event id</dt>
      <dd>
        <Copyable text={eventId} label="event id" hasIcon />
      </dd>
    </dl>
  );
}

const headersOf = ({ eventId, atMs }: WebhookAttempt): string =>
  [
    "User-Agent: Postrider",
    "Content-Type: application/json",
    `webhook-id: ${eventId}`,
    `webhook-timestamp: ${Math.floor(atMs / 1000)}`,
    "webhook-signature: v1,…",
  ].join("\n");

const readableBody = (event: OutboxEvent): string => JSON.stringify(JSON.parse(webhookBody(event)), null, 2);
