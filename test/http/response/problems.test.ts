/** Which errors are answered with which problem. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem, problemFor } from "../../../src/http/response/problems.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { TooManyReports } from "../../../src/spool/port/reports.ts";

const told = (error: unknown): unknown[] => {
  const { status, code, extras } = problemFor(error);
  return [status, code, extras.retryAfterS];
};

test("too many waiting lists are answered with 429 and when to come again", () => {
  assert.deepEqual(told(new TooManyReports()), [429, "rate_limit_exceeded", 1]);
});

test("a spool that is not available is answered with 503 and when to come again", () => {
  assert.deepEqual(told(new SpoolUnavailable("disk full")), [503, "engine_unavailable", 5]);
});

test("a problem stays what it is; any other error is a 500 that does not repeat it", () => {
  const problem = new Problem("not_found", "No such message for this key.");
  assert.equal(problemFor(problem), problem);
  assert.deepEqual(told(new RangeError("a secret")), [500, "internal_error", undefined]);
  assert.doesNotMatch(problemFor(new RangeError("a secret")).message, /secret/);
});
