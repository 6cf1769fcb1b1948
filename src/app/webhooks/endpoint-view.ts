/** A webhook endpoint as the command line and the management interface show it: all but its secrets. */
import { rfc3339 } from "../../lib/clock.ts";
import type { Endpoint, EndpointStore, WebhookAttempt } from "../../spool/port/webhooks.ts";
import { endpointState } from "./webhook-state.ts";

export interface ListedEndpoint {
  endpoint: Endpoint;
  /** As EndpointStore.waitingAt's. */
  waiting: { retries: number; events: number };
  /** The newest failure since the last success. */
  lastFailure: WebhookAttempt | null;
}

export async function listedEndpoint(
  endpoint: Endpoint,
  store: Pick<EndpointStore, "waitingAt" | "attempts">,
): Promise<ListedEndpoint> {
  const waiting = await store.waitingAt(endpoint.id);
  return { endpoint, waiting, lastFailure: await lastFailureOf(endpoint, store) };
}

async function lastFailureOf({ id: endpointId, failingSinceMs }: Endpoint, store: Pick<EndpointStore, "attempts">) {
  if (failingSinceMs === null) return null;
  const [failed] = await store.attempts({ endpointId, beforeNumber: null, failedOnly: true, limit: 1 });
  return failed ?? null;
}

/** `events`, `keys` and `domains` are null for all. `waiting.events` counts those that the filter leaves out too. */
export function endpointView({ endpoint, waiting, lastFailure }: ListedEndpoint) {
  const { id, url, types, keys, domains, createdAtMs, pausedAtMs, disabled, failingSinceMs } = endpoint;
  return {
    id,
    url,
    events: types,
    keys,
    domains,
    created_at: rfc3339(createdAtMs),
    state: endpointState(endpoint),
    paused_at: timeOf(pausedAtMs),
    disabled_at: timeOf(disabled?.atMs ?? null),
    disabled_reason: disabled?.reason ?? null,
    failing_since: timeOf(failingSinceMs),
    last_failure: lastFailure === null ? null : failureView(lastFailure),
    waiting,
  };
}

/** One attempt to post an event. */
export const deliveryView = (attempt: WebhookAttempt) => ({
  number: attempt.number,
  event_number: attempt.eventNumber,
  event_id: attempt.eventId,
  type: attempt.type,
  message_id: attempt.messageId,
  at: rfc3339(attempt.atMs),
  duration_ms: attempt.durationMs,
  attempt: attempt.attempt,
  result: attempt.result,
  status: attempt.status,
  error: attempt.error,
  response: attempt.response,
  next_attempt_at: timeOf(attempt.nextAttemptAtMs),
});

const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

const failureView = ({ atMs, status, error }: WebhookAttempt) => ({ at: rfc3339(atMs), status, error });
