/**
 * Responses to changes by the management interface, kept for their idempotency key: a request that is sent again gets the same response,
 * and changes nothing more. Times are milliseconds since the epoch.
 */
import { DAY_MS, MINUTE_MS } from "../../lib/units.ts";

/** How long a response is kept. */
export const ANSWERS_KEPT_MS = DAY_MS;
/** Responses that are kept of an account. */
export const ANSWERS_MAX = 10_000;
/** Responses that one step of their removal removes. */
export const ANSWERS_STEP = 500;
/** After this time, a request without a response has ended without one: its process has died. */
export const ANSWER_WITHIN_MS = 5 * MINUTE_MS;

export interface NamedRequest {
  accountId: string;
  /** What names the request: of the idempotency key. */
  key: string;
}

export interface BegunRequest extends NamedRequest {
  /** SHA-256 of what the request asks for, as text. */
  requestHash: string;
  nowMs: number;
}

export interface RequestAnswer {
  /** The HTTP status. */
  status: number;
  /** The response's body, sealed under the master key. */
  sealed: Buffer;
}

export type RequestBeginning =
  /** The caller does what the request asks for, and stores the response or forgets the request. */
  | { type: "begun" }
  | ({ type: "answered" } & RequestAnswer)
  /** The same request is still in progress. */
  | { type: "in_progress" }
  /** The key was used with another request. */
  | { type: "reused" }
  /** The account has ANSWERS_MAX responses. */
  | { type: "too_many" };

export interface RequestAnswers {
  beginRequest(request: BegunRequest): Promise<RequestBeginning>;
  answerRequest(request: NamedRequest, answer: RequestAnswer): Promise<void>;
  /** The request has changed nothing: it may be sent again. */
  forgetRequest(request: NamedRequest): Promise<void>;
  /** Removes the responses of requests from before this moment, at most ANSWERS_STEP. Returns how many. */
  removeAnswers(beforeMs: number): Promise<number>;
}
