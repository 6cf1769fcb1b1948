/**
 * The message to an account's users when Postrider has disabled one of their webhook endpoints. Which endpoint is disabled, and
 * when, is decided in webhooks/.
 */

import { rfc3339 } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { periodText } from "../../lib/period-text.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { People } from "../../spool/port/people.ts";
import type { Endpoint, EndpointStore } from "../../spool/port/webhooks.ts";
import { type ServiceMessageParts, type ServiceMessageResult, sendServiceMessage } from "../send/service-message.ts";

/** An endpoint that is enabled and disabled again and again causes one message in this time. */
const NOTICE_INTERVAL_MS = DAY_MS;

/** The key id of these messages. */
export const NOTICE_KEY = "notice";

export interface WebhookNoticeParts extends ServiceMessageParts {
  store: Pick<EndpointStore, "endpoints" | "changeEndpoint">;
  registry: Pick<Registry, "domains">;
  people: Pick<People, "users">;
  log: Logger;
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

/** Sends to each user. Returns false if a later call may send what this one could not. */
async function notify(parts: WebhookNoticeParts, endpoint: DisabledEndpoint): Promise<boolean> {
  const { registry, people, log } = parts;
  const { id: endpointId, accountId } = endpoint;
  const domain = (await registry.domains(accountId)).find(({ verified }) => verified);
  if (domain === undefined) {
    log.warn({ endpointId, accountId }, "no webhook notice: the account has no verified domain");
    return true;
  }
  let isDone = true;
  for (const user of await people.users(accountId)) {
    const result = await sendServiceMessage(parts, {
      keyId: NOTICE_KEY,
      domain,
      local: "postrider",
      to: user.email,
      html: null,
      // A call that was interrupted between sending and recording is repeated, and must not send twice.
      idempotencyKey: `webhook-notice ${endpointId} ${endpoint.disabled.atMs} ${user.id}`,
      ...noticeContent(endpoint, parts),
    });
    const fault = faultOf(result);
    if (fault === null) continue;
    log.warn({ endpointId, accountId, userId: user.id, fault: fault.detail }, "webhook notice not sent");
    if (!fault.isPermanent) isDone = false;
  }
  return isDone;
}

/** Why the message was not sent; null if it was, now or by an earlier call. */
function faultOf(result: ServiceMessageResult): { detail: string; isPermanent: boolean } | null {
  if (result.type === "accepted" || result.type === "replayed") return null;
  if (result.type === "invalid_recipient") return { detail: result.detail, isPermanent: true };
  // An earlier call sent another text, such as one with the endpoint's former URL.
  if (result.code === "idempotency_key_reused") return null;
  return { detail: result.detail, isPermanent: result.code === "body_too_large" };
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
