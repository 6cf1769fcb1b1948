/** Errors of requests: those that the service reports, and those of the network. */
import type { Problem } from "./generated/types.js";

export type FieldError = NonNullable<Problem["errors"]>[number];

/** Codes of errors without a problem of the service. */
export type ClientErrorCode = "network_error" | "timeout" | "unexpected_response";

export interface ErrorFields {
  /** The status of the response; 0 without a response. */
  status: number;
  code: Problem["code"] | ClientErrorCode;
  detail: string;
  /** The faults of the request, each with the field. */
  errors?: readonly FieldError[];
  requestId?: string | null;
  /** Seconds until a retry can succeed. */
  retryAfter?: number | null;
}

export class PostriderError extends Error {
  readonly status: number;
  readonly code: ErrorFields["code"];
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly requestId: string | null;
  readonly retryAfter: number | null;

  constructor(fields: ErrorFields, options?: { cause: unknown }) {
    super(`${fields.code}: ${fields.detail}`, options);
    this.name = "PostriderError";
    this.status = fields.status;
    this.code = fields.code;
    this.detail = fields.detail;
    this.errors = fields.errors ?? [];
    this.requestId = fields.requestId ?? null;
    this.retryAfter = fields.retryAfter ?? null;
  }
}

interface ErrorResponse {
  status: number;
  headers: { get(name: string): string | null };
}

/** The error that a response with this text is. */
export function errorOf({ status, headers }: ErrorResponse, text: string, nowMs: number): PostriderError {
  const problem = problemIn(text);
  return new PostriderError({
    status,
    code: problem.code ?? "unexpected_response",
    detail: problem.detail ?? `The server responded with status ${status}.`,
    errors: problem.errors ?? [],
    requestId: problem.request_id ?? headers.get("x-request-id"),
    retryAfter: problem.retry_after ?? secondsIn(headers.get("retry-after"), nowMs),
  });
}

/** The problem in a body; without properties if it has none, such as the page of a proxy. */
function problemIn(text: string): Partial<Problem> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "code" in body ? (body as Partial<Problem>) : {};
  } catch {
    return {};
  }
}

/** Retry-After has seconds or a date. */
function secondsIn(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}
