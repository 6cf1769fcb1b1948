/** Every problem has a name and a status that Resend's clients know. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { resendError } from "../../../src/compat/resend/errors.ts";
import { validateResendRequest } from "../../../src/compat/resend/send-request.ts";
import { PROBLEM_CODES, Problem, unauthorized } from "../../../src/http/response/problems.ts";

/** The names that Resend's clients list. */
const NAMES = new Set([
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
]);

function written(problem: Problem, isAnonymous = false) {
  const { status, contentType, headers, body } = resendError(problem, { id: "req_1", isAnonymous });
  assert.equal(contentType, "application/json; charset=utf-8");
  const error = JSON.parse(body) as { statusCode: number; name: string; message: string };
  assert.deepEqual(Object.keys(error), ["statusCode", "name", "message"]);
  assert.equal(error.statusCode, status);
  return { ...error, headers };
}

test("every problem has a name of the list, its message, and its retry time", () => {
  for (const code of PROBLEM_CODES) {
    const { name, message, headers } = written(new Problem(code, "What to do.", { retryAfterS: 7 }));
    assert.ok(NAMES.has(name), `${code}: ${name}`);
    assert.deepEqual([message, headers["Retry-After"]], ["What to do.", "7"]);
  }
});

test("statuses are those that clients choose an error class by", () => {
  const shown = (code: (typeof PROBLEM_CODES)[number]) => {
    const { statusCode, name } = written(new Problem(code, ""));
    return `${statusCode} ${name}`;
  };
  assert.equal(shown("invalid_json"), "400 validation_error");
  assert.equal(shown("invalid_request"), "400 validation_error");
  assert.equal(shown("too_many_recipients"), "422 validation_error");
  assert.equal(shown("invalid_idempotency_key"), "400 invalid_idempotency_key");
  assert.equal(shown("domain_not_verified"), "403 validation_error");
  assert.equal(shown("idempotency_key_reused"), "409 invalid_idempotent_request");
  assert.equal(shown("rate_limit_exceeded"), "429 rate_limit_exceeded");
  assert.equal(shown("quota_exceeded"), "429 daily_quota_exceeded");
  assert.equal(shown("engine_unavailable"), "503 application_error");
});

test("a missing key and an invalid one have different names, and only a 401 has a challenge", () => {
  const missing = written(unauthorized("Send your API key."), true);
  assert.deepEqual([missing.statusCode, missing.name], [401, "missing_api_key"]);
  assert.equal(missing.headers["WWW-Authenticate"], "Bearer");
  const invalid = written(unauthorized("The API key is invalid."));
  assert.deepEqual([invalid.statusCode, invalid.name, invalid.headers], [403, "invalid_api_key", {}]);
});

test("an invalid request has the name of its fields' errors where they agree", () => {
  const basic = { from: "a@shop.example", to: "b@b.example", subject: "s", text: "t" };
  const nameOf = (body: object, prefix = ""): string => {
    const result = validateResendRequest(body, { recipientsMax: 50 });
    assert.ok(result.type === "invalid");
    const errors = result.errors.map(({ field, detail }) => ({ field: prefix + field, detail }));
    const { statusCode, name } = written(new Problem(result.code, "", { errors }));
    assert.equal(statusCode, 422);
    return name;
  };
  assert.equal(nameOf({}), "missing_required_field");
  assert.equal(nameOf({ ...basic, text: undefined }), "missing_required_field");
  assert.equal(nameOf({ ...basic, to: [] }), "missing_required_field");
  assert.equal(nameOf({ ...basic, from: "nobody" }), "invalid_from_address");
  assert.equal(nameOf({ ...basic, attachments: [{ content: "?" }] }), "invalid_attachment");
  assert.equal(nameOf({ ...basic, attachments: [{ path: "x" }] }, "[3]."), "invalid_attachment");
  assert.equal(nameOf({ ...basic, attachments: [{ filename: "a" }], subject: undefined }), "missing_required_field");
  assert.equal(nameOf({ ...basic, from: "nobody" }, "[12]."), "invalid_from_address");
  assert.equal(nameOf({ ...basic, to: "nobody" }), "validation_error");
  assert.equal(nameOf({ ...basic, scheduled_at: "tomorrow", text: undefined }), "validation_error");
});
