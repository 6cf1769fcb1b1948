/**
 * The notices of webhook endpoints: that all attempts have failed for an hour, and that Postrider has disabled one. Which endpoint is disabled,
 * and when, is decided in webhooks/.
 */

import { rfc3339 } from "../../lib/clock.ts";
import { periodText } from "../../lib/period-text.ts";
import { DAY_MS, HOUR_MS } from "../../lib/units.ts";
import type { Endpoint, EndpointStore } from "../../spool/port/webhooks.ts";
import { shownUrl } from "../webhooks/webhook-url.ts";
import type { NoticeDraft } from "./notice.ts";
import type { NoticeBoard } from "./notice-board.ts";

/** An endpoint that is enabled and disabled again and again causes one notice in this time. */
const DISABLED_APART_MS = DAY_MS;
/** Shorter failures are over before somebody could do anything. */
const FAILING_AT_LEAST_MS = HOUR_MS;

export interface FailingWebhookParts {
  board: Pick<NoticeBoard, "post">;
  store: Pick<EndpointStore, "endpoints" | "changeEndpoint">;
  /** RETENTION_RESULTS: events are kept as long as results. */
  resultsKeptMs: number;
}

type DisabledEndpoint = Endpoint & { disabled: NonNullable<Endpoint["disabled"]> };
type FailingEndpoint = Endpoint & { failingSinceMs: number };

/** Posts the notices of endpoints that have not been noticed yet, and records those of disabled ones. */
export async function noticeWebhooks(
  { board, store, resultsKeptMs }: FailingWebhookParts,
  nowMs: number,
): Promise<void> {
  for (const endpoint of await store.endpoints(null)) {
    if (isFailing(endpoint, nowMs)) await board.post(failingNotice(endpoint, resultsKeptMs));
    if (!isToBeNoticed(endpoint)) continue;
    if ((await board.post(disabledNotice(endpoint, resultsKeptMs))) === "too_soon") continue;
    const { accountId, id: endpointId } = endpoint;
    await store.changeEndpoint({ accountId, endpointId, change: { type: "notified", atMs: nowMs } });
  }
}

function isToBeNoticed(endpoint: Endpoint): endpoint is DisabledEndpoint {
  if (endpoint.disabled === null) return false;
  const { atMs, notifiedAtMs } = endpoint.disabled;
  return notifiedAtMs === null || notifiedAtMs <= atMs - DISABLED_APART_MS;
}

const isFailing = (endpoint: Endpoint, nowMs: number): endpoint is FailingEndpoint =>
  endpoint.disabled === null &&
  endpoint.pausedAtMs === null &&
  endpoint.failingSinceMs !== null &&
  nowMs - endpoint.failingSinceMs >= FAILING_AT_LEAST_MS;

const aboutEndpoint = ({ id, accountId }: Endpoint) =>
  ({ kind: "webhook_failing", accountId, cause: `webhook ${id}`, link: `/dashboard/webhooks/${id}` }) as const;

const keptText = (resultsKeptMs: number): string =>
  `Its events wait for it. They are deleted ${periodText(resultsKeptMs)} after the last result of their message.`;

function failingNotice(endpoint: FailingEndpoint, resultsKeptMs: number): NoticeDraft {
  const { url, failingSinceMs } = endpoint;
  return {
    ...aboutEndpoint(endpoint),
    occurrence: `failing since ${failingSinceMs}`,
    subject: `Webhook endpoint fails: ${new URL(url).host}`,
    paragraphs: [
      `Every attempt at this webhook endpoint has failed since ${rfc3339(failingSinceMs)}:`,
      shownUrl(url),
      keptText(resultsKeptMs),
      "Make sure that the endpoint responds with a 2xx status. Its last responses are here:",
    ],
  };
}

function disabledNotice(endpoint: DisabledEndpoint, resultsKeptMs: number): NoticeDraft {
  const { url, disabled, failingSinceMs } = endpoint;
  const reason =
    disabled.reason === "gone"
      ? `At ${rfc3339(disabled.atMs)} it responded with 410 Gone, which asks for no more events.`
      : `Every attempt from ${rfc3339(failingSinceMs ?? disabled.atMs)} to ${rfc3339(disabled.atMs)} has failed.`;
  return {
    ...aboutEndpoint(endpoint),
    occurrence: `disabled at ${disabled.atMs}`,
    subject: `Webhook endpoint disabled: ${new URL(url).host}`,
    paragraphs: [
      "Postrider has disabled this webhook endpoint:",
      shownUrl(url),
      reason,
      keptText(resultsKeptMs),
      "To send them, make sure that the endpoint responds with a 2xx status, then enable it here:",
    ],
  };
}
