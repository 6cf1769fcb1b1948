/**
 * Operator actions on a recipient domain, for all accounts together: pause it, resume it, try it now. The dashboard and the command
 * line offer them. Asking for a probe belongs to every attempt that a person wants now, also of one message.
 */
import { newId } from "../../lib/new-id.ts";
import { parseMailbox } from "../../message/address.ts";
import { isTestRoute } from "../../message/test-route.ts";
import type { Accounts } from "../../spool/port/accounts.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { NodeTraffic } from "../../spool/port/node-traffic.ts";
import type { Operations } from "../../spool/port/operations.ts";
import { addProbeRequests, type ProbeRequest } from "../../spool/port/probe-requests.ts";
import type { Reports } from "../../spool/port/reports.ts";
import { closedAmong } from "../reports/queue-report.ts";

/** Recipients made due per transaction, and in total per request. */
const RETRY_BATCH = 2000;
const RETRY_MAX = 200_000;

/** Recipient domains among which one is looked for that waits. */
const DOMAINS_MAX = 1000;

export interface ProbeParts {
  spool: Pick<Operations, "pausedDomains"> & Pick<KeyValueStore, "readValue" | "writeValue">;
  /** As TrafficBoard.all, or storedTraffic. */
  traffic: () => Promise<NodeTraffic[]>;
}

export interface DestinationParts extends ProbeParts {
  registry: Pick<Accounts, "accounts">;
  spool: ProbeParts["spool"] & Pick<Operations, "retryDomain">;
  reports: Pick<Reports, "waiting">;
}

/** What keeps the next attempt at a recipient domain from being made at once. */
export type DomainHold = "paused" | "closed";

/** The domain in the form in which recipients' domains are stored; null if it cannot be one. */
function destinationNamed(typed: string): string | null {
  const mailbox = parseMailbox(`postmaster@${typed.slice(0, 1000)}`);
  return mailbox.type === "invalid" || mailbox.name !== null ? null : mailbox.domain;
}

/** Returns the domain, which is paused; null if it cannot be one. */
export async function pauseDestination(
  spool: Pick<Operations, "pauseDomain">,
  typed: string,
  nowMs: number,
): Promise<string | null> {
  const domain = destinationNamed(typed);
  if (domain !== null) await spool.pauseDomain(domain, nowMs);
  return domain;
}

/** Null if it cannot be a domain. */
export async function resumeDestination(
  spool: Pick<Operations, "resumeDomain">,
  typed: string,
): Promise<{ domain: string; wasPaused: boolean } | null> {
  const domain = destinationNamed(typed);
  return domain === null ? null : { domain, wasPaused: await spool.resumeDomain(domain) };
}

/**
 * Makes the pending recipients of all accounts at the domain due, in batches so that no transaction delays others, and asks for a
 * probe if the domain's destination is closed. `retried`: how many are due now that were not. Null if it cannot be a domain.
 */
export async function retryDestination(
  parts: DestinationParts,
  typed: string,
  nowMs: number,
): Promise<{ domain: string; retried: number; hold: DomainHold | null; waits: boolean } | null> {
  const { registry, spool, reports } = parts;
  const domain = destinationNamed(typed);
  if (domain === null) return null;
  // Before the recipients are due: delivery looks for requests when it finds them.
  const hold =
    (await askProbes(parts, { accountId: null, domains: [domain], messageId: null, nowMs })).get(domain) ?? null;
  let retried = 0;
  for (const { id: accountId } of await registry.accounts()) {
    for (let last = RETRY_BATCH; last === RETRY_BATCH && retried < RETRY_MAX; retried += last) {
      last = await spool.retryDomain({ accountId, domain, nowMs, limit: RETRY_BATCH });
    }
  }
  if (retried > 0) return { domain, retried, hold, waits: true };
  const { domains } = await reports.waiting({ accountId: null, nowMs, limit: DOMAINS_MAX });
  const waits = domains.some((each) => each.domain === domain && each.waiting > 0);
  return { domain, retried, hold, waits };
}

/**
 * Asks for a probe of each closed destination of these recipient domains before its time, with this message of the account unless that is
 * null.
 * To be called before recipients are made due: those at a destination that has been closed for long are deferred at once otherwise.
 * Delivery makes one attempt at a closed destination, and ignores the request for the others. Returns what keeps the domains' other
 * messages waiting.
 */
export async function askProbes(
  { spool, traffic }: ProbeParts,
  {
    accountId,
    domains,
    messageId,
    nowMs,
  }: Pick<ProbeRequest, "accountId" | "messageId"> & {
    domains: readonly string[];
    nowMs: number;
  },
): Promise<Map<string, DomainHold>> {
  const paused = new Set((await spool.pausedDomains()).map((each) => each.domain));
  const asked = [...new Set(domains)].filter((domain) => !paused.has(domain) && !isTestRoute(domain));
  // Also if none is known to be closed: other nodes report that some seconds late.
  const requests = asked.map((domain) => ({ id: newId("probe"), accountId, domain, messageId, atMs: nowMs }));
  if (requests.length > 0) await addProbeRequests(spool, requests, nowMs);
  const closed = closedAmong(await traffic(), asked, { isOperator: true });
  const holds = new Map<string, DomainHold>();
  for (const domain of domains) {
    if (isTestRoute(domain)) continue;
    if (paused.has(domain)) holds.set(domain, "paused");
    else if (closed.has(domain)) holds.set(domain, "closed");
  }
  return holds;
}
