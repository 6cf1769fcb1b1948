/**
 * Problems of requests that are rejected before Koa sees them, with the header fields of every API response.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { newRequestId } from "../../lib/request-id.ts";
import type { Problem, ProblemForm } from "./problems.ts";

export interface Bare {
  req: IncomingMessage;
  res: ServerResponse;
  problem: Problem;
  form: ProblemForm;
  /** Further header fields. */
  headers?: Record<string, string>;
}

/** Sends the problem. Returns the id of the request and the status. */
export function answerBare({ req, res, problem, form, headers = {} }: Bare): { requestId: string; status: number } {
  const requestId = newRequestId();
  const response = form(problem, { id: requestId, isAnonymous: req.headers.authorization === undefined });
  res.writeHead(response.status, {
    "Content-Type": response.contentType,
    "Content-Length": Buffer.byteLength(response.body),
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...response.headers,
    ...headers,
  });
  res.end(response.body);
  return { requestId, status: response.status };
}
