/**
 * The form of Resend's errors: `{"statusCode","name","message"}`. The names are those of its documentation, by which its clients
 * choose an error class; the message is that of Postrider's API.
 */

import { type Problem, type ProblemCode, type ProblemForm, problemHeaders } from "../../http/response/problems.ts";
import type { FieldError } from "../../message/field-errors.ts";

interface ErrorName {
  name: string;
  /** Where it differs from the problem's. */
  status?: number;
}

const NAMES: Readonly<Record<ProblemCode, ErrorName>> = {
  invalid_json: { name: "validation_error" },
  invalid_request: { name: "validation_error" },
  too_many_recipients: { name: "validation_error", status: 422 },
  invalid_idempotency_key: { name: "invalid_idempotency_key" },
  invalid_api_key: { name: "invalid_api_key", status: 403 },
  permission_denied: { name: "restricted_api_key", status: 401 },
  domain_not_verified: { name: "validation_error" },
  sender_not_allowed: { name: "validation_error" },
  not_found: { name: "not_found" },
  method_not_allowed: { name: "method_not_allowed" },
  request_timeout: { name: "application_error" },
  idempotency_key_reused: { name: "invalid_idempotent_request" },
  already_exists: { name: "validation_error" },
  limit_reached: { name: "validation_error" },
  account_deleted: { name: "validation_error" },
  not_possible: { name: "validation_error" },
  precondition_failed: { name: "validation_error" },
  not_cancellable: { name: "validation_error", status: 422 },
  not_scheduled: { name: "validation_error", status: 422 },
  cursor_expired: { name: "validation_error" },
  body_too_large: { name: "validation_error" },
  unsupported_media_type: { name: "validation_error" },
  expectation_failed: { name: "validation_error" },
  rate_limit_exceeded: { name: "rate_limit_exceeded" },
  quota_exceeded: { name: "daily_quota_exceeded" },
  headers_too_large: { name: "validation_error" },
  internal_error: { name: "internal_server_error" },
  engine_unavailable: { name: "application_error" },
};

/** Of an `invalid_api_key` without a key. */
const MISSING_KEY = "missing_api_key";

/** Of errors in fields. */
const FIELD_NAMES = [
  "invalid_attachment",
  "missing_required_field",
  "invalid_from_address",
  "validation_error",
] as const;

export const resendError: ProblemForm = (problem, { isAnonymous }) => {
  const { name, status = problem.status } = nameOf(problem, isAnonymous);
  const { "WWW-Authenticate": challenge, ...headers } = problemHeaders(problem);
  return {
    status,
    contentType: "application/json; charset=utf-8",
    // RFC 9110 §11.6.1: a challenge belongs to a 401.
    headers: status === 401 && challenge !== undefined ? { ...headers, "WWW-Authenticate": challenge } : headers,
    body: JSON.stringify({ statusCode: status, name, message: problem.message }),
  };
};

/** Every name that occurs. */
export const ERROR_NAMES: readonly string[] = [
  ...new Set([...Object.values(NAMES).map(({ name }) => name), ...FIELD_NAMES, MISSING_KEY]),
].sort();

function nameOf({ code, extras }: Problem, isAnonymous: boolean): ErrorName {
  if (code === "invalid_api_key" && isAnonymous) return { name: MISSING_KEY };
  const { errors = [] } = extras;
  if (code !== "invalid_request" || errors.length === 0) return NAMES[code];
  return { name: nameOfFields(errors), status: 422 };
}

/** Returns the name that holds for all errors of a request's fields. */
function nameOfFields(errors: readonly FieldError[]): (typeof FIELD_NAMES)[number] {
  const fields = errors.map(({ field }) => field.replace(/^\[\d+\]\.?/, ""));
  if (fields.every((field) => field.startsWith("attachments"))) return "invalid_attachment";
  // So message/field-errors.ts words it.
  if (errors.every(({ detail }) => detail.endsWith(" is required."))) return "missing_required_field";
  return fields.every((field) => field === "from") ? "invalid_from_address" : "validation_error";
}
