/** Makes requests of the request log from their rows. */
import type { ApiRequest, FoundRequests, RecordedRequest, RequestFault } from "../port/request-log.ts";
import { isObject, soundJson } from "./stored-json.ts";

/** The number is the cursor. */
export type RequestRow = ApiRequest & { number: number };

/** `found`: the newest first; one more than `limit` if more follow. */
export function requestPage(found: readonly RequestRow[], limit: number): FoundRequests {
  const page = found.slice(0, limit);
  const cursor = found.length > limit ? (page.at(-1)?.number ?? null) : null;
  return { requests: page.map(({ number: _, ...request }) => request), cursor };
}

/** A fault that cannot be decoded reads as absent. */
export function recordedRequest({
  number: _,
  fault,
  ...request
}: RequestRow & { fault: string | null }): RecordedRequest {
  const decoded = fault === null ? null : soundJson(fault, isFault);
  return decoded === null ? request : { ...request, fault: decoded };
}

const isFault = (value: unknown): value is RequestFault =>
  isObject(value) &&
  typeof value.detail === "string" &&
  Array.isArray(value.errors) &&
  typeof value.others === "number";
