/**
 * The webhooks of the OpenAPI document: the request that an endpoint receives for each type of event, and what its response
 * means. Sending them is decided in webhooks/.
 */
import { EVENT_TYPES, type EventType } from "../spool/port/events.ts";

type Part = Readonly<Record<string, unknown>>;

/** When an event of each type occurs. */
const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  "message.accepted": "A message was accepted",
  "recipient.delivered": "The recipient's server took responsibility for the message",
  "recipient.deferred": "The recipient waits for another attempt",
  "recipient.failed": "Delivery to the recipient failed permanently",
  "recipient.unknown": "The recipient's server may or may not have taken the message",
  "recipient.suppressed": "The recipient failed without an attempt, because the address is suppressed",
  "recipient.bounced": "The message came back after the recipient's server had taken it",
  "recipient.complained": "The recipient reported the message as spam",
  "recipient.unsubscribed": "The recipient unsubscribed by the link of the message",
  "domain.verified": "A domain of the account passes all checks that sending requires",
  "domain.failing": "A check of a verified domain fails; the domain may still send",
  "domain.lost": "A domain of the account lost its verification, and may not send",
};

const HEADER_FIELDS: readonly Part[] = [
  {
    name: "webhook-id",
    description: "The event's id. All attempts and replays of an event have the same one.",
    schema: { type: "string" },
  },
  {
    name: "webhook-timestamp",
    description:
      "When the request was sent, in seconds since 1970. Reject requests that are more than five minutes off.",
    schema: { type: "integer" },
  },
  {
    name: "webhook-signature",
    description:
      "`v1,` and the base64 of HMAC-SHA256 over `ID.TIMESTAMP.BODY` with the endpoint's secret (Standard Webhooks). During a rotation there are two signatures, separated by a space.",
    schema: { type: "string" },
  },
].map((field) => ({ ...field, in: "header", required: true }));

const RESPONSES: Part = {
  "2XX": { description: "Received. A response must arrive within 15 seconds." },
  410: { description: "No more events: the endpoint is disabled." },
  default: {
    description:
      "The event is sent again later, at the earliest after `Retry-After` seconds. Redirects are not followed.",
  },
};

/** `message.accepted` becomes `onMessageAccepted`. */
const operationIdOf = (type: EventType): string =>
  `on${type.replace(/(?:^|\.)(\w)/g, (_, first: string) => first.toUpperCase())}`;

function webhook(type: EventType): Part {
  const schema = {
    type: "object",
    allOf: [{ $ref: "#/components/schemas/Webhook" }],
    properties: { type: { type: "string", const: type, description: "As in `data`." } },
  };
  return {
    post: {
      operationId: operationIdOf(type),
      tags: ["webhooks"],
      security: [],
      summary: EVENT_MEANINGS[type],
      parameters: HEADER_FIELDS,
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: RESPONSES,
    },
  };
}

export const WEBHOOKS: Part = Object.fromEntries(EVENT_TYPES.map((type) => [type, webhook(type)]));
