/**
 * Problem documents for requests that are rejected before Koa sees them, with the header fields of every API response.
 */
import type { ServerResponse } from "node:http";
import { newRequestId } from "../../lib/request-id.ts";
import { type Problem, problemDocument } from "./problems.ts";

/** Sends the problem. Returns the id of the request. */
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
