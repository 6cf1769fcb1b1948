/**
 * Operator actions on a recipient domain, for all accounts together: pause it, resume it, try it now. The dashboard and the command
 * line offer them.
 */
import { parseMailbox } from "../message/address.ts";
import type { Accounts } from "../spool/port/accounts.ts";
import type { Operations } from "../spool/port/operations.ts";

/** Recipients made due per transaction, and in total per request. */
const RETRY_BATCH = 2000;
const RETRY_MAX = 200_000;

export interface DestinationParts {
  registry: Pick<Accounts, "accounts">;
  spool: Pick<Operations, "pausedDomains" | "retryDomain">;
}

/** The domain in the form in which recipients' domains are stored; null if it cannot be one. */
export function destinationNamed(typed: string): string | null {
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
 * Makes the pending recipients of all accounts at the domain due, in batches so that no transaction delays others. `retried`: how
 * many. Null if it cannot be a domain.
 */
export async function retryDestination(
  { registry, spool }: DestinationParts,
  typed: string,
  nowMs: number,
): Promise<{ domain: string; retried: number; isPaused: boolean } | null> {
  const domain = destinationNamed(typed);
  if (domain === null) return null;
  let retried = 0;
  for (const { id: accountId } of await registry.accounts()) {
    for (let last = RETRY_BATCH; last === RETRY_BATCH && retried < RETRY_MAX; retried += last) {
      last = await spool.retryDomain({ accountId, domain, nowMs, limit: RETRY_BATCH });
    }
  }
  const isPaused = (await spool.pausedDomains()).some((paused) => paused.domain === domain);
  return { domain, retried, isPaused };
}
