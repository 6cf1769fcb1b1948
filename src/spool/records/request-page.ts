/** Makes a page of the request log from its rows. */
import type { ApiRequest, FoundRequests } from "../port/request-log.ts";

/** The number is the cursor. */
export type RequestRow = ApiRequest & { number: number };

/** `found`: the newest first; one more than `limit` if more follow. */
export function requestPage(found: readonly RequestRow[], limit: number): FoundRequests {
  const page = found.slice(0, limit);
  const cursor = found.length > limit ? (page.at(-1)?.number ?? null) : null;
  return { requests: page.map(({ number: _, ...request }) => request), cursor };
}
