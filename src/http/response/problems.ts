/**
 * The only mapping of errors to HTTP: RFC 9457 problem details, with `code` as the name that clients act on. No text repeats a
 * key, a password or a body.
 */
import type { Context } from "koa";
import type { Rejection } from "../../app/send/accept-message.ts";
import { withDocumentAddresses } from "../../lib/document-address.ts";
import { isResourceShortage } from "../../lib/resource-shortage.ts";
import { TooManyWaiting } from "../../lib/serial-queues.ts";
import type { FieldError } from "../../message/field-errors.ts";
import { MessageDamaged, SpoolUnavailable } from "../../spool/port/errors.ts";
import { TooManyReports } from "../../spool/port/reports.ts";

const STATUS = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_idempotency_key: 400,
  too_many_recipients: 400,
  invalid_api_key: 401,
  permission_denied: 403,
  domain_not_verified: 403,
  sender_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_key_reused: 409,
  already_exists: 409,
  limit_reached: 409,
  account_deleted: 409,
  not_possible: 409,
  not_cancellable: 409,
  not_scheduled: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  rate_limit_exceeded: 429,
  quota_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  engine_unavailable: 503,
} as const;

export type ProblemCode = keyof typeof STATUS;

export const PROBLEM_CODES = Object.keys(STATUS) as ProblemCode[];

export const statusOf = (code: ProblemCode): number => STATUS[code];

/** Returns the codes of a status. */
export function codesOf(status: number): ProblemCode[] {
  return PROBLEM_CODES.filter((code) => STATUS[code] === status);
}

const TITLES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Returns the reason phrase of a code's status (RFC 9110 §15). */
export const titleOf = (code: ProblemCode): string => TITLES[STATUS[code]] ?? "Error";

/** The path of the page that describes every code, each under its name as the fragment. */
export const ERRORS_PATH = "/errors";

export interface ProblemExtras {
  errors?: FieldError[];
  /** Whole seconds, at least 1. */
  retryAfterS?: number;
  headers?: Record<string, string>;
}

/** Thrown anywhere in the API to respond with this problem. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return STATUS[this.code];
  }

  get title(): string {
    return titleOf(this.code);
  }
}

/** Sent as Retry-After when the spool or the whole service is unavailable. */
const UNAVAILABLE_RETRY_S = 5;

const CANNOT_STORE = "The mail engine cannot store messages right now. Retry with the same Idempotency-Key.";
const CANNOT_READ = "The mail engine cannot read messages right now. Retry later.";

const OUT_OF_RESOURCES =
  "The server is out of file descriptors or memory right now. Retry; a send with the same Idempotency-Key.";

export function engineUnavailable(detail: string): Problem {
  return new Problem("engine_unavailable", detail, { retryAfterS: UNAVAILABLE_RETRY_S });
}

/** The 401 problem, with the challenge that it must have (RFC 9110 §11.6.1). */
export const unauthorized = (detail: string): Problem =>
  new Problem("invalid_api_key", detail, { headers: { "WWW-Authenticate": "Bearer" } });

/** RFC 6750 §3.1. */
const INSUFFICIENT_SCOPE = { "WWW-Authenticate": 'Bearer error="insufficient_scope"' };

/** Returns the problem of a rejected request. The codes of rejections are codes of problems. */
export function rejectionProblem({ code, detail, retryAfterS }: Rejection): Problem {
  if (code === "engine_unavailable") return engineUnavailable(detail);
  if (code === "invalid_api_key") return unauthorized(detail);
  if (code === "permission_denied") return new Problem(code, detail, { headers: INSUFFICIENT_SCOPE });
  return new Problem(code, detail, retryAfterS === undefined ? {} : { retryAfterS });
}

/** Returns the problem of an error in a request of this method. Unexpected errors become a 500 without their text. */
export function problemFor(error: unknown, method: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SpoolUnavailable) {
    return engineUnavailable(method === "POST" ? CANNOT_STORE : CANNOT_READ);
  }
  if (isResourceShortage(error)) return engineUnavailable(OUT_OF_RESOURCES);
  if (error instanceof MessageDamaged) {
    return new Problem("internal_error", "The stored message is damaged and cannot be read.");
  }
  if (error instanceof TooManyWaiting) return new Problem("rate_limit_exceeded", error.message, { retryAfterS: 1 });
  if (error instanceof TooManyReports) {
    return new Problem("rate_limit_exceeded", "Too many lists of this account are waiting.", {
      retryAfterS: 1,
    });
  }
  return new Problem("internal_error", "Internal error. The request may be retried.");
}

/** Returns the problem document (RFC 9457) of one request. `publicUrl`: of this service; empty where it is not known. */
export function problemDocument(problem: Problem, requestId: string, publicUrl: string) {
  const { errors, retryAfterS } = problem.extras;
  return {
    type: `${publicUrl}${ERRORS_PATH}#${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: withDocumentAddresses(problem.message, publicUrl),
    code: problem.code,
    request_id: requestId,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterS === undefined ? {} : { retry_after: retryAfterS }),
  };
}

/** A problem as an API writes it. */
interface ProblemResponse {
  status: number;
  contentType: string;
  /** Except Content-Type. */
  headers: Record<string, string>;
  /** JSON. */
  body: string;
}

interface ProblemRequest {
  /** The value of X-Request-Id. */
  id: string;
  /** Whether the request has no Authorization header field. */
  isAnonymous: boolean;
}

/** How an API writes its errors. */
export type ProblemForm = (problem: Problem, request: ProblemRequest) => ProblemResponse;

/** Returns the form of Postrider's API: a problem document (application/problem+json). `publicUrl`: as for problemDocument. */
export const problemDetails =
  (publicUrl: () => string): ProblemForm =>
  (problem, { id }) => ({
    status: problem.status,
    contentType: "application/problem+json",
    headers: problemHeaders(problem),
    body: JSON.stringify(problemDocument(problem, id, publicUrl())),
  });

/** Returns the header fields that a problem has in any form. */
export function problemHeaders({ extras }: Problem): Record<string, string> {
  const { headers, retryAfterS } = extras;
  return { ...headers, ...(retryAfterS === undefined ? {} : { "Retry-After": String(retryAfterS) }) };
}

/** Responds with a problem. */
export function answerProblem(ctx: Context, problem: Problem, form: ProblemForm): void {
  const request = { id: ctx.state.requestId, isAnonymous: ctx.get("Authorization") === "" };
  const { status, contentType, headers, body } = form(problem, request);
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
  ctx.set("Content-Type", contentType);
}
