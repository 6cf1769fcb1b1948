/**
 * The API requests of the last days, bounded in number and without bodies, so that a rejected request can be found by its
 * X-Request-Id. Times are milliseconds since the epoch.
 */

export interface ApiRequest {
  /** The X-Request-Id. */
  id: string;
  atMs: number;
  /** Null without a valid key. */
  accountId: string | null;
  keyId: string | null;
  method: string;
  /** Shortened, without secrets. */
  path: string;
  status: number;
  /** The problem's code; null for a success. */
  code: string | null;
  durationMs: number;
  messageId: string | null;
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

export interface RequestLog {
  /** Adds requests, and deletes those that are too old or too many. */
  recordRequests(requests: readonly ApiRequest[], nowMs: number): Promise<void>;
  /** The newest first. `cursor` is null at the end. */
  requests(filter: RequestFilter): Promise<{ requests: ApiRequest[]; cursor: number | null }>;
}
