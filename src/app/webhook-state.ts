/** The state of a webhook endpoint in one word, as the command line and the dashboard show it. */
import type { Endpoint } from "../spool/port/webhooks.ts";

/** An endpoint is disabled when all attempts have failed for this long. */
export const DISABLE_AFTER_MS = 5 * 86_400_000;

/** `disabled` by Postrider, `paused` by a user; `failing` endpoints are still sent to. */
export type EndpointState = "active" | "failing" | "paused" | "disabled";

export function endpointState({
  disabled,
  pausedAtMs,
  failingSinceMs,
}: Pick<Endpoint, "disabled" | "pausedAtMs" | "failingSinceMs">): EndpointState {
  if (disabled !== null) return "disabled";
  if (pausedAtMs !== null) return "paused";
  return failingSinceMs === null ? "active" : "failing";
}
