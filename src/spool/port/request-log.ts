/**
 * The API requests of the last days, bounded in number and without bodies, so that a rejected request can be found by its
 * X-Request-Id. Times are milliseconds since the epoch.
 */
import { DAY_MS } from "../../lib/units.ts";
import type { FieldError } from "../../message/field-errors.ts";

/** Older requests are deleted. */
export const REQUESTS_KEPT_MS = 7 * DAY_MS;
/** The most successful requests of an account, and the most failed ones. Beyond that, the oldest are deleted. */
export const REQUESTS_KEPT_MAX = 10_000;

export interface ApiRequest {
  /** The X-Request-Id. */
  id: string;
  /** When it was answered. */
  atMs: number;
  /** Null without a valid key. Such requests count together as those of one account. */
  accountId: string | null;
  keyId: string | null;
  /** Empty if the request could not be parsed. */
  method: string;
  /** Shortened, without query and secrets. Empty if the request could not be parsed. */
  path: string;
  /** From 400 on, the request failed. */
  status: number;
  /** The problem's code; null for a success. */
  code: string | null;
  /** Whole milliseconds. */
  durationMs: number;
  messageId: string | null;
}

/** Why a request failed, as its response said it: shortened, and without secrets. */
export interface RequestFault {
  detail: string;
  /** The first fields at fault. */
  errors: FieldError[];
  /** How many fields at fault are left out. */
  others: number;
}

export interface RecordedRequest extends ApiRequest {
  /** Absent for a success. */
  fault?: RequestFault;
}

export interface RequestFilter {
  /** Null for the requests without a valid key. */
  accountId: string | null;
  id?: string;
  keyId?: string;
  /** Leaves out requests with a status below 400. */
  failedOnly?: boolean;
  /** `cursor` of the previous page. */
  cursor?: number;
  limit: number;
}

export interface FoundRequests {
  requests: ApiRequest[];
  /** Null at the end. */
  cursor: number | null;
}

export interface RequestLog {
  /**
   * Adds requests, in the order in which they were answered, and deletes those that are too old or too many. May leave out
   * some or all of them if the log is damaged.
   */
  recordRequests(requests: readonly RecordedRequest[], nowMs: number): Promise<void>;
  /** The newest first. Rejects with TooManyReports if the account has too many reports waiting (reports.ts). */
  requests(filter: RequestFilter): Promise<FoundRequests>;
  /** One request with its fault; null if the account has none of this id. `accountId` and rejections are as for `requests`. */
  recordedRequest(accountId: string | null, id: string): Promise<RecordedRequest | null>;
}
