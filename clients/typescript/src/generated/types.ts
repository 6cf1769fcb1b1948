// Generated from the OpenAPI document by `npm run clients`. Do not edit.

/** At least one of `html` and `text` is required. Null in an optional field means that the field is absent. */
export type SendRequest = SendHtmlRequest | SendTextRequest;

export type SendHtmlRequest = {
  /** The sender: `a@b` or `Name <a@b>`. */
  from: string;
  /** The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once. */
  to: string | Array<string>;
  /** Recipients of a copy, shown in the message. */
  cc?: string | Array<string> | null | undefined;
  /** Recipients of a copy, not shown in the message. */
  bcc?: string | Array<string> | null | undefined;
  /** The addresses that replies go to. */
  reply_to?: string | Array<string> | null | undefined;
  /** One line of text. */
  subject: string;
  /** The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request. */
  html: string;
  /** The plain text body. MESSAGE_BYTES_MAX limits the whole request. */
  text?: string | null | undefined;
  /** Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected. */
  headers?: { [name: string]: string | null } | null | undefined;
  /** Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX. */
  attachments?: Array<{
    /** The name that the recipient sees, in UTF-8. */
    filename: string;
    /** The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request. */
    content: string;
    /** For example `application/pdf`. Defaults to the type of the file name's extension. */
    content_type?: string | null | undefined;
    /** Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`. */
    content_id?: string | null | undefined;
  }> | null | undefined;
  /** Labels to find the message by. They are not part of the message. */
  tags?: Array<string> | null | undefined;
  /** Your strings, returned by the lookup. They are not part of the message. */
  metadata?: { [name: string]: string | null } | null | undefined;
  /** Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit. */
  expires_in?: number | string | null | undefined;
  /** When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`. */
  send_at?: string | null | undefined;
  /** If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient. */
  unsubscribe?: boolean | null | undefined;
  /** If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient. */
  status_page?: boolean | null | undefined;
};

export type SendTextRequest = {
  /** The sender: `a@b` or `Name <a@b>`. */
  from: string;
  /** The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once. */
  to: string | Array<string>;
  /** Recipients of a copy, shown in the message. */
  cc?: string | Array<string> | null | undefined;
  /** Recipients of a copy, not shown in the message. */
  bcc?: string | Array<string> | null | undefined;
  /** The addresses that replies go to. */
  reply_to?: string | Array<string> | null | undefined;
  /** One line of text. */
  subject: string;
  /** The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request. */
  html?: string | null | undefined;
  /** The plain text body. MESSAGE_BYTES_MAX limits the whole request. */
  text: string;
  /** Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected. */
  headers?: { [name: string]: string | null } | null | undefined;
  /** Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX. */
  attachments?: Array<{
    /** The name that the recipient sees, in UTF-8. */
    filename: string;
    /** The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request. */
    content: string;
    /** For example `application/pdf`. Defaults to the type of the file name's extension. */
    content_type?: string | null | undefined;
    /** Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`. */
    content_id?: string | null | undefined;
  }> | null | undefined;
  /** Labels to find the message by. They are not part of the message. */
  tags?: Array<string> | null | undefined;
  /** Your strings, returned by the lookup. They are not part of the message. */
  metadata?: { [name: string]: string | null } | null | undefined;
  /** Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit. */
  expires_in?: number | string | null | undefined;
  /** When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`. */
  send_at?: string | null | undefined;
  /** If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient. */
  unsubscribe?: boolean | null | undefined;
  /** If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient. */
  status_page?: boolean | null | undefined;
};

export type BatchRequest = {
  /** Each message is accepted or rejected separately. */
  messages: Array<BatchHtmlMessage | BatchTextMessage>;
};

export type BatchHtmlMessage = {
  /** The sender: `a@b` or `Name <a@b>`. */
  from: string;
  /** The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once. */
  to: string | Array<string>;
  /** Recipients of a copy, shown in the message. */
  cc?: string | Array<string> | null | undefined;
  /** Recipients of a copy, not shown in the message. */
  bcc?: string | Array<string> | null | undefined;
  /** The addresses that replies go to. */
  reply_to?: string | Array<string> | null | undefined;
  /** One line of text. */
  subject: string;
  /** The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request. */
  html: string;
  /** The plain text body. MESSAGE_BYTES_MAX limits the whole request. */
  text?: string | null | undefined;
  /** Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected. */
  headers?: { [name: string]: string | null } | null | undefined;
  /** Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX. */
  attachments?: Array<{
    /** The name that the recipient sees, in UTF-8. */
    filename: string;
    /** The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request. */
    content: string;
    /** For example `application/pdf`. Defaults to the type of the file name's extension. */
    content_type?: string | null | undefined;
    /** Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`. */
    content_id?: string | null | undefined;
  }> | null | undefined;
  /** Labels to find the message by. They are not part of the message. */
  tags?: Array<string> | null | undefined;
  /** Your strings, returned by the lookup. They are not part of the message. */
  metadata?: { [name: string]: string | null } | null | undefined;
  /** Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit. */
  expires_in?: number | string | null | undefined;
  /** When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`. */
  send_at?: string | null | undefined;
  /** If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient. */
  unsubscribe?: boolean | null | undefined;
  /** If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient. */
  status_page?: boolean | null | undefined;
  /** Like the header field Idempotency-Key of a send, but for this message only. */
  idempotency_key?: string | null | undefined;
};

export type BatchTextMessage = {
  /** The sender: `a@b` or `Name <a@b>`. */
  from: string;
  /** The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once. */
  to: string | Array<string>;
  /** Recipients of a copy, shown in the message. */
  cc?: string | Array<string> | null | undefined;
  /** Recipients of a copy, not shown in the message. */
  bcc?: string | Array<string> | null | undefined;
  /** The addresses that replies go to. */
  reply_to?: string | Array<string> | null | undefined;
  /** One line of text. */
  subject: string;
  /** The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request. */
  html?: string | null | undefined;
  /** The plain text body. MESSAGE_BYTES_MAX limits the whole request. */
  text: string;
  /** Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected. */
  headers?: { [name: string]: string | null } | null | undefined;
  /** Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX. */
  attachments?: Array<{
    /** The name that the recipient sees, in UTF-8. */
    filename: string;
    /** The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request. */
    content: string;
    /** For example `application/pdf`. Defaults to the type of the file name's extension. */
    content_type?: string | null | undefined;
    /** Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`. */
    content_id?: string | null | undefined;
  }> | null | undefined;
  /** Labels to find the message by. They are not part of the message. */
  tags?: Array<string> | null | undefined;
  /** Your strings, returned by the lookup. They are not part of the message. */
  metadata?: { [name: string]: string | null } | null | undefined;
  /** Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit. */
  expires_in?: number | string | null | undefined;
  /** When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`. */
  send_at?: string | null | undefined;
  /** If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient. */
  unsubscribe?: boolean | null | undefined;
  /** If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient. */
  status_page?: boolean | null | undefined;
  /** Like the header field Idempotency-Key of a send, but for this message only. */
  idempotency_key?: string | null | undefined;
};

export type MessageChange = {
  /** When delivery begins (RFC 3339), at most 30 days ahead; now if it is in the past. */
  send_at: string;
};

export type Accepted = {
  /** Opaque. */
  id: string;
  /** The message is on disk. */
  state: "accepted";
  /** The address of the status page, for the recipient; absent unless `status_page` is true. */
  status_url?: string | undefined;
};

export type StatusLink = {
  /** The address of the status page, for the recipient. */
  status_url: string;
};

export type StatusPage = {
  /** The result of the recipient, as the lookup has it; `returned`: the message came back after its handover. */
  state: "pending" | "delivered" | "failed" | "unknown" | "returned";
  /** What happened and what to do, in the language of `lang` or `Accept-Language`. */
  detail: string;
  /** When the state last changed. */
  updated_at: string;
  /** The email address, masked. */
  recipient: string;
};

export type BatchResult = {
  /** One for each message, in the order of the request. */
  messages: Array<Accepted | NotAccepted>;
};

/** A message of a batch that is not accepted. */
export type NotAccepted = {
  /** Why the message is not accepted. */
  error: {
    /** The status that a send of this message would have. */
    status: number;
    /** As in a problem. A later version may add values. */
    code: "invalid_json" | "invalid_request" | "invalid_idempotency_key" | "too_many_recipients" | "invalid_api_key" | "permission_denied" | "domain_not_verified" | "sender_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "idempotency_key_reused" | "already_exists" | "limit_reached" | "account_deleted" | "not_possible" | "not_cancellable" | "not_scheduled" | "cursor_expired" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "expectation_failed" | "rate_limit_exceeded" | "quota_exceeded" | "headers_too_large" | "internal_error" | "engine_unavailable";
    /** What is wrong and what to do, for human readers. */
    detail: string;
    /** Every fault with its field. */
    errors?: Array<{
      /** The field or parameter at fault, such as `to[1]`. */
      field: string;
      /** What is wrong with it, in a sentence. */
      detail: string;
    }> | undefined;
    /** Seconds until a retry can succeed. */
    retry_after?: number | undefined;
  };
};

export type Message = {
  /** Opaque. */
  id: string;
  /** The message is on disk. */
  state: "accepted";
  /** When it was accepted. */
  created_at: string;
  /** When a recipient last changed. */
  updated_at: string;
  /** A recipient that is pending at this time fails with `expired`. */
  expires_at: string;
  /** The sender's address. */
  from: string;
  /** The subject as sent. */
  subject: string;
  /** The Message-ID header field. */
  message_id: string;
  /** The labels that the request has set; empty without any. */
  tags: Array<string>;
  /** The strings that the request has set; empty without any. */
  metadata: { [name: string]: string };
  /** In the order sent: to, cc, bcc. */
  recipients: Array<Recipient>;
  /** When delivery begins. Absent unless the message was scheduled. */
  send_at?: string | undefined;
  /** Whether it was sent with a test key: then nothing of it left this server. Absent otherwise. */
  test?: boolean | undefined;
};

export type Recipient = {
  /** As it was written in the request. */
  email: string;
  /** The field of the request that names the recipient. */
  field: "to" | "cc" | "bcc";
  /** `delivered`: the recipient's server took responsibility. `failed`: no further attempt follows. `pending`: one follows. `unknown`: the connection ended after the message was sent, before the reply. */
  result: "delivered" | "failed" | "pending" | "unknown";
  /** Why, as a short code; null when delivered and before the first attempt. */
  reason: Reason | null;
  /** The category; null when delivered, before the first attempt, and for results of versions without categories. */
  category: Category | null;
  /** The number of attempts so far. */
  attempts: number;
  /** Null where no further attempt follows, also while `pending` if none fits before `expires_at`, or while the message is in quarantine. */
  next_attempt_at: string | null;
  /** When the recipient last changed. */
  updated_at: string;
  /** The decisive reply; null before there is one. */
  smtp: SmtpReply | null;
  /** Who gave the reply: the name of a known receiver, such as `gmail`, or the organisational domain of its server. */
  receiver: string | null;
  /** Oldest first. */
  events: Array<AcceptedEvent | ScheduledEvent | SuppressedEvent | AttemptEvent | BouncedEvent | ComplainedEvent | UnverifiedComplaintEvent | UnsubscribedEvent | ConfirmedEvent | DecisionEvent>;
  /** Absent unless the message came back. `result` does not change. */
  bounce?: Bounce | undefined;
  /** Absent unless the recipient reported the message as spam. */
  complaint?: Complaint | undefined;
  /** Absent unless the recipient unsubscribed by the link of this message. */
  unsubscribed_at?: string | undefined;
  /** Number of older events left out because the events of the message are too large. */
  events_omitted?: number | undefined;
};

/** The recipient's server accepted the message, and it came back. */
export type Bounce = {
  /** When it happened. */
  at: string;
  /** RFC 3463; null without one. */
  status: string | null;
  /** The category. */
  category: Category;
  /** Whether sending again is useless. */
  permanent: boolean;
  /** The text of the server that returned the message. */
  diagnostic: string;
};

/** The recipient reported the message as spam. */
export type Complaint = {
  /** When it happened. */
  at: string;
  /** The type of the report (RFC 5965), such as `abuse`. */
  type: string;
};

/** Why a recipient has its result. A later version may add values. */
export type Reason = "recipient_refused" | "sender_refused" | "message_refused" | "domain_not_found" | "null_mx" | "mail_loop" | "message_too_large" | "needs_8bitmime" | "needs_smtputf8" | "expired" | "suppressed" | "cancelled" | "discarded" | "resolved" | "connection_lost_after_final_dot" | "no_reply_to_final_dot" | "garbled_reply_to_final_dot" | "restored_from_backup" | "interrupted_after_final_dot" | "temporarily_refused" | "host_refused" | "sending_address_blocked" | "sending_domain_refused" | "no_sending_address" | "held" | "warm_up" | "scheduled" | "connection_failed" | "connection_lost" | "timeout" | "protocol_error" | "refused_on_fallback" | "tls_required" | "tls_policy_failed" | "mta_sts_mx_mismatch" | "dns_trouble" | "no_mail_host" | "host_without_address" | "address_refused" | "too_many_recipients" | "interrupted_before_final_dot" | "internal_error";

/** The category of what stopped or delayed the message, by the enhanced code and text of the reply, or by the error where there was no reply. A later version may add values. */
export type Category = "bad_address" | "mailbox_full" | "mailbox_disabled" | "rate_limited" | "reputation" | "authentication" | "content" | "policy" | "too_large" | "greylisted" | "network" | "other";

/** The decisive reply. */
export type SmtpReply = {
  /** The SMTP reply code. */
  code: number;
  /** The enhanced status code (RFC 3463); null without one. */
  enhanced_code: string | null;
  /** The text of the reply; lines are joined by a line feed. */
  message: string;
  /** The name of the recipient's server. */
  mx: string;
  /** Its IP address; null if none was found. */
  ip: string | null;
  /** The TLS version. */
  tls: string | null;
  /** The sending address that the attempt left from; absent where the system chose it. */
  source?: string | undefined;
};

/** The message was accepted. */
export type AcceptedEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "accepted";
};

/** The message was scheduled, or its time was changed. */
export type ScheduledEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "scheduled";
  /** When delivery begins. */
  send_at: string;
  /** Who has changed the time, as in a decision. Absent at acceptance. */
  by?: string | undefined;
};

/** The address is suppressed. Refusals suppress it if there were recently two at least 24 hours apart, or three with at least 8 hours between them (see SUPPRESS_AFTER). */
export type SuppressedEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "suppressed";
  /** `refusals`: the address was rejected as unknown. `complaint`, `unsubscribed`: its owner wants no more messages. `manual`: it was added to the suppression list. `bounce`: it was added after a hard bounce at another service. */
  cause: "refusals" | "bounce" | "manual" | "complaint" | "unsubscribed";
  /** The cause in a sentence. */
  detail: string;
  /** Since when the address is suppressed. */
  since: string;
  /** From this time on, delivery to the address is attempted again. Null: until it is allowed again. */
  until: string | null;
  /** The replies that rejected the address; empty unless they are the cause. */
  refusals: Array<{
    /** When it happened. */
    at: string;
    /** The SMTP reply code. */
    code: number;
    /** The enhanced status code (RFC 3463); null without one. */
    enhanced_code: string | null;
    /** The text of the reply; lines are joined by a line feed. */
    message: string;
    /** The name of the recipient's server. */
    mx: string;
    /** Its IP address; null if none was found. */
    ip: string | null;
  }>;
};

/** The message came back after its handover. */
export type BouncedEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "bounced";
  /** RFC 3463; null without one. */
  status: string | null;
  /** The category. */
  category: Category;
  /** Whether sending again is useless. */
  permanent: boolean;
  /** The text of the server that returned the message. */
  diagnostic: string;
  /** The rule that decided on the category. */
  rule?: string | undefined;
};

/** The recipient reported the message as spam. */
export type ComplainedEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "complained";
  /** The type of the report (RFC 5965), such as `abuse`. */
  kind: string;
};

/** A complaint without proof that it is about this recipient. It changed nothing. */
export type UnverifiedComplaintEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "complaint_unverified";
  /** The type of the report (RFC 5965), such as `abuse`. */
  kind: string;
};

/** The recipient unsubscribed by the link of the message. */
export type UnsubscribedEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "unsubscribed";
};

/** A report of the recipient's server: the message was delivered. */
export type ConfirmedEvent = {
  /** When it happened. */
  at: string;
  /** The type of this entry. */
  type: "confirmed";
};

/** A person's decision about the recipient. */
export type DecisionEvent = {
  /** When it happened. */
  at: string;
  /** `resolved`: the result was unknown, and a user or an operator marked it as delivered or not delivered. `cancelled`: a person ended the delivery. `discarded`: the stored message was damaged, and an operator ended it. */
  type: "resolved" | "cancelled" | "discarded";
  /** `unknown`: cancelled after an attempt that may have delivered it. */
  result: "delivered" | "failed" | "unknown";
  /** The email address of the user who decided, `command line`, or an API key as `key NAME (ID)`. */
  by: string;
};

export type AttemptEvent = {
  /** When the attempt ended. */
  at: string;
  /** `retried`: a user or an operator sent it again. `recovered`: the result was unknown when the service started. */
  type: "delivered" | "failed" | "deferred" | "unknown" | "expired" | "recovered" | "retried";
  /** Counts the attempts of the recipient from 1. */
  attempt: number;
  /** Why it ended so; null where it succeeded. */
  reason: Reason | null;
  /** The category; null where the attempt succeeded. */
  category: Category | null;
  /** Reason and category in sentences. */
  detail: string | null;
  /** Each server and address that was tried; the last is decisive, and the only one where `events_omitted` is set and the list is large. */
  tries: Array<Try>;
  /** When the next attempt follows; null where none does. */
  next_attempt_at: string | null;
  /** Who sent it again. Absent from other events, and from those of earlier versions. */
  by?: string | undefined;
};

export type Try = {
  /** The name of the recipient's server. */
  mx: string;
  /** Its IP address; null if none was found. */
  ip: string | null;
  /** The TLS of the connection; null without TLS. */
  tls: {
    /** The version, such as `TLSv1.3`. */
    protocol: string;
    /** The cipher suite. */
    cipher: string;
    /** Whether the certificate was verified. */
    verified: boolean;
  } | null;
  /** The last stage reached; `dns` for everything before a connection, including faults of the service. */
  stage: "dns" | "connect" | "greeting" | "ehlo" | "starttls" | "mail" | "rcpt" | "data" | "content" | "final_dot";
  /** The last reply; null without one. */
  reply: {
    /** The SMTP reply code. */
    code: number;
    /** The enhanced status code (RFC 3463); null without one. */
    enhanced_code: string | null;
    /** The text of the reply; lines are joined by a line feed. */
    message: string;
  } | null;
  /** The error where there was no reply. */
  error: string | null;
  /** What else is known of this try, in a sentence. */
  note: string | null;
  /** The policy that decided on TLS. */
  policy: string | null;
  /** The sending address that the attempt left from; absent where the system chose it. */
  source?: string | undefined;
};

export type MessageList = {
  /** Newest first. A page may have fewer than `limit`, even none, although more follow. */
  messages: Array<MessageSummary>;
  /** For the next page; null at the end. */
  next_cursor: string | null;
};

export type MessageSummary = {
  /** Opaque. */
  id: string;
  /** The message is on disk. */
  state: "accepted";
  /** When it was accepted. */
  created_at: string;
  /** The sender's address. */
  from: string;
  /** The first recipient. */
  to: string;
  /** The subject as sent; a long one is shortened. */
  subject: string;
  /** The Message-ID header field. */
  message_id: string;
  /** The labels that the request has set; empty without any. */
  tags: Array<string>;
  /** Whether it was sent with a test key: then nothing of it left this server. */
  test: boolean;
  /** Number of recipients. */
  recipients: number;
  /** Number of recipients with each result. */
  results: {
    /** Number of recipients that are `delivered`. */
    delivered: number;
    /** Number of recipients that are `failed`. */
    failed: number;
    /** Number of recipients that are `pending`. */
    pending: number;
    /** Number of recipients that are `unknown`. */
    unknown: number;
  };
  /** The categories of its recipients, each once, in alphabetical order. */
  categories: Array<Category>;
};

export type EventList = {
  /** Oldest first. A page may have fewer than `limit`, even none, although more follow. */
  events: Array<Event>;
  /** For the next request, as `after`; also where there are no events. */
  next: string;
};

export type Event = {
  /** Opaque. An event that is sent or read again has the same id. */
  id: string;
  /** A later version may add values. */
  type: "message.accepted" | "recipient.delivered" | "recipient.deferred" | "recipient.failed" | "recipient.unknown" | "recipient.suppressed" | "recipient.bounced" | "recipient.complained" | "recipient.unsubscribed" | "domain.verified" | "domain.failing" | "domain.lost";
  /** When it happened. */
  at: string;
  /** Counts the events of the message from 1, without a gap; null for an event of a domain. */
  sequence: number | null;
  /** The `id` of the message; null for an event of a domain. */
  message_id: string | null;
  /** The domain: the sender's, or the one that the event is about. */
  domain: string;
  /** As of the event; null for `message.accepted` and an event of a domain. */
  recipient: EventRecipient | null;
  /** The labels that the request has set; empty without any. */
  tags: Array<string>;
  /** The strings that the request has set; empty without any. */
  metadata: { [name: string]: string };
  /** Whether the message was sent with a test key, or the event is a test of a webhook endpoint. */
  test: boolean;
  /** Only of `recipient.bounced`. */
  bounce?: Bounce | undefined;
  /** Only of `recipient.complained`. */
  complaint?: Complaint | undefined;
};

export type EventRecipient = {
  /** As it was written in the request. */
  email: string;
  /** `delivered`: the recipient's server took responsibility. `failed`: no further attempt follows. `pending`: one follows. `unknown`: the connection ended after the message was sent, before the reply. */
  result: "delivered" | "failed" | "pending" | "unknown";
  /** Why, as a short code; null when delivered and before the first attempt. */
  reason: Reason | null;
  /** The category; null when delivered and before the first attempt. */
  category: Category | null;
  /** Attempts so far. */
  attempts: number;
  /** The decisive reply; null before there is one. */
  smtp: SmtpReply | null;
  /** Who gave the reply: the name of a known receiver, such as `gmail`, or the organisational domain of its server. */
  receiver: string | null;
};

/** The body of a webhook request. */
export type Webhook = {
  /** As in `data`. */
  type: "message.accepted" | "recipient.delivered" | "recipient.deferred" | "recipient.failed" | "recipient.unknown" | "recipient.suppressed" | "recipient.bounced" | "recipient.complained" | "recipient.unsubscribed" | "domain.verified" | "domain.failing" | "domain.lost";
  /** When the event occurred, as `at` in `data`. */
  timestamp: string;
  /** The event. */
  data: Event;
};

export type Health = {
  /** The process is running. */
  status: "ok";
};

export type Readiness = {
  /** `ready`: the service accepts and delivers. */
  status: "ready" | "not_ready";
  /** Why it is not ready, in sentences; empty when it is. */
  reasons: Array<string>;
};

export type DomainCheck = {
  /** The result of the last check. */
  state: "pending" | "verified" | "failed" | "temporary_failure";
  /** What was seen, and what to change if anything. */
  detail: string;
  /** The value to publish; of a verified check, the published one. */
  expected: string;
  /** The records found, as text. */
  found: Array<string>;
  /** What should be improved of a verified check. */
  warnings?: Array<string> | undefined;
  /** The name that has the records found, if it is not the record's. */
  found_at?: string | undefined;
  /** The name that `expected` belongs to, if it is not the record's. */
  expected_at?: string | undefined;
};

export type DnsRecord = {
  /** The check that looks for it. */
  check: string;
  /** The type of the record, such as `TXT`. */
  type: string;
  /** Its whole name. */
  name: string;
  /** Its value. */
  value: string;
};

export type ManagedDomainEntry = {
  /** In A-labels. */
  domain: string;
  /** Whether it may send. */
  verified: boolean;
  /** When the domain was added. */
  created_at: string;
  /** When its records are checked next. */
  next_check_at: string;
  /** The state of each check. */
  checks: {
    /** The result of the last check. */
    ownership: "pending" | "verified" | "failed" | "temporary_failure";
    /** The result of the last check. */
    mx: "pending" | "verified" | "failed" | "temporary_failure";
    /** The result of the last check. */
    spf: "pending" | "verified" | "failed" | "temporary_failure";
    /** The result of the last check. */
    dkim: "pending" | "verified" | "failed" | "temporary_failure";
    /** The result of the last check. */
    dmarc: "pending" | "verified" | "failed" | "temporary_failure";
  };
  /** The return path; null if it is off. */
  return_path: {
    /** Whether it is the envelope sender of messages. */
    active: boolean;
    /** The state of each check. */
    checks: {
      /** The result of the last check. */
      return_path_mx: "pending" | "verified" | "failed" | "temporary_failure";
      /** The result of the last check. */
      return_path_spf: "pending" | "verified" | "failed" | "temporary_failure";
    };
  } | null;
};

export type ManagedDomain = {
  /** In A-labels. */
  domain: string;
  /** Whether it may send. */
  verified: boolean;
  /** When the domain was added. */
  created_at: string;
  /** When its records are checked next. */
  next_check_at: string;
  /** The last result of each check. */
  checks: {
    /** A check. */
    ownership: DomainCheck;
    /** A check. */
    mx: DomainCheck;
    /** A check. */
    spf: DomainCheck;
    /** A check. */
    dkim: DomainCheck;
    /** A check. */
    dmarc: DomainCheck;
  };
  /** The return path; null if it is off. */
  return_path: {
    /** Whether it is the envelope sender of messages. */
    active: boolean;
    /** The last result of each check. */
    checks: {
      /** A check. */
      return_path_mx: DomainCheck;
      /** A check. */
      return_path_spf: DomainCheck;
    };
  } | null;
  /** The records to publish. */
  records: Array<DnsRecord>;
  /** The record of a new DKIM key that waits for it; null without one. */
  new_dkim_record: DnsRecord | null;
};

export type ManagedDomainList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<ManagedDomainEntry>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type ManagedReturnPath = {
  /** In A-labels. */
  domain: string;
  /** Whether it is on. */
  enabled: boolean;
  /** The records to publish; empty if it is off. */
  records: Array<DnsRecord>;
  /** What keeps bounces from coming back. */
  warnings: Array<string>;
};

export type CheckChange = {
  /** The check. */
  check: string;
  /** The result of the last check. */
  state: "pending" | "verified" | "failed" | "temporary_failure";
  /** What was seen. */
  detail: string;
  /** When it changed. */
  at: string;
};

export type ManagedCheckChangeList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<CheckChange>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

/** What receivers and senders report about the domain. */
export type DomainReports = {
  /** In A-labels. */
  domain: string;
  /** The answer to whether the DMARC policy can be stricter, by four weeks of reports; null without reports. */
  dmarc: {
    /** Whether the domain can publish the next stricter DMARC policy: `yes`; `check_sources` if none of the failing sources is yours; not yet: `own_failures`, `few_reports`; it has the strictest: `strictest`; the present policy is not known: `no_record`. */
    answer: "yes" | "check_sources" | "own_failures" | "few_reports" | "strictest" | "no_record";
    /** The answer with its reason. */
    detail: string;
    /** The present policy: `none`, `quarantine` or `reject`; null if it is not known. */
    policy: string | null;
    /** The next stricter policy; null without one. */
    next_policy: string | null;
    /** The Monday of the week in UTC, such as `2026-03-02`. */
    since: string;
    /** Messages that receivers report since then. */
    messages: number;
    /** Those of them that failed DMARC. */
    failed: number;
    /** The addresses that sent them; those that fail most first, at most 50. */
    sources: Array<{
      /** The address that sent them. */
      ip: string;
      /** Whether they are this service's: `address` if it sends from the address, `signature` if they have a DKIM signature of the domain. */
      ours: "address" | "signature" | "no";
      /** Messages. */
      messages: number;
      /** Those that failed DMARC. */
      failed: number;
      /** Those with an aligned DKIM signature. */
      dkim_passed: number;
      /** Those with an aligned SPF result. */
      spf_passed: number;
      /** The Monday of the week in UTC, such as `2026-03-02`. */
      last_seen: string;
    }>;
  } | null;
  /** The Monday of the week in UTC, such as `2026-03-02`. */
  week: string;
  /** What each receiver reports about messages from the domain. */
  receivers: Array<{
    /** Who reports it. */
    org: string;
    /** Reports. */
    reports: number;
    /** Messages. */
    messages: number;
    /** Messages that failed DMARC. */
    failed: number;
    /** Those of them that this service sent. */
    failed_ours: number;
  }>;
  /** The addresses that sent messages from the domain, as receivers report them. */
  sources: Array<{
    /** Who reports it. */
    org: string;
    /** The address that sent them. */
    ip: string;
    /** Whether they are this service's: `address` if it sends from the address, `signature` if they have a DKIM signature of the domain. */
    ours: "address" | "signature" | "no";
    /** Messages. */
    messages: number;
    /** Those that failed DMARC. */
    failed: number;
    /** Those that were put into spam. */
    quarantined: number;
    /** Those that were rejected. */
    rejected: number;
    /** Those with an aligned DKIM signature. */
    dkim_passed: number;
    /** Those with an aligned SPF result. */
    spf_passed: number;
    /** The domain of From; null if there were several. */
    header_from: string | null;
  }>;
  /** What each sender reports about TLS to the domain. */
  tls_senders: Array<{
    /** Who reports it. */
    org: string;
    /** Reports. */
    reports: number;
    /** Sessions with TLS. */
    succeeded: number;
    /** Sessions that failed. */
    failed: number;
  }>;
  /** Sessions that failed. */
  tls_failures: Array<{
    /** Who reports it. */
    org: string;
    /** The policy, such as `sts`. */
    policy_type: string;
    /** The cause (RFC 8460). */
    result_type: string;
    /** The host; null if it is not named. */
    mx: string | null;
    /** Failed sessions. */
    sessions: number;
  }>;
  /** The weeks with reports, the newest first. */
  weeks: Array<{
    /** The Monday of the week in UTC, such as `2026-03-02`. */
    week: string;
    /** Messages. */
    dmarc: {
      /** Reports. */
      reports: number;
      /** Messages. */
      messages: number;
      /** Messages that failed DMARC. */
      failed: number;
      /** Those of them that this service sent. */
      failed_ours: number;
    };
    /** Sessions. */
    tls: {
      /** Reports. */
      reports: number;
      /** Sessions with TLS. */
      succeeded: number;
      /** Sessions that failed. */
      failed: number;
    };
  }>;
  /** Reports that were not stored. */
  not_stored: {
    /** Reports of the last 35 days that were not stored. */
    total: number;
    /** How many by each reason. */
    reasons: { [name: string]: number };
    /** The newest of them. */
    newest: Array<{
      /** When it arrived. */
      at: string;
      /** Why it was not stored. */
      reason: string;
      /** The envelope sender; empty for the null sender. */
      sender: string;
      /** The address of the client. */
      ip: string;
    }>;
  };
};

export type ManagedKey = {
  /** Opaque. */
  id: string;
  /** The app that uses it. */
  name: string;
  /** Whether nothing that it sends leaves this server. */
  test: boolean;
  /** Whether requests with it are accepted. */
  state: "active" | "expired" | "revoked";
  /** What it may do. */
  permissions: Array<"send" | "read" | "manage" | "operate">;
  /** The domains that it is restricted to; null for all. */
  domains: Array<string> | null;
  /** The networks that it may be used from; null for any. */
  networks: Array<string> | null;
  /** When it stops being active; null for never. */
  expires_at: string | null;
  /** Its last four characters. */
  last_four: string;
  /** When it was created. */
  created_at: string;
  /** When it was last used; null for never. */
  last_used_at: string | null;
  /** When it was revoked; null if it was not. */
  revoked_at: string | null;
  /** Since when its mail is held; null if it is not. */
  held_since: string | null;
  /** Why its mail is held. */
  held_because: string | null;
  /** When it is held. */
  fuse: {
    /** Recipients in ten minutes above which it is held; null if what it normally sends decides. */
    limit: number | null;
    /** Whether it is never held. */
    off: boolean;
  };
};

export type CreatedKey = {
  /** Opaque. */
  id: string;
  /** The app that uses it. */
  name: string;
  /** Whether nothing that it sends leaves this server. */
  test: boolean;
  /** Whether requests with it are accepted. */
  state: "active" | "expired" | "revoked";
  /** What it may do. */
  permissions: Array<"send" | "read" | "manage" | "operate">;
  /** The domains that it is restricted to; null for all. */
  domains: Array<string> | null;
  /** The networks that it may be used from; null for any. */
  networks: Array<string> | null;
  /** When it stops being active; null for never. */
  expires_at: string | null;
  /** Its last four characters. */
  last_four: string;
  /** When it was created. */
  created_at: string;
  /** When it was last used; null for never. */
  last_used_at: string | null;
  /** When it was revoked; null if it was not. */
  revoked_at: string | null;
  /** Since when its mail is held; null if it is not. */
  held_since: string | null;
  /** Why its mail is held. */
  held_because: string | null;
  /** When it is held. */
  fuse: {
    /** Recipients in ten minutes above which it is held; null if what it normally sends decides. */
    limit: number | null;
    /** Whether it is never held. */
    off: boolean;
  };
  /** The key. It is shown only this once. */
  key: string;
};

export type ManagedKeyList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<ManagedKey>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type ActedKey = {
  /** The API key. */
  id: string;
  /** Number of recipients that waited. */
  recipients: number;
};

export type ManagedWebhook = {
  /** Opaque. */
  id: string;
  /** Where events are posted. */
  url: string;
  /** The types of events; null for all. */
  events: Array<string> | null;
  /** Ids of API keys; null for all. */
  keys: Array<string> | null;
  /** The account's domains; null for all. */
  domains: Array<string> | null;
  /** When it was created. */
  created_at: string;
  /** Whether events are posted to it. */
  state: "active" | "failing" | "paused" | "disabled";
  /** When it was paused; null if it is not. */
  paused_at: string | null;
  /** When it was disabled; null if it is not. */
  disabled_at: string | null;
  /** `gone`: it responded 410. `failing`: for days. */
  disabled_reason: "gone" | "failing" | null;
  /** The first failure since the last success; null without one. */
  failing_since: string | null;
  /** The newest failure since the last success. */
  last_failure: {
    /** When it failed. */
    at: string;
    /** The status of the response; null without one. */
    status: number | null;
    /** Why there was none. */
    error: string | null;
  } | null;
  /** What is still to be posted. */
  waiting: {
    /** Number of messages whose events wait for another attempt. */
    retries: number;
    /** Number of new events. */
    events: number;
  };
};

export type CreatedWebhook = {
  /** Opaque. */
  id: string;
  /** Where events are posted. */
  url: string;
  /** The types of events; null for all. */
  events: Array<string> | null;
  /** Ids of API keys; null for all. */
  keys: Array<string> | null;
  /** The account's domains; null for all. */
  domains: Array<string> | null;
  /** When it was created. */
  created_at: string;
  /** Whether events are posted to it. */
  state: "active" | "failing" | "paused" | "disabled";
  /** When it was paused; null if it is not. */
  paused_at: string | null;
  /** When it was disabled; null if it is not. */
  disabled_at: string | null;
  /** `gone`: it responded 410. `failing`: for days. */
  disabled_reason: "gone" | "failing" | null;
  /** The first failure since the last success; null without one. */
  failing_since: string | null;
  /** The newest failure since the last success. */
  last_failure: {
    /** When it failed. */
    at: string;
    /** The status of the response; null without one. */
    status: number | null;
    /** Why there was none. */
    error: string | null;
  } | null;
  /** What is still to be posted. */
  waiting: {
    /** Number of messages whose events wait for another attempt. */
    retries: number;
    /** Number of new events. */
    events: number;
  };
  /** The secret. It is shown only this once. */
  secret: string;
};

export type ManagedWebhookList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<ManagedWebhook>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type WebhookTest = {
  /** The status of the response; null without one. */
  status: number | null;
  /** How long it took. */
  duration_ms: number;
  /** Why there was no response. */
  error: string | null;
  /** The beginning of the response's body. */
  response: string;
};

export type WebhookReplay = {
  /** The webhook endpoint. */
  id: string;
  /** From when on events are posted again. */
  since: string;
};

export type WebhookEventReplay = {
  /** The webhook endpoint. */
  id: string;
  /** The event. */
  event_number: number;
};

export type WebhookDelivery = {
  /** Counts the attempts of the endpoint. */
  number: number;
  /** Names the event for `replay`. */
  event_number: number;
  /** The id of the event. */
  event_id: string;
  /** The type of the event. */
  type: "message.accepted" | "recipient.delivered" | "recipient.deferred" | "recipient.failed" | "recipient.unknown" | "recipient.suppressed" | "recipient.bounced" | "recipient.complained" | "recipient.unsubscribed" | "domain.verified" | "domain.failing" | "domain.lost";
  /** The `id` of the message; null for an event of a domain. */
  message_id: string | null;
  /** When it was posted. */
  at: string;
  /** How long it took. */
  duration_ms: number;
  /** Counts the attempts at this event from 1. */
  attempt: number;
  /** What became of it. */
  result: "sent" | "deferred" | "given_up";
  /** The status of the response; null without one. */
  status: number | null;
  /** Why there was no response. */
  error: string | null;
  /** The beginning of the response's body. */
  response: string;
  /** When the next attempt follows; null where none does. */
  next_attempt_at: string | null;
};

export type WebhookDeliveryList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<WebhookDelivery>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type Suppression = {
  /** The address. */
  email: string;
  /** Why messages to it are not attempted. */
  cause: "refusals" | "bounce" | "manual" | "unsubscribed" | "complaint";
  /** Since when it is suppressed. */
  since: string;
  /** When the suppression ends; null: when it is removed. */
  until: string | null;
  /** The replies that rejected it, if they are the cause. */
  refusals: Array<{ [name: string]: unknown }>;
};

export type SuppressionList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<Suppression>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type AddedSuppressions = {
  /** Number of addresses that are suppressed now and were not. */
  added: number;
  /** Number of addresses whose cause or end has changed. */
  changed: number;
  /** Number of addresses that were suppressed so already. */
  already: number;
  /** Number of texts that are no address. */
  invalid: number;
  /** The first invalid ones. */
  faults: Array<{
    /** The position in the request from 0, or the line of a file from 1. */
    at: number;
    /** The text. */
    email: string;
    /** What is wrong with it. */
    detail: string;
  }>;
};

export type ImportedSuppressions = {
  /** Number of addresses that are suppressed now and were not. */
  added: number;
  /** Number of addresses whose cause or end has changed. */
  changed: number;
  /** Number of addresses that were suppressed so already. */
  already: number;
  /** Number of texts that are no address. */
  invalid: number;
  /** The first invalid ones. */
  faults: Array<{
    /** The position in the request from 0, or the line of a file from 1. */
    at: number;
    /** The text. */
    email: string;
    /** What is wrong with it. */
    detail: string;
  }>;
  /** The format that was recognised; null where none was. */
  format: string | null;
  /** Why the file was not read to its end; null if it was. */
  stopped: string | null;
};

export type AuditEntry = {
  /** Opaque. */
  id: string;
  /** When. */
  at: string;
  /** Who: a user, an API key, the command line or a visitor. */
  actor: {
    /** Its kind. */
    type: string;
    /** Its id. */
    id: string | null;
    /** Its name. */
    name: string | null;
  };
  /** From where; null for the command line. */
  ip: string | null;
  /** What, such as `domain.added`. */
  action: string;
  /** To what. */
  target: {
    /** Its kind. */
    type: string;
    /** Its id. */
    id: string | null;
    /** Its name. */
    name: string | null;
  };
  /** In which account; null for the installation. */
  account: {
    /** The account. */
    id: string;
    /** Its name; null if it was removed. */
    name: string | null;
  } | null;
  /** The fields that changed, as they were. */
  before: { [name: string]: unknown } | null;
  /** The fields that changed, as they are now. */
  after: { [name: string]: unknown } | null;
};

export type AuditList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<AuditEntry>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type DiscardedMessage = {
  /** The message; null if its id cannot be read. */
  id: string | null;
  /** Number of recipients that failed by it. */
  failed: number;
};

export type ActionOnMessages = {
  /** What was asked for. */
  action: "cancel" | "retry" | "resolve";
  /** Number of recipients that the filter selects. */
  recipients: number;
  /** Number of their messages. */
  messages: number;
  /** Whether they were only counted. */
  dry_run: boolean;
  /** Number of recipients that were changed. */
  done: number;
  /** Number of recipients that could not be changed, or had changed meanwhile. */
  unchanged: number;
  /** Whether all were covered. If not, the same request covers the next ones. */
  complete: boolean;
};

export type Usage = {
  /** The account's name. */
  account: string;
  /** The quota of recipients. */
  quota: {
    /** Recipients of messages accepted in this UTC day. */
    recipients_today: number;
    /** The limit of a day; null without one. */
    daily: number | null;
    /** When the next UTC day begins. */
    resets_at: string;
  };
  /** What the account has of domains. */
  domains: {
    /** Number of domains. */
    count: number;
    /** Their limit. */
    max: number;
  };
  /** What the account has of active API keys. */
  keys: {
    /** Number of active API keys. */
    count: number;
    /** Their limit. */
    max: number;
  };
  /** What the account has of webhook endpoints. */
  webhooks: {
    /** Number of webhook endpoints. */
    count: number;
    /** Their limit. */
    max: number;
  };
  /** What the account has of users. */
  users: {
    /** Number of users. */
    count: number;
    /** Their limit. */
    max: number;
  };
};

export type Account = {
  /** Opaque. */
  id: string;
  /** Its name. */
  name: string;
  /** When it was created. */
  created_at: string;
  /** Recipients that it may address in a UTC day; 0 for no limit, null for QUOTA_DAILY. */
  quota_daily: number | null;
  /** The limit that holds; 0 for none. */
  effective_quota_daily: number;
  /** Whether its messages may have status pages. */
  status_pages: boolean;
  /** When it was deleted. */
  deleted_at?: string | undefined;
  /** Until when it can be restored. */
  restorable_until?: string | undefined;
};

export type DeletedAccount = {
  /** Opaque. */
  id: string;
  /** Its name. */
  name: string;
  /** When it was deleted. */
  deleted_at: string;
  /** Until when it can be restored. */
  restorable_until: string;
};

export type AccountList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<Account>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type User = {
  /** Opaque. */
  id: string;
  /** The email address. */
  email: string;
  /** The name of the account: the one that is asked for, else the user's own. */
  account: string;
  /** Whether the user operates the service. */
  operator: boolean;
  /** What the user may do in the account. */
  role: "owner" | "developer" | "viewer";
  /** Every account that the user belongs to, the user's own first. */
  memberships: Array<{
    /** The name of the account. */
    account: string;
    /** What the user may do in the account. */
    role: "owner" | "developer" | "viewer";
    /** Whether a group at the identity provider gives it. */
    by_group: boolean;
  }>;
  /** Whether the user signs in with a code too. */
  second_factor: boolean;
  /** When it was created. */
  created_at: string;
};

export type UserList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<User>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type Invitation = {
  /** Opaque. */
  id: string;
  /** The email address. */
  email: string;
  /** What the user may do in the account. */
  role: "owner" | "developer" | "viewer";
  /** Who invites. */
  invited_by: string;
  /** When it was made. */
  created_at: string;
  /** Until when its link is valid. */
  valid_until: string;
};

export type InvitationList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<Invitation>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type InvitedUser = {
  /** The email address. */
  email: string;
  /** What the user may do in the account. */
  role: "owner" | "developer" | "viewer";
  /** The name of the account. */
  account: string;
  /** The link of the invitation. It is shown only this once. */
  link: string;
  /** Until when the link is valid. */
  valid_until: string;
  /** The domain that the link was sent from; null if it was not sent. */
  sent_from: string | null;
};

export type Receiver = {
  /** Its name, or the organisational domain of its servers. */
  name: string;
  /** Its name for readers. */
  label: string;
  /** The domains of its servers. */
  mx: Array<string>;
  /** What delivery keeps to. */
  limits: {
    /** Connections at one time; null if its replies decide. */
    connections: number | null;
    /** Messages before a connection is ended; null for the default. */
    messages_per_connection: number | null;
    /** Messages in a minute; null without a limit. */
    messages_per_minute: number | null;
    /** The pause after a reply about the rate; null for that of its profile. */
    pause_seconds: number | null;
  };
  /** The limits that an operator has set. */
  overridden: Array<string>;
  /** Whether it accepts mail now. */
  state: "open" | "paused" | "closed" | "blocked";
  /** Since when it does not; null where it does. */
  since: string | null;
  /** The last reply. */
  reply: string | null;
  /** When the next attempt is made; null where it is open. */
  next_probe_at: string | null;
  /** Where to ask for the removal of a block. */
  delisting_url: string | null;
  /** Its state from each sending address. */
  addresses: Array<{
    /** The sending address; null if the system chooses it. */
    address: string | null;
    /** Whether it accepts mail now. */
    state: "open" | "paused" | "closed" | "blocked";
    /** Since when it does not; null where it does. */
    since: string | null;
    /** The last reply. */
    reply: string | null;
    /** When the next attempt is made; null where it is open. */
    next_probe_at: string | null;
    /** Where to ask for the removal of a block. */
    delisting_url: string | null;
  }>;
  /** Attempts in progress. */
  attempts: number;
  /** Open connections. */
  connections: number;
  /** What the last preflights have found. */
  preflight: Array<{ [name: string]: unknown }>;
  /** What was counted in the last 24 hours. */
  last_day: {
    /** Delivered recipients. */
    delivered: number;
    /** Deferred attempts. */
    deferred: number;
    /** Failed recipients. */
    failed: number;
    /** Recipients without a known result. */
    unknown: number;
  };
  /** Whether it takes mail only over TLS. */
  requires_tls: boolean;
  /** Its page for senders. */
  senders_url: string | null;
  /** What its profile comes from; null without one. */
  source: string | null;
};

export type ReceiverList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<Receiver>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type Queue = {
  /** Number of recipients that wait. */
  waiting: number;
  /** Number of recipients without a known result. */
  unknown: number;
  /** When the oldest that waits was accepted. */
  oldest_at: string | null;
  /** By recipient domain, at most 1,000. */
  destinations: Array<QueueDestination>;
  /** Whether delivery waits after a restore. */
  delivery_paused: boolean;
  /** Closed destinations for which nothing waits. */
  closed_without_mail: Array<{ [name: string]: unknown }>;
};

export type QueueDestination = {
  /** The recipient domain. */
  domain: string;
  /** Recipients that wait. */
  waiting: number;
  /** Recipients that are due and in no attempt. */
  due: number;
  /** Recipients that wait for a later attempt. */
  deferred: number;
  /** Recipients in an attempt. */
  in_flight: number;
  /** When the oldest was accepted. */
  oldest_at: string | null;
  /** When the next attempt is made. */
  next_attempt_at: string | null;
  /** Delivered in the last minute; null while no node reports. */
  delivered_last_minute: number | null;
  /** The connections to its mail servers; null while nothing is known. */
  mail_servers: { [name: string]: unknown } | null;
  /** Why it waits. */
  wait: {
    /** Why it waits, for programs. */
    type: string;
    /** Why it waits. */
    text: string;
  };
  /** The reason of the last attempt. */
  reason: string | null;
  /** The category. */
  category: "bad_address" | "mailbox_full" | "mailbox_disabled" | "rate_limited" | "reputation" | "authentication" | "content" | "policy" | "too_large" | "greylisted" | "network" | "other" | null;
  /** The last reply. */
  smtp: { [name: string]: unknown } | null;
  /** When an operator paused it; null if none has. */
  paused_at: string | null;
};

export type PausedDestination = {
  /** The recipient domain. */
  domain: string;
  /** Whether it is paused. */
  paused: boolean;
};

export type RetriedDestination = {
  /** The recipient domain. */
  domain: string;
  /** Recipients that are due now and were not. */
  recipients: number;
  /** What keeps the next attempt from being made at once. */
  hold: "paused" | "closed" | null;
};

export type SendingAddressEntry = {
  /** The IP address as receivers see it. */
  address: string;
  /** The name for EHLO. */
  name: string;
  /** The local address that connections leave from; null if it is the address itself. */
  bind: string | null;
  /** Its pool. */
  pool: string;
  /** Whether it is being warmed up. */
  warm_up: boolean;
  /** The live nodes that have it; null where the spool belongs to one service. */
  nodes: Array<string> | null;
  /** `absent`: no running host has it. */
  state: "active" | "paused" | "absent";
};

export type SendingAddressList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<SendingAddressEntry>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type SendingAddress = {
  /** The IP address as receivers see it. */
  address: string;
  /** The name for EHLO. */
  name: string;
  /** The local address that connections leave from; null if it is the address itself. */
  bind: string | null;
  /** Its pool. */
  pool: string;
  /** Whether it is being warmed up. */
  warm_up: boolean;
  /** The live nodes that have it; null where the spool belongs to one service. */
  nodes: Array<string> | null;
  /** `absent`: no running host has it. */
  state: "active" | "paused" | "absent";
  /** Messages of each day at one receiver; null if it is not being warmed up. */
  schedule: Array<number> | null;
  /** How far it is warmed up, where something was sent from it. */
  receivers: Array<{
    /** The receiver. */
    receiver: string;
    /** The day of the schedule, from 1 on; null after its end. */
    day: number | null;
    /** Messages of that day; null without a limit. */
    limit: number | null;
    /** Messages of today that are sent or are about to be. */
    sent_today: number;
    /** Messages that it accepted today. */
    accepted_today: number;
    /** Whether it rejected the address today. */
    blocked_today: boolean;
  }>;
};

export type SendingPool = {
  /** Its name. */
  name: string;
  /** Its addresses. */
  addresses: Array<string>;
  /** Names of accounts whose mail leaves from them. */
  accounts: Array<string>;
  /** Sender domains whose mail leaves from them. */
  domains: Array<string>;
  /** Tags of messages that leave from them. */
  tags: Array<{
    /** The name of the account. */
    account: string;
    /** The tag. */
    tag: string;
  }>;
};

export type SendingPoolList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<SendingPool>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type Node = {
  /** Its name. */
  name: string;
  /** The version that it runs. */
  version: string;
  /** Where its HTTP listener is reached. */
  address: string;
  /** What it does. */
  state: "live" | "draining" | "drained" | "expired";
  /** When it started. */
  started_at: string;
  /** Its last heartbeat. */
  heartbeat_at: string;
  /** Whether an operator has drained it. */
  draining: boolean;
  /** Recipients that it leases. */
  leases: number;
  /** Recipients that it delivered in the last minute. */
  delivered_last_minute: number;
  /** The addresses that it sends from. */
  sending_ips: Array<string>;
};

export type NodeList = {
  /** The page. It may have fewer than `limit`. */
  data: Array<Node>;
  /** For the next page, as `after`; null at the end. */
  next: string | null;
};

export type DrainedNode = {
  /** As asked for. */
  name: string;
  /** The nodes that drain. */
  draining: Array<string>;
};

export type ResumedNode = {
  /** As asked for. */
  name: string;
  /** The nodes that claim again. */
  resumed: Array<string>;
};

export type Finding = {
  /** What was checked. */
  check: string;
  /** `problem` stops delivery, `warning` hurts it. */
  state: "ok" | "warning" | "problem" | "unclear";
  /** What was found, and how to fix it. */
  detail: string;
};

export type Findings = {
  /** When; null if the examination has failed. */
  examined_at: string | null;
  /** One for each check. */
  data: Array<Finding>;
  /** Always null. */
  next: string | null;
};

export type Preflight = {
  /** By sending address. */
  addresses: Array<{
    /** The sending address; null if none was found. */
    address: string | null;
    /** Whether sessions left from it. */
    bound: boolean;
    /** The name of its PTR record. */
    ptr: string | null;
    /** What was found. */
    ptr_detail: string;
    /** Whether port 25 is open. */
    port_25: string | boolean | null;
    /** What blocklists say. */
    blocklists: Array<{ [name: string]: unknown }>;
    /** What each receiver said. */
    receivers: Array<{
      /** The receiver. */
      name: string;
      /** What it would do. */
      verdict: "accepted" | "refused" | "deferred" | "unreachable" | "not_tried";
      /** How far the session went. */
      step: string | null;
      /** The last reply. */
      reply: string | null;
      /** What to do. */
      advice: string | null;
      /** Where to ask. */
      url: string | null;
      /** Of a result of an earlier run: when. */
      at?: string | undefined;
    }>;
  }>;
  /** In a sentence. */
  summary: string;
  /** What a preflight cannot tell. */
  limits: string;
};

/** RFC 9457 problem details. */
export type Problem = {
  /** The address of the entry of `code` in the errors page of this service: what it means and what to do. */
  type: string;
  /** The reason phrase of the status. */
  title: string;
  /** The status of the response. */
  status: number;
  /** What is wrong and what to do, for human readers. */
  detail: string;
  /** For programs. A later version may add values. */
  code: "invalid_json" | "invalid_request" | "invalid_idempotency_key" | "too_many_recipients" | "invalid_api_key" | "permission_denied" | "domain_not_verified" | "sender_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "idempotency_key_reused" | "already_exists" | "limit_reached" | "account_deleted" | "not_possible" | "not_cancellable" | "not_scheduled" | "cursor_expired" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "expectation_failed" | "rate_limit_exceeded" | "quota_exceeded" | "headers_too_large" | "internal_error" | "engine_unavailable";
  /** The id of the request, as in `X-Request-Id`. */
  request_id: string;
  /** Every fault with its field. */
  errors?: Array<{
    /** The field or parameter at fault, such as `to[1]`. */
    field: string;
    /** What is wrong with it, in a sentence. */
    detail: string;
  }> | undefined;
  /** Seconds until a retry can succeed. */
  retry_after?: number | undefined;
};

export type AddDomainBody = {
  /** The domain, such as `example.com`. */
  name: string;
};

export type SetReturnPathBody = {
  /** Whether bounces of its messages come back to this service. */
  enabled: boolean;
};

export type CreateKeyBody = {
  /** The app that uses it, such as `website`. */
  name: string;
  /** What it may do; `send` and `read` if absent. */
  permissions?: Array<"send" | "read" | "manage" | "operate"> | undefined;
  /** The domains that the key may send from and read the messages of; all if absent. */
  domains?: Array<string> | undefined;
  /** The networks that it may be used from, such as `192.0.2.0/24`; any if absent. */
  networks?: Array<string> | undefined;
  /** When it stops being active; never if absent. */
  expires_at?: string | undefined;
  /** Whether it is a test key: nothing that it sends leaves this server. */
  test?: boolean | undefined;
};

export type ChangeKeyBody = {
  /** The app that uses it, such as `website`. */
  name?: string | undefined;
  /** What it may do; `send` and `read` if absent. */
  permissions?: Array<"send" | "read" | "manage" | "operate"> | undefined;
  /** The domains that the key may send from and read the messages of; all if absent. */
  domains?: Array<string> | undefined;
  /** The networks that it may be used from, such as `192.0.2.0/24`; any if absent. */
  networks?: Array<string> | undefined;
  /** A time by RFC 3339, or `never`. */
  expires_at?: string | undefined;
};

export type SetKeyFuseBody = {
  /** Recipients in ten minutes above which it is held. */
  limit?: number | undefined;
  /** Whether it is never held. Goes without a limit. */
  off?: boolean | undefined;
};

export type CreateWebhookBody = {
  /** Where events are posted. */
  url: string;
  /** The types of events that are posted; all if absent. */
  events?: Array<"message.accepted" | "recipient.delivered" | "recipient.deferred" | "recipient.failed" | "recipient.unknown" | "recipient.suppressed" | "recipient.bounced" | "recipient.complained" | "recipient.unsubscribed" | "domain.verified" | "domain.failing" | "domain.lost"> | undefined;
  /** Ids of API keys: only events of their messages; all if absent. */
  keys?: Array<string> | undefined;
  /** Only events of these domains; all if absent. */
  domains?: Array<string> | undefined;
};

export type ChangeWebhookBody = {
  /** Where events are posted. */
  url?: string | undefined;
  /** The types of events that are posted; all if absent. */
  events?: Array<"message.accepted" | "recipient.delivered" | "recipient.deferred" | "recipient.failed" | "recipient.unknown" | "recipient.suppressed" | "recipient.bounced" | "recipient.complained" | "recipient.unsubscribed" | "domain.verified" | "domain.failing" | "domain.lost"> | undefined;
  /** Ids of API keys: only events of their messages; all if absent. */
  keys?: Array<string> | undefined;
  /** Only events of these domains; all if absent. */
  domains?: Array<string> | undefined;
  /** Whether its events wait. False enables a disabled endpoint too. */
  paused?: boolean | undefined;
};

export type ReplayWebhookBody = {
  /** From when on. A receiver knows repeated events by their id. */
  since: string;
};

export type AddSuppressionsBody = {
  /** The addresses. */
  emails: Array<string>;
  /** Why; `manual` if absent. */
  cause?: "bounce" | "manual" | "unsubscribed" | "complaint" | undefined;
  /** When they end; never if absent. */
  until?: string | undefined;
};

export type CancelRecipientsBody = {
  /** The address of one recipient; all of the message if absent. */
  recipient?: string | undefined;
};

export type RetryRecipientsBody = {
  /** The address of one recipient; all of the message if absent. */
  recipient?: string | undefined;
  /** Which recipients are tried. */
  results?: Array<"pending" | "failed" | "unknown"> | undefined;
};

export type ResolveRecipientsBody = {
  /** What the recipients are from now on. */
  as: "delivered" | "failed";
  /** The address of one recipient; all of the message if absent. */
  recipient?: string | undefined;
};

export type ActOnMessagesBody = {
  /** The action to perform on each selected recipient. */
  action: "cancel" | "retry" | "resolve";
  /** What selects the recipients; all of the account if absent. */
  filter?: {
    /** An address, or `@example.com` for a whole domain. */
    recipient?: string | undefined;
    /** The sender's whole address. */
    from?: string | undefined;
    /** A tag of the message. */
    tag?: string | undefined;
    /** Any part of the subject. */
    subject?: string | undefined;
    /** The id of the API key that sent the message. */
    key?: string | undefined;
    /** Why the recipient has its result. */
    reason?: "recipient_refused" | "sender_refused" | "message_refused" | "domain_not_found" | "null_mx" | "mail_loop" | "message_too_large" | "needs_8bitmime" | "needs_smtputf8" | "expired" | "suppressed" | "cancelled" | "discarded" | "resolved" | "connection_lost_after_final_dot" | "no_reply_to_final_dot" | "garbled_reply_to_final_dot" | "restored_from_backup" | "interrupted_after_final_dot" | "temporarily_refused" | "host_refused" | "sending_address_blocked" | "sending_domain_refused" | "no_sending_address" | "held" | "warm_up" | "scheduled" | "connection_failed" | "connection_lost" | "timeout" | "protocol_error" | "refused_on_fallback" | "tls_required" | "tls_policy_failed" | "mta_sts_mx_mismatch" | "dns_trouble" | "no_mail_host" | "host_without_address" | "address_refused" | "too_many_recipients" | "interrupted_before_final_dot" | "internal_error" | undefined;
    /** The category. */
    category?: "bad_address" | "mailbox_full" | "mailbox_disabled" | "rate_limited" | "reputation" | "authentication" | "content" | "policy" | "too_large" | "greylisted" | "network" | "other" | undefined;
    /** Messages accepted then or later. */
    since?: string | undefined;
    /** Messages accepted before. */
    until?: string | undefined;
    /** Whether test messages, instead of all others. */
    test?: boolean | undefined;
  } | undefined;
  /** Of `retry`: which recipients. `pending` if absent. Unknown ones may get the message twice. */
  result?: "failed" | "pending" | "unknown" | undefined;
  /** Of `resolve`: what the recipients are from now on. */
  as?: "delivered" | "failed" | undefined;
  /** Whether the recipients are only counted. */
  dry_run?: boolean | undefined;
};

export type CreateAccountBody = {
  /** A name of 1 to 63 characters of a-z, 0-9, - and _. */
  name: string;
};

export type SetQuotaBody = {
  /** The number of recipients; 0 for no limit, QUOTA_DAILY if absent. */
  daily?: number | undefined;
};

export type SetStatusPagesBody = {
  /** Whether messages may have status pages; if not, links made before show nothing. */
  enabled: boolean;
};

export type InviteUserBody = {
  /** The person's email address. */
  email: string;
  /** What the user may do in the account; `owner` if absent. */
  role?: "owner" | "developer" | "viewer" | undefined;
};

export type SetReceiverLimitsBody = {
  /** Connections at one time, of all nodes. */
  connections?: number | undefined;
  /** Messages before a connection is ended. */
  messages_per_connection?: number | undefined;
  /** Messages in a minute, of all nodes. */
  messages_per_minute?: number | undefined;
  /** How long nothing is sent after a reply about the rate that does not say how long. */
  pause_seconds?: number | undefined;
};

export type AddAddressBody = {
  /** The IP address as receivers see it. */
  address: string;
  /** The name for EHLO, such as `mail1.example.com`. */
  name: string;
  /** The local address that connections leave from, where a provider translates it to the address. */
  bind?: string | undefined;
  /** The pool; `default` if absent. */
  pool?: string | undefined;
  /** Whether it begins with few messages a day. */
  warm_up?: boolean | undefined;
};

export type ChangeAddressBody = {
  /** Whether nothing more may leave from it. */
  paused: boolean;
};

export type SetWarmUpBody = {
  /** The day of the schedule, from 1 on; `end` for no limit. */
  day?: number | string | undefined;
  /** The name of the receiver that `day` is for; all if absent. */
  receiver?: string | undefined;
  /** Messages of each day, none fewer than the day before; `default` for the default schedule. */
  schedule?: Array<number> | string | undefined;
  /** Whether the warm-up ends. Goes with no other field. */
  off?: boolean | undefined;
};

export type CreatePoolBody = {
  /** Its name: 1 to 32 lower-case letters, digits and hyphens, beginning with a letter. */
  name: string;
};

export type AssignPoolBody = {
  /** The name or the id of an account. */
  account?: string | undefined;
  /** A tag of messages of the account. */
  tag?: string | undefined;
  /** A sender domain, in place of an account. */
  domain?: string | undefined;
};
