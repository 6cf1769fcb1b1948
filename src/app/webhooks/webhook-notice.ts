/**
 * The message to an account's users when Postrider has disabled one of their webhook endpoints. Which endpoint is disabled, and
 * when, is decided in webhooks/.
 */

import { rfc3339 } from "../../lib/clock.ts";
import { periodText } from "../../lib/period-text.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { Endpoint, EndpointStore } from "../../spool/port/webhooks.ts";
import { type NoticeParts, sendNotice } from "../send/notices.ts";

/** An endpoint that is enabled and disabled again and again causes one message in this time. */
const NOTICE_INTERVAL_MS = DAY_MS;

export interface WebhookNoticeParts extends NoticeParts {
  store: Pick<EndpointStore, "endpoints" | "changeEndpoint">;
  /** Base URL of links, without a final slash. */
  publicUrl: string;
  /** RETENTION_RESULTS: events are kept as long as results. */
  resultsKeptMs: number;
}

type DisabledEndpoint = Endpoint & { disabled: NonNullable<Endpoint["disabled"]> };

/**
 * Sends the messages that have not been sent yet. Never rejects: what fails is logged, and left to the next call. Of an account
 * without a verified domain nothing is sent; the dashboard shows the endpoint's state.
 */
export async function notifyDisabledEndpoints(parts: WebhookNoticeParts): Promise<void> {
  const { store, log } = parts;
  const endpoints = await store.endpoints(null).catch((error: Error) => {
    log.warn({ err: error }, "webhook notices failed");
    return [];
  });
  for (const endpoint of endpoints) {
    if (!isToBeNotified(endpoint)) continue;
    await notifyAndRecord(parts, endpoint).catch((error: Error) => {
      log.warn({ err: error, endpointId: endpoint.id }, "webhook notice failed");
    });
  }
}

async function notifyAndRecord(parts: WebhookNoticeParts, endpoint: DisabledEndpoint): Promise<void> {
  if (!(await notify(parts, endpoint))) return;
  const { accountId, id: endpointId } = endpoint;
  const change = { type: "notified", atMs: parts.clock.now() } as const;
  await parts.store.changeEndpoint({ accountId, endpointId, change });
}

function isToBeNotified(endpoint: Endpoint): endpoint is DisabledEndpoint {
  if (endpoint.disabled === null) return false;
  const { atMs, notifiedAtMs } = endpoint.disabled;
  return notifiedAtMs === null || notifiedAtMs <= atMs - NOTICE_INTERVAL_MS;
}

/** Returns as sendNotice. */
async function notify(parts: WebhookNoticeParts, endpoint: DisabledEndpoint): Promise<boolean> {
  const { id: endpointId, accountId } = endpoint;
  const users = await parts.people.users(accountId);
  return sendNotice(
    parts,
    { accountId, users },
    {
      ...noticeContent(endpoint, parts),
      idempotencyKey: `webhook-notice ${endpointId} ${endpoint.disabled.atMs}`,
      about: { endpointId },
    },
  );
}

function noticeContent(
  { id, url, disabled, failingSinceMs }: DisabledEndpoint,
  { publicUrl, resultsKeptMs }: Pick<WebhookNoticeParts, "publicUrl" | "resultsKeptMs">,
): { subject: string; text: string } {
  const reason =
    disabled.reason === "gone"
      ? `At ${rfc3339(disabled.atMs)} it responded with 410 Gone, which asks for no more events.`
      : `Every attempt from ${rfc3339(failingSinceMs ?? disabled.atMs)} to ${rfc3339(disabled.atMs)} has failed.`;
  const paragraphs = [
    "Postrider has disabled this webhook endpoint:",
    url,
    reason,
    `Its events wait for it. They are deleted ${periodText(resultsKeptMs)} after the last result of their message.`,
    "To send them, make sure that the endpoint responds with a 2xx status, then enable it here:",
    `${publicUrl}/dashboard/webhooks/${id}`,
  ];
  return { subject: `Webhook endpoint disabled: ${new URL(url).host}`, text: `${paragraphs.join("\n\n")}\n` };
}
