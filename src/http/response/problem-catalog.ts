/**
 * What each code of a problem means and what to do, for the OpenAPI document and the page that `type` of a problem leads to. A code that is
 * missing here does not compile.
 */
import { PROBLEM_CODES, type ProblemCode, statusOf, titleOf } from "./problems.ts";

/**
 * Whether the same request can succeed later. `no`: not before something else is changed. `soon`: at any time. `later`: after `retry_after`
 * seconds.
 */
type Retry = "no" | "soon" | "later";

/** Texts have names of fields and codes between backticks. */
interface Entry {
  /** A clause. */
  meaning: string;
  /** Sentences. */
  action: string;
  retry: Retry;
}

export interface ProblemEntry extends Entry {
  code: string;
  status: number;
  /** The reason phrase of the status. */
  title: string;
}

const entry = (meaning: string, action: string, retry: Retry = "no"): Entry => ({ meaning, action, retry });

const FREE_FIRST = "Remove one that is not used, or ask the operator for a higher limit.";

const ENTRIES: Readonly<Record<ProblemCode, Entry>> = {
  invalid_json: entry("the body is not JSON", "Send a JSON object in UTF-8."),
  invalid_request: entry(
    "`errors` names each field or parameter at fault",
    "Correct each of them. `detail` of an entry says what the field must be.",
  ),
  invalid_idempotency_key: entry(
    "`Idempotency-Key` must have 1 to 256 printable ASCII characters",
    "Use such a key, for example a UUID.",
  ),
  too_many_recipients: entry(
    "`to`, `cc` and `bcc` together have too many recipients",
    "Send several messages. `RECIPIENTS_MAX` of the service is the limit of one.",
  ),
  invalid_api_key: entry(
    "the API key is missing, malformed, unknown, expired or revoked",
    "Send `Authorization: Bearer` with a key that is active. The dashboard and `keys create` make one.",
  ),
  permission_denied: entry(
    "the key lacks a permission, or cannot be used from this address",
    "Use a key with the permission that `detail` names, or change what this key may do.",
  ),
  domain_not_verified: entry(
    "the sender's domain is in the account but not verified",
    "Publish the DNS records that `detail` names, then verify the domain.",
  ),
  sender_not_allowed: entry(
    "no domain of the account covers the sender's address, or the key is restricted to other domains",
    "Send from a verified domain of the account that the key may use.",
  ),
  not_found: entry("it is unknown, or not visible to this key", "Check the path, the id and the account of the key."),
  method_not_allowed: entry("`Allow` lists the allowed methods", "Use one of them."),
  request_timeout: entry("the request did not arrive in time", "Check the connection and its proxies.", "soon"),
  idempotency_key_reused: entry(
    "the same key was used with another payload within 24 hours",
    "Use a new `Idempotency-Key` for another request, and the same one only to repeat a request.",
  ),
  already_exists: entry("there is a thing of this name already", "Use the existing one, or choose another name."),
  limit_reached: entry("there are as many as there may be", FREE_FIRST),
  account_deleted: entry("the account is deleted; restore it first", "Have an operator restore the account."),
  not_possible: entry(
    "the thing is in a state in which this cannot be done",
    "Read its state. `detail` says what prevents it.",
  ),
  precondition_failed: entry(
    "the thing was changed since the entity tag in `If-Match`",
    "Read it again, and repeat the change with the new entity tag if it is still wanted.",
  ),
  not_cancellable: entry("no recipient is pending", "Look the message up: each recipient has its result."),
  not_scheduled: entry("the message does not wait for a time", "Look the message up. It was sent or cancelled."),
  cursor_expired: entry(
    "events after the cursor were deleted; begin again without `after`",
    "Begin again without `after`, and compare the events with what you have stored.",
  ),
  body_too_large: entry(
    "the request, or the message built from it, is too large",
    "Send less, such as smaller attachments. `MESSAGE_BYTES_MAX` of the service is the limit of a message.",
  ),
  unsupported_media_type: entry("the body must be JSON in UTF-8", "Send the `Content-Type` that `detail` names."),
  expectation_failed: entry("`Expect` can only be `100-continue`", "Leave the header field out."),
  rate_limit_exceeded: entry(
    "retry after `retry_after` seconds",
    "Slow down. `RateLimit` of each response has what remains of the rate.",
    "later",
  ),
  quota_exceeded: entry(
    "the account's recipients of this UTC day are used up",
    "Wait for the next UTC day, or ask the operator for a higher quota.",
    "later",
  ),
  headers_too_large: entry("the request's header fields are too large", "Send fewer or shorter ones."),
  internal_error: entry(
    "the request may be retried",
    "If it happens again, report `request_id` to the operator, whose log has the cause.",
    "soon",
  ),
  engine_unavailable: entry(
    "retry after `retry_after` seconds, a send with the same Idempotency-Key",
    "Wait. Nothing was accepted. The operator finds the reason at `/readyz`.",
    "later",
  ),
};

export const meaningOf = (code: ProblemCode): string => ENTRIES[code].meaning;

/** By status. */
export const problemCatalog = (): ProblemEntry[] =>
  PROBLEM_CODES.map((code) => ({ code, status: statusOf(code), title: titleOf(code), ...ENTRIES[code] }));
