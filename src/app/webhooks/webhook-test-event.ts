/**
 * The test event of a webhook endpoint: an example of `recipient.delivered`, marked with `"test": true`. It is not stored.
 */
import { pooledRandomBytes } from "../../lib/random.ts";
import { messageId, randomToken } from "../../message/ids.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import { type EventView, eventView } from "./event-view.ts";
import { webhookBodyOf } from "./webhook-body.ts";

/** One request to an endpoint. Its headers and signatures are made by the poster. */
export interface WebhookRequest {
  url: string;
  /** The event's. */
  id: string;
  atMs: number;
  body: string;
  /** The request is signed with each of them, as newSecret formats them. */
  secrets: string[];
}

export interface WebhookResponse {
  /** The HTTP status; null without a response. */
  status: number | null;
  /** A sentence if there was no response or it was not read; null otherwise. */
  error: string | null;
  /** The beginning of the response's body. */
  response: string;
  durationMs: number;
}

/** Posts once. Faults of the endpoint and the network are in the response. */
export type PostWebhook = (request: WebhookRequest) => Promise<WebhookResponse>;

/** Whether the endpoint has accepted the event. */
export const isSuccess = ({ status }: Pick<WebhookResponse, "status">): boolean =>
  status !== null && status >= 200 && status < 300;

/** Returns the request with a test event for this endpoint, whatever its filter. */
export function testRequest(
  { url, accountId }: Pick<Endpoint, "url" | "accountId">,
  secrets: string[],
  nowMs: number,
): WebhookRequest {
  const view = testEvent(accountId, nowMs);
  return { url, id: view.id, atMs: nowMs, body: webhookBodyOf(view), secrets };
}

/** The second event of an example message. */
function testEvent(accountId: string, nowMs: number): EventView {
  return eventView({
    id: `evt_${randomToken(12, pooledRandomBytes)}`,
    accountId,
    number: 1,
    atMs: nowMs,
    type: "recipient.delivered",
    sequence: 2,
    messageId: messageId(nowMs, pooledRandomBytes),
    keyId: null,
    orderKey: 0,
    domain: "example.com",
    recipient: {
      email: "recipient@example.org",
      result: "delivered",
      reason: null,
      category: null,
      attempts: 1,
      smtp: {
        code: 250,
        enhanced_code: "2.0.0",
        message: "OK",
        mx: "mx.example.org",
        ip: "192.0.2.1",
        tls: "TLSv1.3",
      },
    },
    tags: [],
    metadata: {},
    test: true,
  });
}
