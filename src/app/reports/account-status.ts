/** Whether the mail of one account is healthy, for users who are no operators: what concerns the account, in sentences. */
import { type Finding, reasonsNotToDeliver } from "../../doctor/checks.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { Endpoint } from "../../spool/port/webhooks.ts";
import { endpointState } from "../webhooks/webhook-state.ts";
import { isLongWait, LONG_WAIT_TEXT } from "./service-status.ts";

export interface AccountSources {
  /** Whether the service accepts messages now. */
  isAccepting: boolean;
  /** The whole spool was restored from a backup, and nobody has resumed delivery. */
  isDeliveryPaused: boolean;
  /** The doctor's findings; null before its first examination. */
  findings: Finding[] | null;
  /** When the recipient that has waited for longest was accepted; null if none waits. */
  oldestAtMs: number | null;
  domains: readonly Pick<Domain, "name" | "verified">[];
  endpoints: readonly Endpoint[];
  nowMs: number;
}

/** Why the account's mail is not healthy; empty if it is. */
export function accountReasons(sources: AccountSources): string[] {
  const { isAccepting, isDeliveryPaused, findings, oldestAtMs, domains, endpoints, nowMs } = sources;
  const unverified = domains.filter(({ verified }) => !verified).map(({ name }) => name);
  const failing = endpoints.filter((endpoint) => ["failing", "disabled"].includes(endpointState(endpoint))).length;
  return [
    ...(isAccepting ? [] : ["This server accepts no messages now: its operator has to fix that."]),
    ...(isDeliveryPaused ? ["Delivery is paused after a restore, until the operator resumes it."] : []),
    ...(findings !== null && reasonsNotToDeliver(findings).length > 0
      ? ["This server cannot deliver now: messages wait until its operator has fixed that."]
      : []),
    ...(isLongWait(oldestAtMs, nowMs) ? [LONG_WAIT_TEXT] : []),
    ...(unverified.length === 0 ? [] : [`Domains are not verified, so they cannot send: ${named(unverified)}.`]),
    ...(failing === 0 ? [] : [failing === 1 ? "A webhook endpoint fails." : `${failing} webhook endpoints fail.`]),
  ];
}

/** Domains that a sentence names before it counts the others. */
const NAMED_MAX = 3;

function named(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return `${names.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
