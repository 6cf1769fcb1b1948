/**
 * The examples of responses in the OpenAPI document. Tests validate each of them with its schema.
 */
import { Problem, type ProblemCode, type ProblemExtras, problemDocument } from "./response/problems.ts";

export const ID_EXAMPLE = "msg_-P6wKPyqgKf3C6ekSH_skV7I";

const ACCEPTED_AT = "2026-03-02T08:30:00.000Z";
const DELIVERED_AT = "2026-03-02T08:30:01.250Z";
const RECIPIENT = "you@your-provider.example";
const SUBJECT = "Your order is on its way";
const MESSAGE_ID = "<k2VX0nHqkJrT4yGf@example.com>";
const MX = { mx: "mx1.your-provider.example", ip: "192.0.2.25" };
const REPLY = { code: 250, enhanced_code: "2.0.0", message: "Ok: queued as 4XyZ1k2mPzz" };
const TAGS = ["shipping"];
const METADATA = { order: "1042" };

const MESSAGE = {
  id: ID_EXAMPLE,
  state: "accepted",
  created_at: ACCEPTED_AT,
  updated_at: DELIVERED_AT,
  from: "hello@example.com",
  subject: SUBJECT,
  message_id: MESSAGE_ID,
  tags: TAGS,
  metadata: METADATA,
  expires_at: "2026-03-04T08:30:00.000Z",
  recipients: [
    {
      email: RECIPIENT,
      field: "to",
      result: "delivered",
      reason: null,
      category: null,
      attempts: 1,
      next_attempt_at: null,
      updated_at: DELIVERED_AT,
      smtp: { ...REPLY, ...MX, tls: "TLSv1.3" },
      receiver: "your-provider.example",
      events: [
        { at: ACCEPTED_AT, type: "accepted" },
        {
          at: DELIVERED_AT,
          type: "delivered",
          attempt: 1,
          reason: null,
          category: null,
          detail: null,
          tries: [
            {
              ...MX,
              tls: { protocol: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", verified: true },
              stage: "final_dot",
              reply: REPLY,
              error: null,
              note: null,
              policy: null,
            },
          ],
          next_attempt_at: null,
        },
      ],
    },
  ],
};

const SUMMARY = {
  id: ID_EXAMPLE,
  state: "accepted",
  created_at: ACCEPTED_AT,
  from: MESSAGE.from,
  to: RECIPIENT,
  subject: SUBJECT,
  message_id: MESSAGE_ID,
  tags: TAGS,
  test: false,
  recipients: 1,
  results: { delivered: 1, failed: 0, pending: 0, unknown: 0 },
  categories: [],
};

const EVENT = {
  id: "evt_5cYb0QmV3nDq8sLwT1aZ",
  type: "recipient.delivered",
  at: DELIVERED_AT,
  sequence: 2,
  message_id: ID_EXAMPLE,
  domain: "example.com",
  recipient: {
    email: RECIPIENT,
    result: "delivered",
    reason: null,
    category: null,
    attempts: 1,
    smtp: { ...REPLY, ...MX, tls: "TLSv1.3" },
    receiver: "your-provider.example",
  },
  tags: TAGS,
  metadata: METADATA,
  test: false,
};

export const SCHEDULED_EXAMPLE = {
  ...MESSAGE,
  updated_at: ACCEPTED_AT,
  send_at: "2026-03-03T09:00:00.000Z",
  expires_at: "2026-03-05T09:00:00.000Z",
  recipients: [
    {
      email: RECIPIENT,
      field: "to",
      result: "pending",
      reason: "scheduled",
      category: null,
      attempts: 0,
      next_attempt_at: "2026-03-03T09:00:00.000Z",
      updated_at: ACCEPTED_AT,
      smtp: null,
      receiver: null,
      events: [
        { at: ACCEPTED_AT, type: "accepted" },
        { at: ACCEPTED_AT, type: "scheduled", send_at: "2026-03-03T09:00:00.000Z" },
      ],
    },
  ],
};

export const CANCELLED_EXAMPLE = {
  ...MESSAGE,
  updated_at: DELIVERED_AT,
  recipients: [
    {
      email: RECIPIENT,
      field: "to",
      result: "failed",
      reason: "cancelled",
      category: null,
      attempts: 0,
      next_attempt_at: null,
      updated_at: DELIVERED_AT,
      smtp: null,
      receiver: null,
      events: [
        { at: ACCEPTED_AT, type: "accepted" },
        { at: DELIVERED_AT, type: "cancelled", result: "failed", by: "key website (key_4XyZ1k2mPzz)" },
      ],
    },
  ],
};

/** By the name of the schema. */
export const RESPONSE_EXAMPLES = {
  Accepted: { id: ID_EXAMPLE, state: "accepted" },
  StatusLink: { status_url: "https://mail.example.com/status/EXAMPLE" },
  StatusPage: {
    state: "delivered",
    detail:
      "Your email provider accepted the message at 10:02:13 UTC. If you cannot see it, please look in your spam folder.",
    updated_at: "2026-03-02T10:02:13.000Z",
    recipient: "a***@gm***.com",
  },
  BatchResult: {
    messages: [
      { id: ID_EXAMPLE, state: "accepted" },
      {
        error: {
          status: 400,
          code: "invalid_request",
          detail: "to: This field is required.",
          errors: [{ field: "to", detail: "This field is required." }],
        },
      },
    ],
  },
  Message: MESSAGE,
  MessageList: { messages: [SUMMARY], next_cursor: null },
  EventList: { events: [EVENT], next: "p2s" },
  Health: { status: "ok" },
  Readiness: { status: "ready", reasons: [] },
} as const;

export const NOT_READY_EXAMPLE = { status: "not_ready", reasons: ["The disk of DATA_DIR is full."] };

export const DOCUMENT_EXAMPLE = { openapi: "3.1.1", info: { title: "Postrider" } };

export const METRICS_EXAMPLE =
  "# TYPE postrider_requests_unrecorded_total counter\npostrider_requests_unrecorded_total 0\n";

const DETAILS: Readonly<Record<ProblemCode, string>> = {
  invalid_json: "The body is not valid JSON.",
  invalid_request: "to: This field is required.",
  invalid_idempotency_key: "The Idempotency-Key must have 1 to 256 printable ASCII characters.",
  too_many_recipients: "A message may have at most 50 recipients.",
  invalid_api_key: "The API key is invalid, has expired or has been revoked. Create a new one.",
  permission_denied: "This API key lacks the permission send: it has only read. Use a key with the permission send.",
  domain_not_verified: "The domain example.com is not verified. Still missing: dkim (pending).",
  sender_not_allowed: "This API key may send only from the domains news.example.com, not from example.com.",
  not_found: "No such message for this key.",
  method_not_allowed: "This path allows GET.",
  request_timeout: "The request did not arrive in time.",
  idempotency_key_reused: "This Idempotency-Key was used within 24 hours with another payload.",
  already_exists: "The account already has the domain example.com.",
  limit_reached: "The account has reached its limit of 100 domains (DOMAINS_MAX). Remove one first.",
  account_deleted: "The account shop is deleted. Restore it before you change it.",
  not_possible: "The API key key_4xTqZ7Jm2c is not held.",
  precondition_failed: "It was changed since the entity tag in If-Match. Read it again.",
  not_cancellable: "Nothing of this message is pending: each recipient has its result.",
  not_scheduled:
    "This message does not wait for a time: it was sent without one, its time has come, or it was cancelled.",
  cursor_expired: "Events after this cursor were deleted. Begin again without the parameter after.",
  body_too_large: "The request is larger than 10485760 bytes.",
  unsupported_media_type: "The body must be JSON: send Content-Type: application/json.",
  expectation_failed: "Only Expect: 100-continue is supported.",
  rate_limit_exceeded: "This key sends faster than the rate allows.",
  quota_exceeded: "The account's daily quota of recipients is used up.",
  headers_too_large: "The header fields of the request are too large.",
  internal_error: "Internal error. The request may be retried.",
  engine_unavailable: "The mail engine cannot store messages right now. Retry with the same Idempotency-Key.",
};

const EXTRAS: Partial<Record<ProblemCode, ProblemExtras>> = {
  invalid_request: { errors: [{ field: "to", detail: "This field is required." }] },
  rate_limit_exceeded: { retryAfterS: 1 },
  quota_exceeded: { retryAfterS: 5400 },
  engine_unavailable: { retryAfterS: 5 },
};

/** Returns an example of a problem for each code, by its name. */
export function problemExamples(codes: readonly ProblemCode[]): Record<string, { value: object }> {
  const exampleOf = (code: ProblemCode) =>
    problemDocument(new Problem(code, DETAILS[code], EXTRAS[code]), "req_7tYb0QmV3nDq8sLw", "https://mail.example.com");
  return Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }]));
}
