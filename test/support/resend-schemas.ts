/**
 * Resend's API as far as Postrider serves it: schemas of its endpoints, written after its published OpenAPI document (version
 * 1.5.0 of August 2026, under the MIT licence), without descriptions. The document requires no member and allows others; here the members that its clients
 * declare are required, except those that docs/MIGRATING.md says may be absent, and no others are allowed.
 */
const TEXT = { type: "string" } as const;
const TEXTS = { type: "array", items: TEXT } as const;
const ADDRESSES = { oneOf: [TEXT, TEXTS] } as const;

const TAG = {
  type: "object",
  additionalProperties: false,
  required: ["name", "value"],
  properties: { name: TEXT, value: TEXT },
} as const;

const EMAIL = {
  message_id: TEXT,
  to: TEXTS,
  from: TEXT,
  created_at: TEXT,
  subject: TEXT,
  bcc: TEXTS,
  cc: TEXTS,
  last_event: {
    enum: [
      "bounced",
      "canceled",
      "clicked",
      "complained",
      "delivered",
      "delivery_delayed",
      "failed",
      "opened",
      "queued",
      "scheduled",
      "sent",
      "suppressed",
    ],
  },
} as const;

/** Not in the document; in the types of the npm package. */
const OF_THE_CLIENT = { scheduled_at: { type: ["string", "null"] }, tags: { type: "array", items: TAG } } as const;

const object = (properties: object, optional: object = {}) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

const SENT = object({ id: TEXT });

const ENTRY = object({ id: TEXT, ...EMAIL, scheduled_at: OF_THE_CLIENT.scheduled_at }, { object: TEXT });

const DOMAIN_STATUS = {
  enum: ["pending", "verified", "failed", "not_started", "partially_verified", "partially_failed"],
};
const SWITCH = { enum: ["enabled", "disabled"] };

const DOMAIN = {
  id: TEXT,
  name: TEXT,
  status: DOMAIN_STATUS,
  created_at: TEXT,
  region: { enum: ["us-east-1", "eu-west-1", "sa-east-1", "ap-northeast-1"] },
  capabilities: object({ sending: SWITCH, receiving: SWITCH }),
  open_tracking: { type: "boolean" },
  click_tracking: { type: "boolean" },
} as const;

const DOMAIN_RECORD = object(
  {
    record: { enum: ["SPF", "DKIM", "Receiving", "Tracking", "TrackingCAA"] },
    name: TEXT,
    type: { enum: ["MX", "TXT", "CNAME", "CAA"] },
    ttl: TEXT,
    status: { enum: ["pending", "verified", "failed", "temporary_failure", "not_started"] },
    value: TEXT,
  },
  { priority: { type: "integer" } },
);

/** `object` is in the types of the npm package for one domain alone, and allowed by the document for all. */
const WHOLE_DOMAIN = object({
  object: { const: "domain" },
  ...DOMAIN,
  records: { type: "array", items: DOMAIN_RECORD },
});

const listOf = (items: object) =>
  object({ object: { const: "list" }, has_more: { type: "boolean" }, data: { type: "array", items } });

const DELETED = (kind: string) => object({ object: { const: kind }, id: TEXT, deleted: { const: true } });

export const RESPONSES = {
  "POST /domains": WHOLE_DOMAIN,
  "GET /domains": listOf(object(DOMAIN)),
  "GET /domains/{id}": WHOLE_DOMAIN,
  "POST /domains/{id}/verify": object({ object: { const: "domain" }, id: TEXT }),
  "DELETE /domains/{id}": DELETED("domain"),
  "POST /api-keys": object({ id: TEXT, token: TEXT }),
  "GET /api-keys": listOf(
    object({ id: TEXT, name: TEXT, created_at: TEXT, last_used_at: { type: ["string", "null"] } }),
  ),
  "DELETE /api-keys/{id}": DELETED("api_key"),
  "POST /emails": SENT,
  "POST /emails/batch": object(
    { data: { type: "array", items: SENT } },
    { errors: { type: "array", items: object({ index: { type: "integer" }, message: TEXT }) } },
  ),
  "GET /emails/{id}": object(
    { object: { const: "email" }, id: TEXT, ...EMAIL, ...OF_THE_CLIENT },
    { html: TEXT, text: TEXT, reply_to: TEXTS },
  ),
  "GET /emails": object({
    object: { const: "list" },
    has_more: { type: "boolean" },
    data: { type: "array", items: ENTRY },
  }),
} as const;

/** The document has no schema of errors: this is the type of the npm package, with its names. */
export const ERROR = object({
  statusCode: { type: "integer" },
  name: {
    enum: [
      "invalid_idempotency_key",
      "validation_error",
      "missing_api_key",
      "restricted_api_key",
      "invalid_api_key",
      "not_found",
      "method_not_allowed",
      "invalid_idempotent_request",
      "concurrent_idempotent_requests",
      "invalid_attachment",
      "invalid_from_address",
      "invalid_access",
      "invalid_parameter",
      "invalid_region",
      "missing_required_field",
      "monthly_quota_exceeded",
      "daily_quota_exceeded",
      "rate_limit_exceeded",
      "security_error",
      "application_error",
      "internal_server_error",
    ],
  },
  message: { type: "string", minLength: 1 },
});

/** A message that the document allows; a test's valid requests have this form. */
export const SEND_EMAIL_REQUEST = {
  type: "object",
  required: ["from", "to", "subject"],
  properties: {
    from: TEXT,
    to: { oneOf: [TEXT, { ...TEXTS, minItems: 1, maxItems: 50 }] },
    subject: TEXT,
    bcc: ADDRESSES,
    cc: ADDRESSES,
    reply_to: ADDRESSES,
    html: TEXT,
    text: TEXT,
    headers: { type: "object" },
    scheduled_at: TEXT,
    attachments: {
      type: "array",
      items: {
        type: "object",
        properties: { content: TEXT, filename: TEXT, path: TEXT, content_type: TEXT, content_id: TEXT },
      },
    },
    tags: { type: "array", items: { type: "object", properties: { name: TEXT, value: TEXT } } },
    topic_id: TEXT,
  },
} as const;
