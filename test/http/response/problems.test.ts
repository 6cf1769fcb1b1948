/** The problem that each error is reported as. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem, problemFor } from "../../../src/http/response/problems.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { TooManyReports } from "../../../src/spool/port/reports.ts";

const summaryOf = (error: unknown): unknown[] => {
  const { status, code, extras } = problemFor(error, "GET");
  return [status, code, extras.retryAfterS];
};

test("too many waiting lists are a 429 with the seconds until a retry", () => {
  assert.deepEqual(summaryOf(new TooManyReports()), [429, "rate_limit_exceeded", 1]);
});

test("an unavailable spool is a 503 with the seconds until a retry", () => {
  assert.deepEqual(summaryOf(new SpoolUnavailable("disk full")), [503, "engine_unavailable", 5]);
});

test("out of file descriptors or threads is a 503 with the seconds until a retry, whatever needed them", () => {
  for (const code of ["EMFILE", "ENFILE", "ERR_WORKER_INIT_FAILED"]) {
    const error = Object.assign(new Error(`${code}: too many open files, open '/x'`), { code });
    assert.deepEqual(summaryOf(error), [503, "engine_unavailable", 5], code);
    assert.doesNotMatch(problemFor(error, "POST").message, /\/x/);
  }
});

test("an unavailable spool is explained to a send with its Idempotency-Key, and to a read without", () => {
  const detailFor = (method: string): string => problemFor(new SpoolUnavailable("disk full"), method).message;
  assert.match(detailFor("POST"), /cannot store messages right now\. Retry with the same Idempotency-Key\.$/);
  for (const method of ["GET", "HEAD"])
    assert.match(detailFor(method), /cannot read messages right now\. Retry later\.$/);
});

test("a problem is returned unchanged; any other error is a 500 that does not disclose its text", () => {
  const problem = new Problem("not_found", "No such message for this key.");
  assert.equal(problemFor(problem, "GET"), problem);
  assert.deepEqual(summaryOf(new RangeError("a secret")), [500, "internal_error", undefined]);
  assert.doesNotMatch(problemFor(new RangeError("a secret"), "GET").message, /secret/);
});
