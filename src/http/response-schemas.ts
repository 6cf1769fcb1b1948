/**
 * The responses of the API and the bodies of webhooks as JSON Schema (2020-12), for OpenAPI and for the tests that validate every response.
 */
import { CATEGORIES } from "../message/category.ts";
import { SUPPRESSION_NAMES } from "../message/explanation.ts";
import { REASONS } from "../message/reasons.ts";
import { TAG_LENGTH_MAX, TAGS_MAX } from "../message/send-request-schema.ts";
import { EVENT_TYPES } from "../spool/port/events.ts";

type Schema = Readonly<Record<string, unknown>>;

/** An object with all of these members and any of the optional ones. */
const object = (
  properties: Record<string, Schema>,
  more: Schema = {},
  optional: Record<string, Schema> = {},
): Schema => ({
  type: "object",
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
  ...more,
});
const arrayOf = (items: Schema, description?: string): Schema => ({
  type: "array",
  items,
  ...(description === undefined ? {} : { description }),
});
const text = (description?: string): Schema => ({
  type: "string",
  ...(description === undefined ? {} : { description }),
});
const textOrNull = (description?: string): Schema => ({ ...text(description), type: ["string", "null"] });
const oneOf = (values: readonly string[], description?: string): Schema => ({ ...text(description), enum: values });
/** Some client generators need the type besides `const`. */
const only = (value: string): Schema => ({ type: "string", const: value });
const count = (description?: string): Schema => ({ ...text(description), type: "integer", minimum: 0 });
const countOrNull = (description?: string): Schema => ({ ...count(description), type: ["integer", "null"] });
const time = (description?: string): Schema => ({ ...text(description), format: "date-time" });
const timeOrNull = (description?: string): Schema => ({ ...textOrNull(description), format: "date-time" });
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const refOrNull = (name: string): Schema => ({ anyOf: [ref(name), { type: "null" }] });

const RESULTS = ["delivered", "failed", "pending", "unknown"];
const STAGES = ["dns", "connect", "greeting", "ehlo", "starttls", "mail", "rcpt", "data", "content", "final_dot"];
const ATTEMPTS = ["delivered", "failed", "deferred", "unknown", "expired", "recovered", "retried"];

export const ID_EXAMPLE = "msg_-P6wKPyqgKf3C6ekSH_skV7I";
const id = { ...text("Opaque."), examples: [ID_EXAMPLE] };
const state = oneOf(["accepted"], "The message is on disk.");
const metadata = { type: "object", additionalProperties: { type: "string" } };
const tags = { ...arrayOf({ type: "string", maxLength: TAG_LENGTH_MAX }), maxItems: TAGS_MAX };
const messageId = text("The Message-ID header field.");
const test = { type: "boolean", description: "Whether it was sent with a test key: then nothing of it left the host." };

const reply = {
  code: { type: "integer", description: "SMTP reply code." },
  enhanced_code: textOrNull("RFC 3463."),
  message: text("The text of the reply; lines are joined by a line feed."),
};
const host = { mx: text("The mail exchanger."), ip: textOrNull("Its address.") };

/** The types of an entry of a recipient's history. */
const RECIPIENT_EVENTS = [
  "AcceptedEvent",
  "SuppressedEvent",
  "AttemptEvent",
  "BouncedEvent",
  "ComplainedEvent",
  "UnsubscribedEvent",
  "ConfirmedEvent",
  "DecisionEvent",
];

const bounce = {
  status: textOrNull("RFC 3463; null without one."),
  category: ref("Category"),
  permanent: { type: "boolean", description: "Whether sending again is useless." },
  diagnostic: text("The text of the host that returned the message."),
};
const by = text("The email address of the user who decided, or `command line`.");
const complaintType = text("The type of the report (RFC 5965), such as `abuse`.");

export const RESPONSE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Accepted: object({ id, state }),
  Message: object(
    {
      id,
      state,
      created_at: time("When it was accepted."),
      updated_at: time("When a recipient last changed."),
      expires_at: time("A recipient that is pending at this time fails with `expired`."),
      from: text("The sender's address."),
      subject: text(),
      message_id: messageId,
      tags,
      metadata,
      recipients: arrayOf(ref("Recipient"), "In the order sent: to, cc, bcc."),
    },
    {},
    { test: { ...test, description: `${test.description} Absent otherwise.` } },
  ),
  Recipient: object(
    {
      email: text("As it was written in the request."),
      field: oneOf(["to", "cc", "bcc"]),
      result: oneOf(RESULTS, "`delivered`: the recipient's mail exchanger took responsibility."),
      reason: { ...refOrNull("Reason"), description: "Why, as a short code." },
      category: {
        ...refOrNull("Category"),
        description:
          "The kind of obstacle; null when delivered, before the first attempt, and for results of versions without categories.",
      },
      attempts: count(),
      next_attempt_at: timeOrNull(
        "Null where no further attempt follows, also while `pending` if none fits before `expires_at`.",
      ),
      updated_at: time(),
      smtp: refOrNull("SmtpReply"),
      events: arrayOf({ anyOf: RECIPIENT_EVENTS.map(ref) }, "Oldest first."),
    },
    {},
    {
      bounce: { ...ref("Bounce"), description: "Absent unless the message came back. `result` does not change." },
      complaint: { ...ref("Complaint"), description: "Absent unless the recipient reported the message as spam." },
      unsubscribed_at: time("Absent unless the recipient unsubscribed by the link of this message."),
      events_omitted: count("Number of older events left out because the events of the message are too large."),
    },
  ),
  Bounce: object({ at: time(), ...bounce }, { description: "The message was accepted by a host, and came back." }),
  Complaint: object(
    { at: time(), type: complaintType },
    { description: "The recipient reported the message as spam." },
  ),
  Reason: oneOf(REASONS, "Why a recipient has its result. A later version may add values."),
  Category: oneOf(
    CATEGORIES,
    "The kind of obstacle that a recipient met, by the enhanced code and text of the reply, or by the error where there was no reply. A later version may add values.",
  ),
  SmtpReply: object({ ...reply, ...host, tls: textOrNull("The TLS version.") }, { description: "The decisive reply." }),
  AcceptedEvent: object({ at: time(), type: only("accepted") }),
  SuppressedEvent: object(
    {
      at: time(),
      type: only("suppressed"),
      cause: oneOf(
        Object.keys(SUPPRESSION_NAMES),
        "`refusals`: the address was refused as unknown. `complaint`, `unsubscribed`: its owner wants no more messages.",
      ),
      detail: text(),
      since: time(),
      until: timeOrNull(
        "From this time on, delivery to the address is attempted again. Null: until it is allowed again.",
      ),
      refusals: arrayOf(object({ at: time(), ...reply, ...host }), "Empty unless they are the cause."),
    },
    {
      description:
        "The address is suppressed. Refusals suppress it if there were recently two at least 24 hours apart, or three with at least 8 hours between them (see SUPPRESS_AFTER).",
    },
  ),
  BouncedEvent: object(
    { at: time(), type: only("bounced"), ...bounce },
    { description: "The message came back after its handover." },
    { rule: text("The rule that decided on the category.") },
  ),
  ComplainedEvent: object({ at: time(), type: only("complained"), kind: complaintType }),
  UnsubscribedEvent: object({ at: time(), type: only("unsubscribed") }),
  ConfirmedEvent: object(
    { at: time(), type: only("confirmed") },
    { description: "A report of the recipient's server: the message was delivered." },
  ),
  DecisionEvent: object(
    {
      at: time(),
      type: oneOf(
        ["resolved", "cancelled"],
        "`resolved`: the result was unknown, and a person decided it. `cancelled`: a person ended the delivery.",
      ),
      result: oneOf(
        ["delivered", "failed", "unknown"],
        "`unknown`: cancelled after an attempt that may have delivered it.",
      ),
      by,
    },
    { description: "A person's decision about the recipient." },
  ),
  AttemptEvent: object(
    {
      at: time(),
      type: oneOf(
        ATTEMPTS,
        "`retried`: an operator requested it. `recovered`: the result was unknown when the service started.",
      ),
      attempt: count(),
      reason: refOrNull("Reason"),
      category: refOrNull("Category"),
      detail: textOrNull("Reason and category in sentences."),
      tries: arrayOf(
        ref("Try"),
        "Each host and address that was tried; the last is decisive, and the only one where `events_omitted` is set and the list is large.",
      ),
      next_attempt_at: timeOrNull(),
    },
    {},
    {
      by: {
        ...by,
        description: "Who asked for the retry. Absent from other events, and from those of earlier versions.",
      },
    },
  ),
  Try: object({
    ...host,
    tls: {
      anyOf: [object({ protocol: text(), cipher: text(), verified: { type: "boolean" } }), { type: "null" }],
    },
    stage: oneOf(
      STAGES,
      "The last stage reached; `dns` for everything before a connection, including faults of the service.",
    ),
    reply: { anyOf: [object(reply), { type: "null" }] },
    error: textOrNull("The error where there was no reply."),
    note: textOrNull(),
    policy: textOrNull("The policy that decided on TLS."),
  }),
  MessageList: object({
    messages: arrayOf(
      ref("MessageSummary"),
      "Newest first. A page may have fewer than `limit`, even none, although more follow.",
    ),
    next_cursor: textOrNull("For the next page; null at the end."),
  }),
  MessageSummary: object({
    id,
    state,
    created_at: time(),
    from: text(),
    to: text("The first recipient."),
    subject: text(),
    message_id: messageId,
    tags,
    test,
    recipients: count("Number of recipients."),
    results: object(Object.fromEntries(RESULTS.map((result) => [result, count()]))),
    categories: arrayOf(ref("Category"), "The categories of its recipients, each once, in alphabetical order."),
  }),
  EventList: object({
    events: arrayOf(ref("Event"), "Oldest first. A page may have fewer than `limit`, even none, although more follow."),
    next: text("For the next request, as `after`; also where there are no events."),
  }),
  Event: object(
    {
      id: text("Opaque. An event that is sent or read again has the same id."),
      type: oneOf(EVENT_TYPES, "A later version may add values."),
      at: time(),
      sequence: countOrNull("Counts the events of the message from 1, without a gap; null for an event of a domain."),
      message_id: textOrNull("The `id` of the message; null for an event of a domain."),
      domain: text("The bound domain: the sender's, or the one that the event is about."),
      recipient: {
        ...refOrNull("EventRecipient"),
        description: "As of the event; null for `message.accepted` and an event of a domain.",
      },
      tags,
      metadata,
      test: {
        type: "boolean",
        description: "Whether the message was sent with a test key, or the event is a test of a webhook endpoint.",
      },
    },
    {},
    {
      bounce: { ...ref("Bounce"), description: "Of `recipient.bounced` alone." },
      complaint: { ...ref("Complaint"), description: "Of `recipient.complained` alone." },
    },
  ),
  EventRecipient: object({
    email: text("As it was written in the request."),
    result: oneOf(RESULTS),
    reason: refOrNull("Reason"),
    category: refOrNull("Category"),
    attempts: count("Attempts so far."),
    smtp: refOrNull("SmtpReply"),
  }),
  Webhook: object(
    {
      type: oneOf(EVENT_TYPES, "As in `data`."),
      timestamp: time("When the event occurred, as `at` in `data`."),
      data: ref("Event"),
    },
    { description: "The body of a webhook request." },
  ),
  Health: object({ status: only("ok") }),
  Readiness: object({ status: oneOf(["ready", "not_ready"]), reasons: arrayOf(text()) }),
};
