/** The state of a webhook endpoint and of its secrets, as the command line and the dashboard show them. */
import { DAY_MS } from "../../lib/units.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";

/** An endpoint is disabled when all attempts have failed for this long. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;

/** `disabled` by Postrider, `paused` by a user; `failing` endpoints are still sent to. */
export type EndpointState = "active" | "failing" | "paused" | "disabled";

/** Until when the former secret is valid too; null if there is none, or its time is over. */
export function formerSecretUntilMs({ secrets }: Pick<Endpoint, "secrets">, nowMs: number): number | null {
  const untilMs = Math.max(0, ...secrets.map((secret) => secret.untilMs ?? 0));
  return untilMs > nowMs ? untilMs : null;
}

export function endpointState({
  disabled,
  pausedAtMs,
  failingSinceMs,
}: Pick<Endpoint, "disabled" | "pausedAtMs" | "failingSinceMs">): EndpointState {
  if (disabled !== null) return "disabled";
  if (pausedAtMs !== null) return "paused";
  return failingSinceMs === null ? "active" : "failing";
}
