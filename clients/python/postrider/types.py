# Generated from the OpenAPI document by `npm run clients`. Do not edit.
"""The types of requests and responses."""

from typing import Any, Literal, NotRequired, TypedDict, Union

# At least one of `html` and `text` is required. Null in an optional field means that the field is absent.
SendRequest = Union["SendHtmlRequest", "SendTextRequest"]


class SendHtmlRequestAttachmentsItem(TypedDict):
    # The name that the recipient sees, in UTF-8.
    filename: str
    # The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request.
    content: str
    # For example `application/pdf`. Defaults to the type of the file name's extension.
    content_type: NotRequired[Union[str, None]]
    # Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`.
    content_id: NotRequired[Union[str, None]]

SendHtmlRequest = TypedDict("SendHtmlRequest", {
    # The sender: `a@b` or `Name <a@b>`.
    "from": str,
    # The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once.
    "to": Union[str, list[str]],
    # Recipients of a copy, shown in the message.
    "cc": NotRequired[Union[str, list[str], None]],
    # Recipients of a copy, not shown in the message.
    "bcc": NotRequired[Union[str, list[str], None]],
    # The addresses that replies go to.
    "reply_to": NotRequired[Union[str, list[str], None]],
    # One line of text.
    "subject": str,
    # The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request.
    "html": str,
    # The plain text body. MESSAGE_BYTES_MAX limits the whole request.
    "text": NotRequired[Union[str, None]],
    # Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected.
    "headers": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX.
    "attachments": NotRequired[Union[list["SendHtmlRequestAttachmentsItem"], None]],
    # Labels to find the message by. They are not part of the message.
    "tags": NotRequired[Union[list[str], None]],
    # Your strings, returned by the lookup. They are not part of the message.
    "metadata": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit.
    "expires_in": NotRequired[Union[int, str, None]],
    # When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`.
    "send_at": NotRequired[Union[str, None]],
    # If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient.
    "unsubscribe": NotRequired[Union[bool, None]],
    # If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient.
    "status_page": NotRequired[Union[bool, None]],
})


class SendTextRequestAttachmentsItem(TypedDict):
    # The name that the recipient sees, in UTF-8.
    filename: str
    # The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request.
    content: str
    # For example `application/pdf`. Defaults to the type of the file name's extension.
    content_type: NotRequired[Union[str, None]]
    # Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`.
    content_id: NotRequired[Union[str, None]]

SendTextRequest = TypedDict("SendTextRequest", {
    # The sender: `a@b` or `Name <a@b>`.
    "from": str,
    # The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once.
    "to": Union[str, list[str]],
    # Recipients of a copy, shown in the message.
    "cc": NotRequired[Union[str, list[str], None]],
    # Recipients of a copy, not shown in the message.
    "bcc": NotRequired[Union[str, list[str], None]],
    # The addresses that replies go to.
    "reply_to": NotRequired[Union[str, list[str], None]],
    # One line of text.
    "subject": str,
    # The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request.
    "html": NotRequired[Union[str, None]],
    # The plain text body. MESSAGE_BYTES_MAX limits the whole request.
    "text": str,
    # Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected.
    "headers": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX.
    "attachments": NotRequired[Union[list["SendTextRequestAttachmentsItem"], None]],
    # Labels to find the message by. They are not part of the message.
    "tags": NotRequired[Union[list[str], None]],
    # Your strings, returned by the lookup. They are not part of the message.
    "metadata": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit.
    "expires_in": NotRequired[Union[int, str, None]],
    # When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`.
    "send_at": NotRequired[Union[str, None]],
    # If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient.
    "unsubscribe": NotRequired[Union[bool, None]],
    # If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient.
    "status_page": NotRequired[Union[bool, None]],
})


class BatchRequest(TypedDict):
    # Each message is accepted or rejected separately.
    messages: list[Union["BatchHtmlMessage", "BatchTextMessage"]]


class BatchHtmlMessageAttachmentsItem(TypedDict):
    # The name that the recipient sees, in UTF-8.
    filename: str
    # The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request.
    content: str
    # For example `application/pdf`. Defaults to the type of the file name's extension.
    content_type: NotRequired[Union[str, None]]
    # Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`.
    content_id: NotRequired[Union[str, None]]

BatchHtmlMessage = TypedDict("BatchHtmlMessage", {
    # The sender: `a@b` or `Name <a@b>`.
    "from": str,
    # The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once.
    "to": Union[str, list[str]],
    # Recipients of a copy, shown in the message.
    "cc": NotRequired[Union[str, list[str], None]],
    # Recipients of a copy, not shown in the message.
    "bcc": NotRequired[Union[str, list[str], None]],
    # The addresses that replies go to.
    "reply_to": NotRequired[Union[str, list[str], None]],
    # One line of text.
    "subject": str,
    # The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request.
    "html": str,
    # The plain text body. MESSAGE_BYTES_MAX limits the whole request.
    "text": NotRequired[Union[str, None]],
    # Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected.
    "headers": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX.
    "attachments": NotRequired[Union[list["BatchHtmlMessageAttachmentsItem"], None]],
    # Labels to find the message by. They are not part of the message.
    "tags": NotRequired[Union[list[str], None]],
    # Your strings, returned by the lookup. They are not part of the message.
    "metadata": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit.
    "expires_in": NotRequired[Union[int, str, None]],
    # When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`.
    "send_at": NotRequired[Union[str, None]],
    # If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient.
    "unsubscribe": NotRequired[Union[bool, None]],
    # If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient.
    "status_page": NotRequired[Union[bool, None]],
    # Like the header field Idempotency-Key of a send, but for this message only.
    "idempotency_key": NotRequired[Union[str, None]],
})


class BatchTextMessageAttachmentsItem(TypedDict):
    # The name that the recipient sees, in UTF-8.
    filename: str
    # The file, in base64 (RFC 4648 §4). MESSAGE_BYTES_MAX limits the whole request.
    content: str
    # For example `application/pdf`. Defaults to the type of the file name's extension.
    content_type: NotRequired[Union[str, None]]
    # Makes the file an inline image: `logo` is shown where the HTML has `<img src="cid:logo">`.
    content_id: NotRequired[Union[str, None]]

BatchTextMessage = TypedDict("BatchTextMessage", {
    # The sender: `a@b` or `Name <a@b>`.
    "from": str,
    # The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once.
    "to": Union[str, list[str]],
    # Recipients of a copy, shown in the message.
    "cc": NotRequired[Union[str, list[str], None]],
    # Recipients of a copy, not shown in the message.
    "bcc": NotRequired[Union[str, list[str], None]],
    # The addresses that replies go to.
    "reply_to": NotRequired[Union[str, list[str], None]],
    # One line of text.
    "subject": str,
    # The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request.
    "html": NotRequired[Union[str, None]],
    # The plain text body. MESSAGE_BYTES_MAX limits the whole request.
    "text": str,
    # Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected.
    "headers": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX.
    "attachments": NotRequired[Union[list["BatchTextMessageAttachmentsItem"], None]],
    # Labels to find the message by. They are not part of the message.
    "tags": NotRequired[Union[list[str], None]],
    # Your strings, returned by the lookup. They are not part of the message.
    "metadata": NotRequired[Union[dict[str, Union[str, None]], None]],
    # Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit.
    "expires_in": NotRequired[Union[int, str, None]],
    # When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`.
    "send_at": NotRequired[Union[str, None]],
    # If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient.
    "unsubscribe": NotRequired[Union[bool, None]],
    # If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient.
    "status_page": NotRequired[Union[bool, None]],
    # Like the header field Idempotency-Key of a send, but for this message only.
    "idempotency_key": NotRequired[Union[str, None]],
})


class MessageChange(TypedDict):
    # When delivery begins (RFC 3339), at most 30 days ahead; now if it is in the past.
    send_at: str


class Accepted(TypedDict):
    # Opaque.
    id: str
    # The message is on disk.
    state: Literal["accepted"]
    # The address of the status page, for the recipient; absent unless `status_page` is true.
    status_url: NotRequired[str]


class StatusLink(TypedDict):
    # The address of the status page, for the recipient.
    status_url: str


class StatusPage(TypedDict):
    # The result of the recipient, as the lookup has it; `returned`: the message came back after its handover.
    state: Literal["pending", "delivered", "failed", "unknown", "returned"]
    # What happened and what to do, in the language of `lang` or `Accept-Language`.
    detail: str
    # When the state last changed.
    updated_at: str
    # The email address, masked.
    recipient: str


class BatchResult(TypedDict):
    # One for each message, in the order of the request.
    messages: list[Union["Accepted", "NotAccepted"]]


class NotAcceptedErrorErrorsItem(TypedDict):
    # The field or parameter at fault, such as `to[1]`.
    field: str
    # What is wrong with it, in a sentence.
    detail: str


class NotAcceptedError(TypedDict):
    """Why the message is not accepted."""

    # The status that a send of this message would have.
    status: int
    # As in a problem. A later version may add values.
    code: Literal["invalid_json", "invalid_request", "invalid_idempotency_key", "too_many_recipients", "invalid_api_key", "permission_denied", "domain_not_verified", "sender_not_allowed", "not_found", "method_not_allowed", "request_timeout", "idempotency_key_reused", "already_exists", "limit_reached", "account_deleted", "not_possible", "not_cancellable", "not_scheduled", "cursor_expired", "precondition_failed", "body_too_large", "unsupported_media_type", "expectation_failed", "rate_limit_exceeded", "quota_exceeded", "headers_too_large", "internal_error", "engine_unavailable"]
    # What is wrong and what to do, for human readers.
    detail: str
    # Every fault with its field.
    errors: NotRequired[list["NotAcceptedErrorErrorsItem"]]
    # Seconds until a retry can succeed.
    retry_after: NotRequired[int]


class NotAccepted(TypedDict):
    """A message of a batch that is not accepted."""

    # Why the message is not accepted.
    error: "NotAcceptedError"

Message = TypedDict("Message", {
    # Opaque.
    "id": str,
    # The message is on disk.
    "state": Literal["accepted"],
    # When it was accepted.
    "created_at": str,
    # When a recipient last changed.
    "updated_at": str,
    # A recipient that is pending at this time fails with `expired`.
    "expires_at": str,
    # The sender's address.
    "from": str,
    # The subject as sent.
    "subject": str,
    # The Message-ID header field.
    "message_id": str,
    # The labels that the request has set; empty without any.
    "tags": list[str],
    # The strings that the request has set; empty without any.
    "metadata": dict[str, str],
    # In the order sent: to, cc, bcc.
    "recipients": list["Recipient"],
    # When delivery begins. Absent unless the message was scheduled.
    "send_at": NotRequired[str],
    # Whether it was sent with a test key: then nothing of it left this server. Absent otherwise.
    "test": NotRequired[bool],
})


class Recipient(TypedDict):
    # As it was written in the request.
    email: str
    # The field of the request that names the recipient.
    field: Literal["to", "cc", "bcc"]
    # `delivered`: the recipient's server took responsibility. `failed`: no further attempt follows. `pending`: one follows. `unknown`: the connection ended after the message was sent, before the reply.
    result: Literal["delivered", "failed", "pending", "unknown"]
    # Why, as a short code; null when delivered and before the first attempt.
    reason: Union["Reason", None]
    # The category; null when delivered, before the first attempt, and for results of versions without categories.
    category: Union["Category", None]
    # The number of attempts so far.
    attempts: int
    # Null where no further attempt follows, also while `pending` if none fits before `expires_at`, or while the message is in quarantine.
    next_attempt_at: Union[str, None]
    # When the recipient last changed.
    updated_at: str
    # The decisive reply; null before there is one.
    smtp: Union["SmtpReply", None]
    # Who gave the reply: the name of a known receiver, such as `gmail`, or the organisational domain of its server.
    receiver: Union[str, None]
    # Oldest first.
    events: list[Union["AcceptedEvent", "ScheduledEvent", "SuppressedEvent", "AttemptEvent", "BouncedEvent", "ComplainedEvent", "UnverifiedComplaintEvent", "UnsubscribedEvent", "ConfirmedEvent", "DecisionEvent"]]
    # Absent unless the message came back. `result` does not change.
    bounce: NotRequired["Bounce"]
    # Absent unless the recipient reported the message as spam.
    complaint: NotRequired["Complaint"]
    # Absent unless the recipient unsubscribed by the link of this message.
    unsubscribed_at: NotRequired[str]
    # Number of older events left out because the events of the message are too large.
    events_omitted: NotRequired[int]


class Bounce(TypedDict):
    """The recipient's server accepted the message, and it came back."""

    # When it happened.
    at: str
    # RFC 3463; null without one.
    status: Union[str, None]
    # The category.
    category: "Category"
    # Whether sending again is useless.
    permanent: bool
    # The text of the server that returned the message.
    diagnostic: str


class Complaint(TypedDict):
    """The recipient reported the message as spam."""

    # When it happened.
    at: str
    # The type of the report (RFC 5965), such as `abuse`.
    type: str

# Why a recipient has its result. A later version may add values.
Reason = Literal["recipient_refused", "sender_refused", "message_refused", "domain_not_found", "null_mx", "mail_loop", "message_too_large", "needs_8bitmime", "needs_smtputf8", "expired", "suppressed", "cancelled", "discarded", "resolved", "connection_lost_after_final_dot", "no_reply_to_final_dot", "garbled_reply_to_final_dot", "restored_from_backup", "interrupted_after_final_dot", "temporarily_refused", "host_refused", "sending_address_blocked", "sending_domain_refused", "no_sending_address", "held", "warm_up", "scheduled", "connection_failed", "connection_lost", "timeout", "protocol_error", "refused_on_fallback", "tls_required", "tls_policy_failed", "mta_sts_mx_mismatch", "dns_trouble", "no_mail_host", "host_without_address", "address_refused", "too_many_recipients", "interrupted_before_final_dot", "internal_error"]

# The category of what stopped or delayed the message, by the enhanced code and text of the reply, or by the error where there was no reply. A later version may add values.
Category = Literal["bad_address", "mailbox_full", "mailbox_disabled", "rate_limited", "reputation", "authentication", "content", "policy", "too_large", "greylisted", "network", "other"]


class SmtpReply(TypedDict):
    """The decisive reply."""

    # The SMTP reply code.
    code: int
    # The enhanced status code (RFC 3463); null without one.
    enhanced_code: Union[str, None]
    # The text of the reply; lines are joined by a line feed.
    message: str
    # The name of the recipient's server.
    mx: str
    # Its IP address; null if none was found.
    ip: Union[str, None]
    # The TLS version.
    tls: Union[str, None]
    # The sending address that the attempt left from; absent where the system chose it.
    source: NotRequired[str]


class AcceptedEvent(TypedDict):
    """The message was accepted."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["accepted"]


class ScheduledEvent(TypedDict):
    """The message was scheduled, or its time was changed."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["scheduled"]
    # When delivery begins.
    send_at: str
    # Who has changed the time, as in a decision. Absent at acceptance.
    by: NotRequired[str]


class SuppressedEventRefusalsItem(TypedDict):
    # When it happened.
    at: str
    # The SMTP reply code.
    code: int
    # The enhanced status code (RFC 3463); null without one.
    enhanced_code: Union[str, None]
    # The text of the reply; lines are joined by a line feed.
    message: str
    # The name of the recipient's server.
    mx: str
    # Its IP address; null if none was found.
    ip: Union[str, None]


class SuppressedEvent(TypedDict):
    """The address is suppressed. Refusals suppress it if there were recently two at least 24 hours apart, or three with at least 8 hours between them (see SUPPRESS_AFTER)."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["suppressed"]
    # `refusals`: the address was rejected as unknown. `complaint`, `unsubscribed`: its owner wants no more messages. `manual`: it was added to the suppression list. `bounce`: it was added after a hard bounce at another service.
    cause: Literal["refusals", "bounce", "manual", "complaint", "unsubscribed"]
    # The cause in a sentence.
    detail: str
    # Since when the address is suppressed.
    since: str
    # From this time on, delivery to the address is attempted again. Null: until it is allowed again.
    until: Union[str, None]
    # The replies that rejected the address; empty unless they are the cause.
    refusals: list["SuppressedEventRefusalsItem"]


class BouncedEvent(TypedDict):
    """The message came back after its handover."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["bounced"]
    # RFC 3463; null without one.
    status: Union[str, None]
    # The category.
    category: "Category"
    # Whether sending again is useless.
    permanent: bool
    # The text of the server that returned the message.
    diagnostic: str
    # The rule that decided on the category.
    rule: NotRequired[str]


class ComplainedEvent(TypedDict):
    """The recipient reported the message as spam."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["complained"]
    # The type of the report (RFC 5965), such as `abuse`.
    kind: str


class UnverifiedComplaintEvent(TypedDict):
    """A complaint without proof that it is about this recipient. It changed nothing."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["complaint_unverified"]
    # The type of the report (RFC 5965), such as `abuse`.
    kind: str


class UnsubscribedEvent(TypedDict):
    """The recipient unsubscribed by the link of the message."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["unsubscribed"]


class ConfirmedEvent(TypedDict):
    """A report of the recipient's server: the message was delivered."""

    # When it happened.
    at: str
    # The type of this entry.
    type: Literal["confirmed"]


class DecisionEvent(TypedDict):
    """A person's decision about the recipient."""

    # When it happened.
    at: str
    # `resolved`: the result was unknown, and a user or an operator marked it as delivered or not delivered. `cancelled`: a person ended the delivery. `discarded`: the stored message was damaged, and an operator ended it.
    type: Literal["resolved", "cancelled", "discarded"]
    # `unknown`: cancelled after an attempt that may have delivered it.
    result: Literal["delivered", "failed", "unknown"]
    # The email address of the user who decided, `command line`, or an API key as `key NAME (ID)`.
    by: str


class AttemptEvent(TypedDict):
    # When the attempt ended.
    at: str
    # `retried`: a user or an operator sent it again. `recovered`: the result was unknown when the service started.
    type: Literal["delivered", "failed", "deferred", "unknown", "expired", "recovered", "retried"]
    # Counts the attempts of the recipient from 1.
    attempt: int
    # Why it ended so; null where it succeeded.
    reason: Union["Reason", None]
    # The category; null where the attempt succeeded.
    category: Union["Category", None]
    # Reason and category in sentences.
    detail: Union[str, None]
    # Each server and address that was tried; the last is decisive, and the only one where `events_omitted` is set and the list is large.
    tries: list["Try"]
    # When the next attempt follows; null where none does.
    next_attempt_at: Union[str, None]
    # Who sent it again. Absent from other events, and from those of earlier versions.
    by: NotRequired[str]


class TryTls(TypedDict):
    # The version, such as `TLSv1.3`.
    protocol: str
    # The cipher suite.
    cipher: str
    # Whether the certificate was verified.
    verified: bool


class TryReply(TypedDict):
    # The SMTP reply code.
    code: int
    # The enhanced status code (RFC 3463); null without one.
    enhanced_code: Union[str, None]
    # The text of the reply; lines are joined by a line feed.
    message: str


class Try(TypedDict):
    # The name of the recipient's server.
    mx: str
    # Its IP address; null if none was found.
    ip: Union[str, None]
    # The TLS of the connection; null without TLS.
    tls: Union["TryTls", None]
    # The last stage reached; `dns` for everything before a connection, including faults of the service.
    stage: Literal["dns", "connect", "greeting", "ehlo", "starttls", "mail", "rcpt", "data", "content", "final_dot"]
    # The last reply; null without one.
    reply: Union["TryReply", None]
    # The error where there was no reply.
    error: Union[str, None]
    # What else is known of this try, in a sentence.
    note: Union[str, None]
    # The policy that decided on TLS.
    policy: Union[str, None]
    # The sending address that the attempt left from; absent where the system chose it.
    source: NotRequired[str]


class MessageList(TypedDict):
    # Newest first. A page may have fewer than `limit`, even none, although more follow.
    messages: list["MessageSummary"]
    # For the next page; null at the end.
    next_cursor: Union[str, None]


class MessageSummaryResults(TypedDict):
    """Number of recipients with each result."""

    # Number of recipients that are `delivered`.
    delivered: int
    # Number of recipients that are `failed`.
    failed: int
    # Number of recipients that are `pending`.
    pending: int
    # Number of recipients that are `unknown`.
    unknown: int

MessageSummary = TypedDict("MessageSummary", {
    # Opaque.
    "id": str,
    # The message is on disk.
    "state": Literal["accepted"],
    # When it was accepted.
    "created_at": str,
    # The sender's address.
    "from": str,
    # The first recipient.
    "to": str,
    # The subject as sent; a long one is shortened.
    "subject": str,
    # The Message-ID header field.
    "message_id": str,
    # The labels that the request has set; empty without any.
    "tags": list[str],
    # Whether it was sent with a test key: then nothing of it left this server.
    "test": bool,
    # Number of recipients.
    "recipients": int,
    # Number of recipients with each result.
    "results": "MessageSummaryResults",
    # The categories of its recipients, each once, in alphabetical order.
    "categories": list["Category"],
})


class EventList(TypedDict):
    # Oldest first. A page may have fewer than `limit`, even none, although more follow.
    events: list["Event"]
    # For the next request, as `after`; also where there are no events.
    next: str


class Event(TypedDict):
    # Opaque. An event that is sent or read again has the same id.
    id: str
    # A later version may add values.
    type: Literal["message.accepted", "recipient.delivered", "recipient.deferred", "recipient.failed", "recipient.unknown", "recipient.suppressed", "recipient.bounced", "recipient.complained", "recipient.unsubscribed", "domain.verified", "domain.failing", "domain.lost"]
    # When it happened.
    at: str
    # Counts the events of the message from 1, without a gap; null for an event of a domain.
    sequence: Union[int, None]
    # The `id` of the message; null for an event of a domain.
    message_id: Union[str, None]
    # The domain: the sender's, or the one that the event is about.
    domain: str
    # As of the event; null for `message.accepted` and an event of a domain.
    recipient: Union["EventRecipient", None]
    # The labels that the request has set; empty without any.
    tags: list[str]
    # The strings that the request has set; empty without any.
    metadata: dict[str, str]
    # Whether the message was sent with a test key, or the event is a test of a webhook endpoint.
    test: bool
    # Only of `recipient.bounced`.
    bounce: NotRequired["Bounce"]
    # Only of `recipient.complained`.
    complaint: NotRequired["Complaint"]


class EventRecipient(TypedDict):
    # As it was written in the request.
    email: str
    # `delivered`: the recipient's server took responsibility. `failed`: no further attempt follows. `pending`: one follows. `unknown`: the connection ended after the message was sent, before the reply.
    result: Literal["delivered", "failed", "pending", "unknown"]
    # Why, as a short code; null when delivered and before the first attempt.
    reason: Union["Reason", None]
    # The category; null when delivered and before the first attempt.
    category: Union["Category", None]
    # Attempts so far.
    attempts: int
    # The decisive reply; null before there is one.
    smtp: Union["SmtpReply", None]
    # Who gave the reply: the name of a known receiver, such as `gmail`, or the organisational domain of its server.
    receiver: Union[str, None]


class Webhook(TypedDict):
    """The body of a webhook request."""

    # As in `data`.
    type: Literal["message.accepted", "recipient.delivered", "recipient.deferred", "recipient.failed", "recipient.unknown", "recipient.suppressed", "recipient.bounced", "recipient.complained", "recipient.unsubscribed", "domain.verified", "domain.failing", "domain.lost"]
    # When the event occurred, as `at` in `data`.
    timestamp: str
    # The event.
    data: "Event"


class Health(TypedDict):
    # The process is running.
    status: Literal["ok"]


class Readiness(TypedDict):
    # `ready`: the service accepts and delivers.
    status: Literal["ready", "not_ready"]
    # Why it is not ready, in sentences; empty when it is.
    reasons: list[str]


class DomainCheck(TypedDict):
    # The result of the last check.
    state: Literal["pending", "verified", "failed", "temporary_failure"]
    # What was seen, and what to change if anything.
    detail: str
    # The value to publish; of a verified check, the published one.
    expected: str
    # The records found, as text.
    found: list[str]
    # What should be improved of a verified check.
    warnings: NotRequired[list[str]]
    # The name that has the records found, if it is not the record's.
    found_at: NotRequired[str]
    # The name that `expected` belongs to, if it is not the record's.
    expected_at: NotRequired[str]


class DnsRecord(TypedDict):
    # The check that looks for it.
    check: str
    # The type of the record, such as `TXT`.
    type: str
    # Its whole name.
    name: str
    # Its value.
    value: str


class ManagedDomainEntryChecks(TypedDict):
    """The state of each check."""

    # The result of the last check.
    ownership: Literal["pending", "verified", "failed", "temporary_failure"]
    # The result of the last check.
    mx: Literal["pending", "verified", "failed", "temporary_failure"]
    # The result of the last check.
    spf: Literal["pending", "verified", "failed", "temporary_failure"]
    # The result of the last check.
    dkim: Literal["pending", "verified", "failed", "temporary_failure"]
    # The result of the last check.
    dmarc: Literal["pending", "verified", "failed", "temporary_failure"]


class ManagedDomainEntryReturnPathChecks(TypedDict):
    """The state of each check."""

    # The result of the last check.
    return_path_mx: Literal["pending", "verified", "failed", "temporary_failure"]
    # The result of the last check.
    return_path_spf: Literal["pending", "verified", "failed", "temporary_failure"]


class ManagedDomainEntryReturnPath(TypedDict):
    # Whether it is the envelope sender of messages.
    active: bool
    # The state of each check.
    checks: "ManagedDomainEntryReturnPathChecks"


class ManagedDomainEntry(TypedDict):
    # In A-labels.
    domain: str
    # Whether it may send.
    verified: bool
    # When the domain was added.
    created_at: str
    # When its records are checked next.
    next_check_at: str
    # The state of each check.
    checks: "ManagedDomainEntryChecks"
    # The return path; null if it is off.
    return_path: Union["ManagedDomainEntryReturnPath", None]


class ManagedDomainChecks(TypedDict):
    """The last result of each check."""

    # A check.
    ownership: "DomainCheck"
    # A check.
    mx: "DomainCheck"
    # A check.
    spf: "DomainCheck"
    # A check.
    dkim: "DomainCheck"
    # A check.
    dmarc: "DomainCheck"


class ManagedDomainReturnPathChecks(TypedDict):
    """The last result of each check."""

    # A check.
    return_path_mx: "DomainCheck"
    # A check.
    return_path_spf: "DomainCheck"


class ManagedDomainReturnPath(TypedDict):
    # Whether it is the envelope sender of messages.
    active: bool
    # The last result of each check.
    checks: "ManagedDomainReturnPathChecks"


class ManagedDomain(TypedDict):
    # In A-labels.
    domain: str
    # Whether it may send.
    verified: bool
    # When the domain was added.
    created_at: str
    # When its records are checked next.
    next_check_at: str
    # The last result of each check.
    checks: "ManagedDomainChecks"
    # The return path; null if it is off.
    return_path: Union["ManagedDomainReturnPath", None]
    # The records to publish.
    records: list["DnsRecord"]
    # The record of a new DKIM key that waits for it; null without one.
    new_dkim_record: Union["DnsRecord", None]


class ManagedDomainList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["ManagedDomainEntry"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class ManagedReturnPath(TypedDict):
    # In A-labels.
    domain: str
    # Whether it is on.
    enabled: bool
    # The records to publish; empty if it is off.
    records: list["DnsRecord"]
    # What keeps bounces from coming back.
    warnings: list[str]


class CheckChange(TypedDict):
    # The check.
    check: str
    # The result of the last check.
    state: Literal["pending", "verified", "failed", "temporary_failure"]
    # What was seen.
    detail: str
    # When it changed.
    at: str


class ManagedCheckChangeList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["CheckChange"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class DomainReportsDmarcSourcesItem(TypedDict):
    # The address that sent them.
    ip: str
    # Whether they are this service's: `address` if it sends from the address, `signature` if they have a DKIM signature of the domain.
    ours: Literal["address", "signature", "no"]
    # Messages.
    messages: int
    # Those that failed DMARC.
    failed: int
    # Those with an aligned DKIM signature.
    dkim_passed: int
    # Those with an aligned SPF result.
    spf_passed: int
    # The Monday of the week in UTC, such as `2026-03-02`.
    last_seen: str


class DomainReportsDmarc(TypedDict):
    # Whether the domain can publish the next stricter DMARC policy: `yes`; `check_sources` if none of the failing sources is yours; not yet: `own_failures`, `few_reports`; it has the strictest: `strictest`; the present policy is not known: `no_record`.
    answer: Literal["yes", "check_sources", "own_failures", "few_reports", "strictest", "no_record"]
    # The answer with its reason.
    detail: str
    # The present policy: `none`, `quarantine` or `reject`; null if it is not known.
    policy: Union[str, None]
    # The next stricter policy; null without one.
    next_policy: Union[str, None]
    # The Monday of the week in UTC, such as `2026-03-02`.
    since: str
    # Messages that receivers report since then.
    messages: int
    # Those of them that failed DMARC.
    failed: int
    # The addresses that sent them; those that fail most first, at most 50.
    sources: list["DomainReportsDmarcSourcesItem"]


class DomainReportsReceiversItem(TypedDict):
    # Who reports it.
    org: str
    # Reports.
    reports: int
    # Messages.
    messages: int
    # Messages that failed DMARC.
    failed: int
    # Those of them that this service sent.
    failed_ours: int


class DomainReportsSourcesItem(TypedDict):
    # Who reports it.
    org: str
    # The address that sent them.
    ip: str
    # Whether they are this service's: `address` if it sends from the address, `signature` if they have a DKIM signature of the domain.
    ours: Literal["address", "signature", "no"]
    # Messages.
    messages: int
    # Those that failed DMARC.
    failed: int
    # Those that were put into spam.
    quarantined: int
    # Those that were rejected.
    rejected: int
    # Those with an aligned DKIM signature.
    dkim_passed: int
    # Those with an aligned SPF result.
    spf_passed: int
    # The domain of From; null if there were several.
    header_from: Union[str, None]


class DomainReportsTlsSendersItem(TypedDict):
    # Who reports it.
    org: str
    # Reports.
    reports: int
    # Sessions with TLS.
    succeeded: int
    # Sessions that failed.
    failed: int


class DomainReportsTlsFailuresItem(TypedDict):
    # Who reports it.
    org: str
    # The policy, such as `sts`.
    policy_type: str
    # The cause (RFC 8460).
    result_type: str
    # The host; null if it is not named.
    mx: Union[str, None]
    # Failed sessions.
    sessions: int


class DomainReportsWeeksItemDmarc(TypedDict):
    """Messages."""

    # Reports.
    reports: int
    # Messages.
    messages: int
    # Messages that failed DMARC.
    failed: int
    # Those of them that this service sent.
    failed_ours: int


class DomainReportsWeeksItemTls(TypedDict):
    """Sessions."""

    # Reports.
    reports: int
    # Sessions with TLS.
    succeeded: int
    # Sessions that failed.
    failed: int


class DomainReportsWeeksItem(TypedDict):
    # The Monday of the week in UTC, such as `2026-03-02`.
    week: str
    # Messages.
    dmarc: "DomainReportsWeeksItemDmarc"
    # Sessions.
    tls: "DomainReportsWeeksItemTls"


class DomainReportsNotStoredNewestItem(TypedDict):
    # When it arrived.
    at: str
    # Why it was not stored.
    reason: str
    # The envelope sender; empty for the null sender.
    sender: str
    # The address of the client.
    ip: str


class DomainReportsNotStored(TypedDict):
    """Reports that were not stored."""

    # Reports of the last 35 days that were not stored.
    total: int
    # How many by each reason.
    reasons: dict[str, int]
    # The newest of them.
    newest: list["DomainReportsNotStoredNewestItem"]


class DomainReports(TypedDict):
    """What receivers and senders report about the domain."""

    # In A-labels.
    domain: str
    # The answer to whether the DMARC policy can be stricter, by four weeks of reports; null without reports.
    dmarc: Union["DomainReportsDmarc", None]
    # The Monday of the week in UTC, such as `2026-03-02`.
    week: str
    # What each receiver reports about messages from the domain.
    receivers: list["DomainReportsReceiversItem"]
    # The addresses that sent messages from the domain, as receivers report them.
    sources: list["DomainReportsSourcesItem"]
    # What each sender reports about TLS to the domain.
    tls_senders: list["DomainReportsTlsSendersItem"]
    # Sessions that failed.
    tls_failures: list["DomainReportsTlsFailuresItem"]
    # The weeks with reports, the newest first.
    weeks: list["DomainReportsWeeksItem"]
    # Reports that were not stored.
    not_stored: "DomainReportsNotStored"


class ManagedKeyFuse(TypedDict):
    """When it is held."""

    # Recipients in ten minutes above which it is held; null if what it normally sends decides.
    limit: Union[int, None]
    # Whether it is never held.
    off: bool


class ManagedKey(TypedDict):
    # Opaque.
    id: str
    # The app that uses it.
    name: str
    # Whether nothing that it sends leaves this server.
    test: bool
    # Whether requests with it are accepted.
    state: Literal["active", "expired", "revoked"]
    # What it may do.
    permissions: list[Literal["send", "read", "manage", "operate"]]
    # The domains that it is restricted to; null for all.
    domains: Union[list[str], None]
    # The networks that it may be used from; null for any.
    networks: Union[list[str], None]
    # When it stops being active; null for never.
    expires_at: Union[str, None]
    # Its last four characters.
    last_four: str
    # When it was created.
    created_at: str
    # When it was last used; null for never.
    last_used_at: Union[str, None]
    # When it was revoked; null if it was not.
    revoked_at: Union[str, None]
    # Since when its mail is held; null if it is not.
    held_since: Union[str, None]
    # Why its mail is held.
    held_because: Union[str, None]
    # When it is held.
    fuse: "ManagedKeyFuse"


class CreatedKeyFuse(TypedDict):
    """When it is held."""

    # Recipients in ten minutes above which it is held; null if what it normally sends decides.
    limit: Union[int, None]
    # Whether it is never held.
    off: bool


class CreatedKey(TypedDict):
    # Opaque.
    id: str
    # The app that uses it.
    name: str
    # Whether nothing that it sends leaves this server.
    test: bool
    # Whether requests with it are accepted.
    state: Literal["active", "expired", "revoked"]
    # What it may do.
    permissions: list[Literal["send", "read", "manage", "operate"]]
    # The domains that it is restricted to; null for all.
    domains: Union[list[str], None]
    # The networks that it may be used from; null for any.
    networks: Union[list[str], None]
    # When it stops being active; null for never.
    expires_at: Union[str, None]
    # Its last four characters.
    last_four: str
    # When it was created.
    created_at: str
    # When it was last used; null for never.
    last_used_at: Union[str, None]
    # When it was revoked; null if it was not.
    revoked_at: Union[str, None]
    # Since when its mail is held; null if it is not.
    held_since: Union[str, None]
    # Why its mail is held.
    held_because: Union[str, None]
    # When it is held.
    fuse: "CreatedKeyFuse"
    # The key. It is shown only this once.
    key: str


class ManagedKeyList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["ManagedKey"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class ActedKey(TypedDict):
    # The API key.
    id: str
    # Number of recipients that waited.
    recipients: int


class ManagedWebhookLastFailure(TypedDict):
    # When it failed.
    at: str
    # The status of the response; null without one.
    status: Union[int, None]
    # Why there was none.
    error: Union[str, None]


class ManagedWebhookWaiting(TypedDict):
    """What is still to be posted."""

    # Number of messages whose events wait for another attempt.
    retries: int
    # Number of new events.
    events: int


class ManagedWebhook(TypedDict):
    # Opaque.
    id: str
    # Where events are posted.
    url: str
    # The types of events; null for all.
    events: Union[list[str], None]
    # Ids of API keys; null for all.
    keys: Union[list[str], None]
    # The account's domains; null for all.
    domains: Union[list[str], None]
    # When it was created.
    created_at: str
    # Whether events are posted to it.
    state: Literal["active", "failing", "paused", "disabled"]
    # When it was paused; null if it is not.
    paused_at: Union[str, None]
    # When it was disabled; null if it is not.
    disabled_at: Union[str, None]
    # `gone`: it responded 410. `failing`: for days.
    disabled_reason: Union[Literal["gone", "failing"], None]
    # The first failure since the last success; null without one.
    failing_since: Union[str, None]
    # The newest failure since the last success.
    last_failure: Union["ManagedWebhookLastFailure", None]
    # What is still to be posted.
    waiting: "ManagedWebhookWaiting"


class CreatedWebhookLastFailure(TypedDict):
    # When it failed.
    at: str
    # The status of the response; null without one.
    status: Union[int, None]
    # Why there was none.
    error: Union[str, None]


class CreatedWebhookWaiting(TypedDict):
    """What is still to be posted."""

    # Number of messages whose events wait for another attempt.
    retries: int
    # Number of new events.
    events: int


class CreatedWebhook(TypedDict):
    # Opaque.
    id: str
    # Where events are posted.
    url: str
    # The types of events; null for all.
    events: Union[list[str], None]
    # Ids of API keys; null for all.
    keys: Union[list[str], None]
    # The account's domains; null for all.
    domains: Union[list[str], None]
    # When it was created.
    created_at: str
    # Whether events are posted to it.
    state: Literal["active", "failing", "paused", "disabled"]
    # When it was paused; null if it is not.
    paused_at: Union[str, None]
    # When it was disabled; null if it is not.
    disabled_at: Union[str, None]
    # `gone`: it responded 410. `failing`: for days.
    disabled_reason: Union[Literal["gone", "failing"], None]
    # The first failure since the last success; null without one.
    failing_since: Union[str, None]
    # The newest failure since the last success.
    last_failure: Union["CreatedWebhookLastFailure", None]
    # What is still to be posted.
    waiting: "CreatedWebhookWaiting"
    # The secret. It is shown only this once.
    secret: str


class ManagedWebhookList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["ManagedWebhook"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class WebhookTest(TypedDict):
    # The status of the response; null without one.
    status: Union[int, None]
    # How long it took.
    duration_ms: float
    # Why there was no response.
    error: Union[str, None]
    # The beginning of the response's body.
    response: str


class WebhookReplay(TypedDict):
    # The webhook endpoint.
    id: str
    # From when on events are posted again.
    since: str


class WebhookEventReplay(TypedDict):
    # The webhook endpoint.
    id: str
    # The event.
    event_number: int


class WebhookDelivery(TypedDict):
    # Counts the attempts of the endpoint.
    number: int
    # Names the event for `replay`.
    event_number: int
    # The id of the event.
    event_id: str
    # The type of the event.
    type: Literal["message.accepted", "recipient.delivered", "recipient.deferred", "recipient.failed", "recipient.unknown", "recipient.suppressed", "recipient.bounced", "recipient.complained", "recipient.unsubscribed", "domain.verified", "domain.failing", "domain.lost"]
    # The `id` of the message; null for an event of a domain.
    message_id: Union[str, None]
    # When it was posted.
    at: str
    # How long it took.
    duration_ms: float
    # Counts the attempts at this event from 1.
    attempt: int
    # What became of it.
    result: Literal["sent", "deferred", "given_up"]
    # The status of the response; null without one.
    status: Union[int, None]
    # Why there was no response.
    error: Union[str, None]
    # The beginning of the response's body.
    response: str
    # When the next attempt follows; null where none does.
    next_attempt_at: Union[str, None]


class WebhookDeliveryList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["WebhookDelivery"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class Suppression(TypedDict):
    # The address.
    email: str
    # Why messages to it are not attempted.
    cause: Literal["refusals", "bounce", "manual", "unsubscribed", "complaint"]
    # Since when it is suppressed.
    since: str
    # When the suppression ends; null: when it is removed.
    until: Union[str, None]
    # The replies that rejected it, if they are the cause.
    refusals: list[dict[str, Any]]


class SuppressionList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["Suppression"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class AddedSuppressionsFaultsItem(TypedDict):
    # The position in the request from 0, or the line of a file from 1.
    at: int
    # The text.
    email: str
    # What is wrong with it.
    detail: str


class AddedSuppressions(TypedDict):
    # Number of addresses that are suppressed now and were not.
    added: int
    # Number of addresses whose cause or end has changed.
    changed: int
    # Number of addresses that were suppressed so already.
    already: int
    # Number of texts that are no address.
    invalid: int
    # The first invalid ones.
    faults: list["AddedSuppressionsFaultsItem"]


class ImportedSuppressionsFaultsItem(TypedDict):
    # The position in the request from 0, or the line of a file from 1.
    at: int
    # The text.
    email: str
    # What is wrong with it.
    detail: str


class ImportedSuppressions(TypedDict):
    # Number of addresses that are suppressed now and were not.
    added: int
    # Number of addresses whose cause or end has changed.
    changed: int
    # Number of addresses that were suppressed so already.
    already: int
    # Number of texts that are no address.
    invalid: int
    # The first invalid ones.
    faults: list["ImportedSuppressionsFaultsItem"]
    # The format that was recognised; null where none was.
    format: Union[str, None]
    # Why the file was not read to its end; null if it was.
    stopped: Union[str, None]


class AuditEntryActor(TypedDict):
    """Who: a user, an API key, the command line or a visitor."""

    # Its kind.
    type: str
    # Its id.
    id: Union[str, None]
    # Its name.
    name: Union[str, None]


class AuditEntryTarget(TypedDict):
    """To what."""

    # Its kind.
    type: str
    # Its id.
    id: Union[str, None]
    # Its name.
    name: Union[str, None]


class AuditEntryAccount(TypedDict):
    # The account.
    id: str
    # Its name; null if it was removed.
    name: Union[str, None]


class AuditEntry(TypedDict):
    # Opaque.
    id: str
    # When.
    at: str
    # Who: a user, an API key, the command line or a visitor.
    actor: "AuditEntryActor"
    # From where; null for the command line.
    ip: Union[str, None]
    # What, such as `domain.added`.
    action: str
    # To what.
    target: "AuditEntryTarget"
    # In which account; null for the installation.
    account: Union["AuditEntryAccount", None]
    # The fields that changed, as they were.
    before: Union[dict[str, Any], None]
    # The fields that changed, as they are now.
    after: Union[dict[str, Any], None]


class AuditList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["AuditEntry"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class DiscardedMessage(TypedDict):
    # The message; null if its id cannot be read.
    id: Union[str, None]
    # Number of recipients that failed by it.
    failed: int


class ActionOnMessages(TypedDict):
    # What was asked for.
    action: Literal["cancel", "retry", "resolve"]
    # Number of recipients that the filter selects.
    recipients: int
    # Number of their messages.
    messages: int
    # Whether they were only counted.
    dry_run: bool
    # Number of recipients that were changed.
    done: int
    # Number of recipients that could not be changed, or had changed meanwhile.
    unchanged: int
    # Whether all were covered. If not, the same request covers the next ones.
    complete: bool


class UsageQuota(TypedDict):
    """The quota of recipients."""

    # Recipients of messages accepted in this UTC day.
    recipients_today: int
    # The limit of a day; null without one.
    daily: Union[int, None]
    # When the next UTC day begins.
    resets_at: str


class UsageDomains(TypedDict):
    """What the account has of domains."""

    # Number of domains.
    count: int
    # Their limit.
    max: int


class UsageKeys(TypedDict):
    """What the account has of active API keys."""

    # Number of active API keys.
    count: int
    # Their limit.
    max: int


class UsageWebhooks(TypedDict):
    """What the account has of webhook endpoints."""

    # Number of webhook endpoints.
    count: int
    # Their limit.
    max: int


class UsageUsers(TypedDict):
    """What the account has of users."""

    # Number of users.
    count: int
    # Their limit.
    max: int


class Usage(TypedDict):
    # The account's name.
    account: str
    # The quota of recipients.
    quota: "UsageQuota"
    # What the account has of domains.
    domains: "UsageDomains"
    # What the account has of active API keys.
    keys: "UsageKeys"
    # What the account has of webhook endpoints.
    webhooks: "UsageWebhooks"
    # What the account has of users.
    users: "UsageUsers"


class Account(TypedDict):
    # Opaque.
    id: str
    # Its name.
    name: str
    # When it was created.
    created_at: str
    # Recipients that it may address in a UTC day; 0 for no limit, null for QUOTA_DAILY.
    quota_daily: Union[int, None]
    # The limit that holds; 0 for none.
    effective_quota_daily: int
    # Whether its messages may have status pages.
    status_pages: bool
    # When it was deleted.
    deleted_at: NotRequired[str]
    # Until when it can be restored.
    restorable_until: NotRequired[str]


class DeletedAccount(TypedDict):
    # Opaque.
    id: str
    # Its name.
    name: str
    # When it was deleted.
    deleted_at: str
    # Until when it can be restored.
    restorable_until: str


class AccountList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["Account"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class UserMembershipsItem(TypedDict):
    # The name of the account.
    account: str
    # What the user may do in the account.
    role: Literal["owner", "developer", "viewer"]
    # Whether a group at the identity provider gives it.
    by_group: bool


class User(TypedDict):
    # Opaque.
    id: str
    # The email address.
    email: str
    # The name of the account: the one that is asked for, else the user's own.
    account: str
    # Whether the user operates the service.
    operator: bool
    # What the user may do in the account.
    role: Literal["owner", "developer", "viewer"]
    # Every account that the user belongs to, the user's own first.
    memberships: list["UserMembershipsItem"]
    # Whether the user signs in with a code too.
    second_factor: bool
    # When it was created.
    created_at: str


class UserList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["User"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class Invitation(TypedDict):
    # Opaque.
    id: str
    # The email address.
    email: str
    # What the user may do in the account.
    role: Literal["owner", "developer", "viewer"]
    # Who invites.
    invited_by: str
    # When it was made.
    created_at: str
    # Until when its link is valid.
    valid_until: str


class InvitationList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["Invitation"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class InvitedUser(TypedDict):
    # The email address.
    email: str
    # What the user may do in the account.
    role: Literal["owner", "developer", "viewer"]
    # The name of the account.
    account: str
    # The link of the invitation. It is shown only this once.
    link: str
    # Until when the link is valid.
    valid_until: str
    # The domain that the link was sent from; null if it was not sent.
    sent_from: Union[str, None]


class ReceiverLimits(TypedDict):
    """What delivery keeps to."""

    # Connections at one time; null if its replies decide.
    connections: Union[int, None]
    # Messages before a connection is ended; null for the default.
    messages_per_connection: Union[int, None]
    # Messages in a minute; null without a limit.
    messages_per_minute: Union[int, None]
    # The pause after a reply about the rate; null for that of its profile.
    pause_seconds: Union[int, None]


class ReceiverAddressesItem(TypedDict):
    # The sending address; null if the system chooses it.
    address: Union[str, None]
    # Whether it accepts mail now.
    state: Literal["open", "paused", "closed", "blocked"]
    # Since when it does not; null where it does.
    since: Union[str, None]
    # The last reply.
    reply: Union[str, None]
    # When the next attempt is made; null where it is open.
    next_probe_at: Union[str, None]
    # Where to ask for the removal of a block.
    delisting_url: Union[str, None]


class ReceiverLastDay(TypedDict):
    """What was counted in the last 24 hours."""

    # Delivered recipients.
    delivered: int
    # Deferred attempts.
    deferred: int
    # Failed recipients.
    failed: int
    # Recipients without a known result.
    unknown: int


class Receiver(TypedDict):
    # Its name, or the organisational domain of its servers.
    name: str
    # Its name for readers.
    label: str
    # The domains of its servers.
    mx: list[str]
    # What delivery keeps to.
    limits: "ReceiverLimits"
    # The limits that an operator has set.
    overridden: list[str]
    # Whether it accepts mail now.
    state: Literal["open", "paused", "closed", "blocked"]
    # Since when it does not; null where it does.
    since: Union[str, None]
    # The last reply.
    reply: Union[str, None]
    # When the next attempt is made; null where it is open.
    next_probe_at: Union[str, None]
    # Where to ask for the removal of a block.
    delisting_url: Union[str, None]
    # Its state from each sending address.
    addresses: list["ReceiverAddressesItem"]
    # Attempts in progress.
    attempts: int
    # Open connections.
    connections: int
    # What the last preflights have found.
    preflight: list[dict[str, Any]]
    # What was counted in the last 24 hours.
    last_day: "ReceiverLastDay"
    # Whether it takes mail only over TLS.
    requires_tls: bool
    # Its page for senders.
    senders_url: Union[str, None]
    # What its profile comes from; null without one.
    source: Union[str, None]


class ReceiverList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["Receiver"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class Queue(TypedDict):
    # Number of recipients that wait.
    waiting: int
    # Number of recipients without a known result.
    unknown: int
    # When the oldest that waits was accepted.
    oldest_at: Union[str, None]
    # By recipient domain, at most 1,000.
    destinations: list["QueueDestination"]
    # Whether delivery waits after a restore.
    delivery_paused: bool
    # Closed destinations for which nothing waits.
    closed_without_mail: list[dict[str, Any]]


class QueueDestinationWait(TypedDict):
    """Why it waits."""

    # Why it waits, for programs.
    type: str
    # Why it waits.
    text: str


class QueueDestination(TypedDict):
    # The recipient domain.
    domain: str
    # Recipients that wait.
    waiting: int
    # Recipients that are due and in no attempt.
    due: int
    # Recipients that wait for a later attempt.
    deferred: int
    # Recipients in an attempt.
    in_flight: int
    # When the oldest was accepted.
    oldest_at: Union[str, None]
    # When the next attempt is made.
    next_attempt_at: Union[str, None]
    # Delivered in the last minute; null while no node reports.
    delivered_last_minute: Union[int, None]
    # The connections to its mail servers; null while nothing is known.
    mail_servers: Union[dict[str, Any], None]
    # Why it waits.
    wait: "QueueDestinationWait"
    # The reason of the last attempt.
    reason: Union[str, None]
    # The category.
    category: Union[Literal["bad_address", "mailbox_full", "mailbox_disabled", "rate_limited", "reputation", "authentication", "content", "policy", "too_large", "greylisted", "network", "other"], None]
    # The last reply.
    smtp: Union[dict[str, Any], None]
    # When an operator paused it; null if none has.
    paused_at: Union[str, None]


class PausedDestination(TypedDict):
    # The recipient domain.
    domain: str
    # Whether it is paused.
    paused: bool


class RetriedDestination(TypedDict):
    # The recipient domain.
    domain: str
    # Recipients that are due now and were not.
    recipients: int
    # What keeps the next attempt from being made at once.
    hold: Union[Literal["paused", "closed"], None]


class SendingAddressEntry(TypedDict):
    # The IP address as receivers see it.
    address: str
    # The name for EHLO.
    name: str
    # The local address that connections leave from; null if it is the address itself.
    bind: Union[str, None]
    # Its pool.
    pool: str
    # Whether it is being warmed up.
    warm_up: bool
    # The live nodes that have it; null where the spool belongs to one service.
    nodes: Union[list[str], None]
    # `absent`: no running host has it.
    state: Literal["active", "paused", "absent"]


class SendingAddressList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["SendingAddressEntry"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class SendingAddressReceiversItem(TypedDict):
    # The receiver.
    receiver: str
    # The day of the schedule, from 1 on; null after its end.
    day: Union[int, None]
    # Messages of that day; null without a limit.
    limit: Union[int, None]
    # Messages of today that are sent or are about to be.
    sent_today: int
    # Messages that it accepted today.
    accepted_today: int
    # Whether it rejected the address today.
    blocked_today: bool


class SendingAddress(TypedDict):
    # The IP address as receivers see it.
    address: str
    # The name for EHLO.
    name: str
    # The local address that connections leave from; null if it is the address itself.
    bind: Union[str, None]
    # Its pool.
    pool: str
    # Whether it is being warmed up.
    warm_up: bool
    # The live nodes that have it; null where the spool belongs to one service.
    nodes: Union[list[str], None]
    # `absent`: no running host has it.
    state: Literal["active", "paused", "absent"]
    # Messages of each day at one receiver; null if it is not being warmed up.
    schedule: Union[list[int], None]
    # How far it is warmed up, where something was sent from it.
    receivers: list["SendingAddressReceiversItem"]


class SendingPoolTagsItem(TypedDict):
    # The name of the account.
    account: str
    # The tag.
    tag: str


class SendingPool(TypedDict):
    # Its name.
    name: str
    # Its addresses.
    addresses: list[str]
    # Names of accounts whose mail leaves from them.
    accounts: list[str]
    # Sender domains whose mail leaves from them.
    domains: list[str]
    # Tags of messages that leave from them.
    tags: list["SendingPoolTagsItem"]


class SendingPoolList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["SendingPool"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class Node(TypedDict):
    # Its name.
    name: str
    # The version that it runs.
    version: str
    # Where its HTTP listener is reached.
    address: str
    # What it does.
    state: Literal["live", "draining", "drained", "expired"]
    # When it started.
    started_at: str
    # Its last heartbeat.
    heartbeat_at: str
    # Whether an operator has drained it.
    draining: bool
    # Recipients that it leases.
    leases: int
    # Recipients that it delivered in the last minute.
    delivered_last_minute: int
    # The addresses that it sends from.
    sending_ips: list[str]


class NodeList(TypedDict):
    # The page. It may have fewer than `limit`.
    data: list["Node"]
    # For the next page, as `after`; null at the end.
    next: Union[str, None]


class DrainedNode(TypedDict):
    # As asked for.
    name: str
    # The nodes that drain.
    draining: list[str]


class ResumedNode(TypedDict):
    # As asked for.
    name: str
    # The nodes that claim again.
    resumed: list[str]


class Finding(TypedDict):
    # What was checked.
    check: str
    # `problem` stops delivery, `warning` hurts it.
    state: Literal["ok", "warning", "problem", "unclear"]
    # What was found, and how to fix it.
    detail: str


class Findings(TypedDict):
    # When; null if the examination has failed.
    examined_at: Union[str, None]
    # One for each check.
    data: list["Finding"]
    # Always null.
    next: Union[str, None]


class PreflightAddressesItemReceiversItem(TypedDict):
    # The receiver.
    name: str
    # What it would do.
    verdict: Literal["accepted", "refused", "deferred", "unreachable", "not_tried"]
    # How far the session went.
    step: Union[str, None]
    # The last reply.
    reply: Union[str, None]
    # What to do.
    advice: Union[str, None]
    # Where to ask.
    url: Union[str, None]
    # Of a result of an earlier run: when.
    at: NotRequired[str]


class PreflightAddressesItem(TypedDict):
    # The sending address; null if none was found.
    address: Union[str, None]
    # Whether sessions left from it.
    bound: bool
    # The name of its PTR record.
    ptr: Union[str, None]
    # What was found.
    ptr_detail: str
    # Whether port 25 is open.
    port_25: Union[str, bool, None]
    # What blocklists say.
    blocklists: list[dict[str, Any]]
    # What each receiver said.
    receivers: list["PreflightAddressesItemReceiversItem"]


class Preflight(TypedDict):
    # By sending address.
    addresses: list["PreflightAddressesItem"]
    # In a sentence.
    summary: str
    # What a preflight cannot tell.
    limits: str


class ProblemErrorsItem(TypedDict):
    # The field or parameter at fault, such as `to[1]`.
    field: str
    # What is wrong with it, in a sentence.
    detail: str


class Problem(TypedDict):
    """RFC 9457 problem details."""

    # The address of the entry of `code` in the errors page of this service: what it means and what to do.
    type: str
    # The reason phrase of the status.
    title: str
    # The status of the response.
    status: int
    # What is wrong and what to do, for human readers.
    detail: str
    # For programs. A later version may add values.
    code: Literal["invalid_json", "invalid_request", "invalid_idempotency_key", "too_many_recipients", "invalid_api_key", "permission_denied", "domain_not_verified", "sender_not_allowed", "not_found", "method_not_allowed", "request_timeout", "idempotency_key_reused", "already_exists", "limit_reached", "account_deleted", "not_possible", "not_cancellable", "not_scheduled", "cursor_expired", "precondition_failed", "body_too_large", "unsupported_media_type", "expectation_failed", "rate_limit_exceeded", "quota_exceeded", "headers_too_large", "internal_error", "engine_unavailable"]
    # The id of the request, as in `X-Request-Id`.
    request_id: str
    # Every fault with its field.
    errors: NotRequired[list["ProblemErrorsItem"]]
    # Seconds until a retry can succeed.
    retry_after: NotRequired[int]


class AddDomainBody(TypedDict):
    # The domain, such as `example.com`.
    name: str


class SetReturnPathBody(TypedDict):
    # Whether bounces of its messages come back to this service.
    enabled: bool


class CreateKeyBody(TypedDict):
    # The app that uses it, such as `website`.
    name: str
    # What it may do; `send` and `read` if absent.
    permissions: NotRequired[list[Literal["send", "read", "manage", "operate"]]]
    # The domains that the key may send from and read the messages of; all if absent.
    domains: NotRequired[list[str]]
    # The networks that it may be used from, such as `192.0.2.0/24`; any if absent.
    networks: NotRequired[list[str]]
    # When it stops being active; never if absent.
    expires_at: NotRequired[str]
    # Whether it is a test key: nothing that it sends leaves this server.
    test: NotRequired[bool]


class ChangeKeyBody(TypedDict):
    # The app that uses it, such as `website`.
    name: NotRequired[str]
    # What it may do; `send` and `read` if absent.
    permissions: NotRequired[list[Literal["send", "read", "manage", "operate"]]]
    # The domains that the key may send from and read the messages of; all if absent.
    domains: NotRequired[list[str]]
    # The networks that it may be used from, such as `192.0.2.0/24`; any if absent.
    networks: NotRequired[list[str]]
    # A time by RFC 3339, or `never`.
    expires_at: NotRequired[str]


class SetKeyFuseBody(TypedDict):
    # Recipients in ten minutes above which it is held.
    limit: NotRequired[int]
    # Whether it is never held. Goes without a limit.
    off: NotRequired[bool]


class CreateWebhookBody(TypedDict):
    # Where events are posted.
    url: str
    # The types of events that are posted; all if absent.
    events: NotRequired[list[Literal["message.accepted", "recipient.delivered", "recipient.deferred", "recipient.failed", "recipient.unknown", "recipient.suppressed", "recipient.bounced", "recipient.complained", "recipient.unsubscribed", "domain.verified", "domain.failing", "domain.lost"]]]
    # Ids of API keys: only events of their messages; all if absent.
    keys: NotRequired[list[str]]
    # Only events of these domains; all if absent.
    domains: NotRequired[list[str]]


class ChangeWebhookBody(TypedDict):
    # Where events are posted.
    url: NotRequired[str]
    # The types of events that are posted; all if absent.
    events: NotRequired[list[Literal["message.accepted", "recipient.delivered", "recipient.deferred", "recipient.failed", "recipient.unknown", "recipient.suppressed", "recipient.bounced", "recipient.complained", "recipient.unsubscribed", "domain.verified", "domain.failing", "domain.lost"]]]
    # Ids of API keys: only events of their messages; all if absent.
    keys: NotRequired[list[str]]
    # Only events of these domains; all if absent.
    domains: NotRequired[list[str]]
    # Whether its events wait. False enables a disabled endpoint too.
    paused: NotRequired[bool]


class ReplayWebhookBody(TypedDict):
    # From when on. A receiver knows repeated events by their id.
    since: str


class AddSuppressionsBody(TypedDict):
    # The addresses.
    emails: list[str]
    # Why; `manual` if absent.
    cause: NotRequired[Literal["bounce", "manual", "unsubscribed", "complaint"]]
    # When they end; never if absent.
    until: NotRequired[str]


class CancelRecipientsBody(TypedDict):
    # The address of one recipient; all of the message if absent.
    recipient: NotRequired[str]


class RetryRecipientsBody(TypedDict):
    # The address of one recipient; all of the message if absent.
    recipient: NotRequired[str]
    # Which recipients are tried.
    results: NotRequired[list[Literal["pending", "failed", "unknown"]]]

ResolveRecipientsBody = TypedDict("ResolveRecipientsBody", {
    # What the recipients are from now on.
    "as": Literal["delivered", "failed"],
    # The address of one recipient; all of the message if absent.
    "recipient": NotRequired[str],
})

# What selects the recipients; all of the account if absent.
ActOnMessagesBodyFilter = TypedDict("ActOnMessagesBodyFilter", {
    # An address, or `@example.com` for a whole domain.
    "recipient": NotRequired[str],
    # The sender's whole address.
    "from": NotRequired[str],
    # A tag of the message.
    "tag": NotRequired[str],
    # Any part of the subject.
    "subject": NotRequired[str],
    # The id of the API key that sent the message.
    "key": NotRequired[str],
    # Why the recipient has its result.
    "reason": NotRequired[Literal["recipient_refused", "sender_refused", "message_refused", "domain_not_found", "null_mx", "mail_loop", "message_too_large", "needs_8bitmime", "needs_smtputf8", "expired", "suppressed", "cancelled", "discarded", "resolved", "connection_lost_after_final_dot", "no_reply_to_final_dot", "garbled_reply_to_final_dot", "restored_from_backup", "interrupted_after_final_dot", "temporarily_refused", "host_refused", "sending_address_blocked", "sending_domain_refused", "no_sending_address", "held", "warm_up", "scheduled", "connection_failed", "connection_lost", "timeout", "protocol_error", "refused_on_fallback", "tls_required", "tls_policy_failed", "mta_sts_mx_mismatch", "dns_trouble", "no_mail_host", "host_without_address", "address_refused", "too_many_recipients", "interrupted_before_final_dot", "internal_error"]],
    # The category.
    "category": NotRequired[Literal["bad_address", "mailbox_full", "mailbox_disabled", "rate_limited", "reputation", "authentication", "content", "policy", "too_large", "greylisted", "network", "other"]],
    # Messages accepted then or later.
    "since": NotRequired[str],
    # Messages accepted before.
    "until": NotRequired[str],
    # Whether test messages, instead of all others.
    "test": NotRequired[bool],
})

ActOnMessagesBody = TypedDict("ActOnMessagesBody", {
    # The action to perform on each selected recipient.
    "action": Literal["cancel", "retry", "resolve"],
    # What selects the recipients; all of the account if absent.
    "filter": NotRequired["ActOnMessagesBodyFilter"],
    # Of `retry`: which recipients. `pending` if absent. Unknown ones may get the message twice.
    "result": NotRequired[Literal["failed", "pending", "unknown"]],
    # Of `resolve`: what the recipients are from now on.
    "as": NotRequired[Literal["delivered", "failed"]],
    # Whether the recipients are only counted.
    "dry_run": NotRequired[bool],
})


class CreateAccountBody(TypedDict):
    # A name of 1 to 63 characters of a-z, 0-9, - and _.
    name: str


class SetQuotaBody(TypedDict):
    # The number of recipients; 0 for no limit, QUOTA_DAILY if absent.
    daily: NotRequired[int]


class SetStatusPagesBody(TypedDict):
    # Whether messages may have status pages; if not, links made before show nothing.
    enabled: bool


class InviteUserBody(TypedDict):
    # The person's email address.
    email: str
    # What the user may do in the account; `owner` if absent.
    role: NotRequired[Literal["owner", "developer", "viewer"]]


class SetReceiverLimitsBody(TypedDict):
    # Connections at one time, of all nodes.
    connections: NotRequired[int]
    # Messages before a connection is ended.
    messages_per_connection: NotRequired[int]
    # Messages in a minute, of all nodes.
    messages_per_minute: NotRequired[int]
    # How long nothing is sent after a reply about the rate that does not say how long.
    pause_seconds: NotRequired[int]


class AddAddressBody(TypedDict):
    # The IP address as receivers see it.
    address: str
    # The name for EHLO, such as `mail1.example.com`.
    name: str
    # The local address that connections leave from, where a provider translates it to the address.
    bind: NotRequired[str]
    # The pool; `default` if absent.
    pool: NotRequired[str]
    # Whether it begins with few messages a day.
    warm_up: NotRequired[bool]


class ChangeAddressBody(TypedDict):
    # Whether nothing more may leave from it.
    paused: bool


class SetWarmUpBody(TypedDict):
    # The day of the schedule, from 1 on; `end` for no limit.
    day: NotRequired[Union[int, str]]
    # The name of the receiver that `day` is for; all if absent.
    receiver: NotRequired[str]
    # Messages of each day, none fewer than the day before; `default` for the default schedule.
    schedule: NotRequired[Union[list[int], str]]
    # Whether the warm-up ends. Goes with no other field.
    off: NotRequired[bool]


class CreatePoolBody(TypedDict):
    # Its name: 1 to 32 lower-case letters, digits and hyphens, beginning with a letter.
    name: str


class AssignPoolBody(TypedDict):
    # The name or the id of an account.
    account: NotRequired[str]
    # A tag of messages of the account.
    tag: NotRequired[str]
    # A sender domain, in place of an account.
    domain: NotRequired[str]
