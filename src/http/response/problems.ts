/**
 * The only mapping of errors to HTTP: RFC 9457 problem details, with `code` as the name that clients act on. No text repeats a
 * key, a password or a body.
 */
import type { Context } from "koa";
import type { Rejection } from "../../app/accept-message.ts";
import type { FieldError } from "../../message/field-errors.ts";
import { MessageDamaged, SpoolUnavailable } from "../../spool/port/errors.ts";
import { TooManyReports } from "../../spool/port/reports.ts";

const STATUS = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_idempotency_key: 400,
  too_many_recipients: 400,
  invalid_api_key: 401,
  domain_not_verified: 403,
  sender_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_key_reused: 409,
  cursor_expired: 410,
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
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

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

  /** The reason phrase of the status (RFC 9110 §15). */
  get title(): string {
    return TITLES[this.status] ?? "Error";
  }
}

/** Sent as Retry-After when the spool or the whole service is unavailable. */
const UNAVAILABLE_RETRY_S = 5;

export function engineUnavailable(detail: string): Problem {
  return new Problem("engine_unavailable", detail, { retryAfterS: UNAVAILABLE_RETRY_S });
}

/** Returns the problem of a rejected request. The codes of rejections are codes of problems. */
export function rejectionProblem({ code, detail, retryAfterS }: Rejection): Problem {
  if (code === "engine_unavailable") return engineUnavailable(detail);
  return new Problem(code, detail, retryAfterS === undefined ? {} : { retryAfterS });
}

/** Returns the problem of an error. Unexpected errors become a 500 without their text. */
export function problemFor(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof SpoolUnavailable) {
    return engineUnavailable("The mail engine cannot store messages right now. Retry with the same Idempotency-Key.");
  }
  if (error instanceof MessageDamaged) {
    return new Problem("internal_error", "The stored message is damaged and cannot be read.");
  }
  if (error instanceof TooManyReports) {
    return new Problem("rate_limit_exceeded", "Too many lists of this account are waiting.", {
      retryAfterS: 1,
    });
  }
  return new Problem("internal_error", "Internal error. The request may be retried.");
}

/** Returns the problem document (RFC 9457) of one request. */
export function problemDocument(problem: Problem, requestId: string) {
  const { errors, retryAfterS } = problem.extras;
  return {
    type: "about:blank",
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterS === undefined ? {} : { retry_after: retryAfterS }),
  };
}

/** Responds with a problem document (application/problem+json). */
export function answerProblem(ctx: Context, problem: Problem): void {
  const { retryAfterS, headers } = problem.extras;
  ctx.status = problem.status;
  for (const [name, value] of Object.entries(headers ?? {})) ctx.set(name, value);
  if (retryAfterS !== undefined) ctx.set("Retry-After", String(retryAfterS));
  ctx.body = JSON.stringify(problemDocument(problem, ctx.state.requestId));
  ctx.type = "application/problem+json";
}
