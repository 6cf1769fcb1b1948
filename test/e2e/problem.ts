/** The required shape of every API error (RFC 9457 and the table of codes), checked in one place. */
import assert from "node:assert/strict";

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: { field: string; detail: string }[];
  retry_after?: number;
}

const MEMBERS = ["code", "detail", "request_id", "status", "title", "type"];
const NEVER_ECHOED = /svc_live_[A-Za-z0-9_-]{4}/;

/** Returns the body of a response that must be this problem. Checks everything that all problems have in common. */
export async function problemOf(response: Response, status: number, code: string): Promise<ProblemBody> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  assert.doesNotMatch(text, NEVER_ECHOED);
  const body = JSON.parse(text) as ProblemBody;
  assert.equal(body.code, code, text);
  assert.equal(body.status, status);
  checkType(body);
  assert.equal(body.request_id, response.headers.get("x-request-id"));
  for (const member of ["type", "title", "detail", "request_id"] as const) {
    assert.ok(typeof body[member] === "string" && body[member] !== "", `${member} in ${text}`);
  }
  checkRetryAfter(response, body);
  checkErrors(body);
  const { errors: _, retry_after: __, ...members } = body;
  assert.deepEqual(Object.keys(members).sort(), MEMBERS);
  return body;
}

/** The absolute address of the code's entry in the errors page. */
function checkType({ type, code }: ProblemBody): void {
  const { protocol, pathname, hash, search } = new URL(type);
  assert.match(protocol, /^https?:$/);
  assert.deepEqual([pathname, search, hash], ["/errors", "", `#${code}`]);
}

function checkRetryAfter(response: Response, { status, retry_after }: ProblemBody): void {
  const isTemporary = status === 429 || status === 503;
  assert.equal(retry_after !== undefined, isTemporary, "only 429 and 503 have retry_after");
  assert.equal(response.headers.get("retry-after"), isTemporary ? String(retry_after) : null);
  if (isTemporary) assert.ok(Number.isInteger(retry_after) && Number(retry_after) >= 1, `retry_after ${retry_after}`);
}

function checkErrors({ errors }: ProblemBody): void {
  for (const error of errors ?? []) {
    assert.deepEqual(Object.keys(error).sort(), ["detail", "field"]);
    assert.ok(error.field !== "" && error.detail !== "");
  }
}

/** The fields that a problem names, sorted. */
export function fieldsOf({ errors = [] }: ProblemBody): string[] {
  return errors.map(({ field }) => field).sort();
}
