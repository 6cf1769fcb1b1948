/**
 * Like loggedPath, for a request target; without its query.
 */
import { STATUS_STATES } from "../app/status/recipient-status.ts";
import { CATEGORIES } from "../message/result/category.ts";
import { SUPPRESSION_NAMES } from "../message/result/explanation.ts";
import { RESULTS } from "../message/result/outcome.ts";
import { REASONS } from "../message/result/reasons.ts";
import { TAG_LENGTH_MAX, TAGS_MAX } from "../message/send-request/send-request-schema.ts";
import { EVENT_TYPES } from "../spool/port/events.ts";
import { ID_EXAMPLE } from "./openapi-examples.ts";
import { PROBLEM_CODES } from "./response/problems.ts";
import {
  arrayOf,
  count,
  countOrNull,
  flag,
  object,
  oneOf,
  only,
  ref,
  refOrNull,
  type Schema,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "./response/schema.ts";

const STAGES = ["dns", "connect", "greeting", "ehlo", "starttls", "mail", "rcpt", "data", "content", "final_dot"];
const ATTEMPTS = ["delivered", "failed", "deferred", "unknown", "expired", "recovered", "retried"];

const id = { ...text("Opaque."), examples: [ID_EXAMPLE] };
const state = oneOf(["accepted"], "The message is on disk.");
const statusUrl = text("The address of the status page, for the recipient; absent unless `status_page` is true.");
const metadata = {
  type: "object",
  additionalProperties: { type: "string" },
  description: "The strings that the request has set; empty without any.",
};
const tags = {
  ...arrayOf({ type: "string", maxLength: TAG_LENGTH_MAX }, "The labels that the request has set; empty without any."),
  maxItems: TAGS_MAX,
};
const happened = time("When it happened.");
const messageId = text("The Message-ID header field.");
const testDescription = "Whether it was sent with a test key: then nothing of it left this server.";
const results =
  "`delivered`: the recipient's server took responsibility. `failed`: no further attempt follows. `pending`: one follows. `unknown`: the connection ended after the message was sent, before the reply.";

const reply = {
  code: { ...text("The SMTP reply code."), type: "integer" },
  enhanced_code: textOrNull("The enhanced status code (RFC 3463); null without one."),
  message: text("The text of the reply; lines are joined by a line feed."),
};
const host = {
  mx: text("The name of the recipient's server."),
  ip: textOrNull("Its IP address; null if none was found."),
};

const source = text("The sending address that the attempt left from; absent where the system chose it.");

/** The types of an entry of a recipient's history. */
const RECIPIENT_EVENTS = [
  "AcceptedEvent",
  "ScheduledEvent",
  "SuppressedEvent",
  "AttemptEvent",
  "BouncedEvent",
  "ComplainedEvent",
  "UnverifiedComplaintEvent",
  "UnsubscribedEvent",
  "ConfirmedEvent",
  "DecisionEvent",
];

const bounce = {
  status: textOrNull("RFC 3463; null without one."),
  category: ref("Category", "The category."),
  permanent: flag("Whether sending again is useless."),
  diagnostic: text("The text of the server that returned the message."),
};
const by = text("The email address of the user who decided, `command line`, or an API key as `key NAME (ID)`.");
const complaintType = text("The type of the report (RFC 5965), such as `abuse`.");

export const FIELD_ERRORS: Schema = {
  type: "array",
  description: "Every fault with its field.",
  items: object({
    field: text("The field or parameter at fault, such as `to[1]`."),
    detail: text("What is wrong with it, in a sentence."),
  }),
};

export const RESPONSE_SCHEMAS: Readonly<Record<string, Schema>> = {
  Accepted: object({ id, state }, {}, { status_url: statusUrl }),
  StatusLink: object({ status_url: text("The address of the status page, for the recipient.") }),
  StatusPage: object({
    state: oneOf(
      STATUS_STATES,
      "The result of the recipient, as the lookup has it; `returned`: the message came back after its handover.",
    ),
    detail: text("What happened and what to do, in the language of `lang` or `Accept-Language`."),
    updated_at: time("When the state last changed."),
    recipient: text("The email address, masked."),
  }),
  BatchResult: object({
    messages: arrayOf(
      { anyOf: [ref("Accepted"), ref("NotAccepted")] },
      "One for each message, in the order of the request.",
    ),
  }),
  NotAccepted: object(
    {
      error: object(
        {
          status: { ...text("The status that a send of this message would have."), type: "integer" },
          code: oneOf(PROBLEM_CODES, "As in a problem. A later version may add values."),
          detail: text("What is wrong and what to do, for human readers."),
        },
        { description: "Why the message is not accepted." },
        {
          errors: FIELD_ERRORS,
          retry_after: { ...count("Seconds until a retry can succeed."), minimum: 1 },
        },
      ),
    },
    { description: "A message of a batch that is not accepted." },
  ),
  Message: object(
    {
      id,
      state,
      created_at: time("When it was accepted."),
      updated_at: time("When a recipient last changed."),
      expires_at: time("A recipient that is pending at this time fails with `expired`."),
      from: text("The sender's address."),
      subject: text("The subject as sent."),
      message_id: messageId,
      tags,
      metadata,
      recipients: arrayOf(ref("Recipient"), "In the order sent: to, cc, bcc."),
    },
    {},
    {
      send_at: time("When delivery begins. Absent unless the message was scheduled."),
      test: flag(`${testDescription} Absent otherwise.`),
    },
  ),
  Recipient: object(
    {
      email: text("As it was written in the request."),
      field: oneOf(["to", "cc", "bcc"], "The field of the request that names the recipient."),
      result: oneOf(RESULTS, results),
      reason: refOrNull("Reason", "Why, as a short code; null when delivered and before the first attempt."),
      category: refOrNull(
        "Category",
        "The category; null when delivered, before the first attempt, and for results of versions without categories.",
      ),
      attempts: count("The number of attempts so far."),
      next_attempt_at: timeOrNull(
        "Null where no further attempt follows, also while `pending` if none fits before `expires_at`, or while the message is in quarantine.",
      ),
      updated_at: time("When the recipient last changed."),
      smtp: refOrNull("SmtpReply", "The decisive reply; null before there is one."),
      receiver: textOrNull(
        "Who gave the reply: the name of a known receiver, such as `gmail`, or the organisational domain of its server.",
      ),
      events: arrayOf({ anyOf: RECIPIENT_EVENTS.map((name) => ref(name)) }, "Oldest first."),
    },
    {},
    {
      bounce: ref("Bounce", "Absent unless the message came back. `result` does not change."),
      complaint: ref("Complaint", "Absent unless the recipient reported the message as spam."),
      unsubscribed_at: time("Absent unless the recipient unsubscribed by the link of this message."),
      events_omitted: count("Number of older events left out because the events of the message are too large."),
    },
  ),
  Bounce: object(
    { at: happened, ...bounce },
    { description: "The recipient's server accepted the message, and it came back." },
  ),
  Complaint: object(
    { at: happened, type: complaintType },
    { description: "The recipient reported the message as spam." },
  ),
  Reason: oneOf(REASONS, "Why a recipient has its result. A later version may add values."),
  Category: oneOf(
    CATEGORIES,
    "The category of what stopped or delayed the message, by the enhanced code and text of the reply, or by the error where there was no reply. A later version may add values.",
  ),
  SmtpReply: object(
    { ...reply, ...host, tls: textOrNull("The TLS version.") },
    { description: "The decisive reply." },
    { source },
  ),
  AcceptedEvent: object(
    { at: happened, type: only("accepted", "The type of this entry.") },
    { description: "The message was accepted." },
  ),
  ScheduledEvent: object(
    {
      at: happened,
      type: only("scheduled", "The type of this entry."),
      send_at: time("When delivery begins."),
    },
    { description: "The message was scheduled, or its time was changed." },
    { by: { ...by, description: "Who has changed the time, as in a decision. Absent at acceptance." } },
  ),
  SuppressedEvent: object(
    {
      at: happened,
      type: only("suppressed", "The type of this entry."),
      cause: oneOf(
        Object.keys(SUPPRESSION_NAMES),
        "`refusals`: the address was rejected as unknown. `complaint`, `unsubscribed`: its owner wants no more messages. `manual`: it was added to the suppression list. `bounce`: it was added after a hard bounce at another service.",
      ),
      detail: text("The cause in a sentence."),
      since: time("Since when the address is suppressed."),
      until: timeOrNull(
        "From this time on, delivery to the address is attempted again. Null: until it is allowed again.",
      ),
      refusals: arrayOf(
        object({ at: happened, ...reply, ...host }),
        "The replies that rejected the address; empty unless they are the cause.",
      ),
    },
    {
      description:
        "The address is suppressed. Refusals suppress it if there were recently two at least 24 hours apart, or three with at least 8 hours between them (see SUPPRESS_AFTER).",
    },
  ),
  BouncedEvent: object(
    { at: happened, type: only("bounced", "The type of this entry."), ...bounce },
    { description: "The message came back after its handover." },
    { rule: text("The rule that decided on the category.") },
  ),
  ComplainedEvent: object(
    { at: happened, type: only("complained", "The type of this entry."), kind: complaintType },
    { description: "The recipient reported the message as spam." },
  ),
  UnverifiedComplaintEvent: object(
    { at: happened, type: only("complaint_unverified", "The type of this entry."), kind: complaintType },
    { description: "A complaint without proof that it is about this recipient. It changed nothing." },
  ),
  UnsubscribedEvent: object(
    { at: happened, type: only("unsubscribed", "The type of this entry.") },
    { description: "The recipient unsubscribed by the link of the message." },
  ),
  ConfirmedEvent: object(
    { at: happened, type: only("confirmed", "The type of this entry.") },
    { description: "A report of the recipient's server: the message was delivered." },
  ),
  DecisionEvent: object(
    {
      at: happened,
      type: oneOf(
        ["resolved", "cancelled", "discarded"],
        "`resolved`: the result was unknown, and a user or an operator marked it as delivered or not delivered. `cancelled`: a person ended the delivery. `discarded`: the stored message was damaged, and an operator ended it.",
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
      at: time("When the attempt ended."),
      type: oneOf(
        ATTEMPTS,
        "`retried`: a user or an operator sent it again. `recovered`: the result was unknown when the service started.",
      ),
      attempt: count("Counts the attempts of the recipient from 1."),
      reason: refOrNull("Reason", "Why it ended so; null where it succeeded."),
      category: refOrNull("Category", "The category; null where the attempt succeeded."),
      detail: textOrNull("Reason and category in sentences."),
      tries: arrayOf(
        ref("Try"),
        "Each server and address that was tried; the last is decisive, and the only one where `events_omitted` is set and the list is large.",
      ),
      next_attempt_at: timeOrNull("When the next attempt follows; null where none does."),
    },
    {},
    {
      by: {
        ...by,
        description: "Who sent it again. Absent from other events, and from those of earlier versions.",
      },
    },
  ),
  Try: object(
    {
      ...host,
      tls: {
        anyOf: [
          object({
            protocol: text("The version, such as `TLSv1.3`."),
            cipher: text("The cipher suite."),
            verified: flag("Whether the certificate was verified."),
          }),
          { type: "null" },
        ],
        description: "The TLS of the connection; null without TLS.",
      },
      stage: oneOf(
        STAGES,
        "The last stage reached; `dns` for everything before a connection, including faults of the service.",
      ),
      reply: { anyOf: [object(reply), { type: "null" }], description: "The last reply; null without one." },
      error: textOrNull("The error where there was no reply."),
      note: textOrNull("What else is known of this try, in a sentence."),
      policy: textOrNull("The policy that decided on TLS."),
    },
    {},
    { source },
  ),
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
    created_at: time("When it was accepted."),
    from: text("The sender's address."),
    to: text("The first recipient."),
    subject: text("The subject as sent; a long one is shortened."),
    message_id: messageId,
    tags,
    test: flag(testDescription),
    recipients: count("Number of recipients."),
    results: object(
      Object.fromEntries(RESULTS.map((result) => [result, count(`Number of recipients that are \`${result}\`.`)])),
      { description: "Number of recipients with each result." },
    ),
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
      at: happened,
      sequence: countOrNull("Counts the events of the message from 1, without a gap; null for an event of a domain."),
      message_id: textOrNull("The `id` of the message; null for an event of a domain."),
      domain: text("The domain: the sender's, or the one that the event is about."),
      recipient: refOrNull("EventRecipient", "As of the event; null for `message.accepted` and an event of a domain."),
      tags,
      metadata,
      test: flag("Whether the message was sent with a test key, or the event is a test of a webhook endpoint."),
    },
    {},
    {
      bounce: ref("Bounce", "Only of `recipient.bounced`."),
      complaint: ref("Complaint", "Only of `recipient.complained`."),
    },
  ),
  EventRecipient: object({
    email: text("As it was written in the request."),
    result: oneOf(RESULTS, results),
    reason: refOrNull("Reason", "Why, as a short code; null when delivered and before the first attempt."),
    category: refOrNull("Category", "The category; null when delivered and before the first attempt."),
    attempts: count("Attempts so far."),
    smtp: refOrNull("SmtpReply", "The decisive reply; null before there is one."),
    receiver: textOrNull(
      "Who gave the reply: the name of a known receiver, such as `gmail`, or the organisational domain of its server.",
    ),
  }),
  Webhook: object(
    {
      type: oneOf(EVENT_TYPES, "As in `data`."),
      timestamp: time("When the event occurred, as `at` in `data`."),
      data: ref("Event", "The event."),
    },
    { description: "The body of a webhook request." },
  ),
  Health: object({ status: only("ok", "The process is running.") }),
  Readiness: object({
    status: oneOf(["ready", "not_ready"], "`ready`: the service accepts and delivers."),
    reasons: arrayOf({ type: "string" }, "Why it is not ready, in sentences; empty when it is."),
  }),
};
