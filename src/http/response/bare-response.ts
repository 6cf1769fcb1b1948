/**
 * Problem documents for requests that are answered before Koa sees them: with the headers that every answer of the API has.
 */
import type { ServerResponse } from "node:http";
import { newRequestId } from "../../lib/request-id.ts";
import { type Problem, problemDocument } from "./problems.ts";

/** Answers with the problem; returns the request's id. */
export function answerBare(res: ServerResponse, problem: Problem, headers: Record<string, string> = {}): string {
  const requestId = newRequestId();
  const body = JSON.stringify(problemDocument(problem, requestId));
  const { retryAfterS } = problem.extras;
  res.writeHead(problem.status, {
    "Content-Type": "application/problem+json",
    "Content-Length": Buffer.byteLength(body),
    ...(retryAfterS === undefined ? {} : { "Retry-After": String(retryAfterS) }),
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...problem.extras.headers,
    ...headers,
  });
  res.end(body);
  return requestId;
}
