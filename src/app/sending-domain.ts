/**
 * Whether an account may send from an address: a verified domain must cover the address's domain. A bound domain
 * suffices for a test message, which never leaves the host.
 */

import type { Registry } from "../spool/port/accounts.ts";
import type { Domain } from "../spool/port/domains.ts";

export type SendingDomain =
  | { type: "found"; domain: Domain }
  | { type: "rejected"; code: "sender_not_allowed" | "domain_not_verified"; detail: string };

/** Who sends: the domain in lower-case A-labels, and whether with a test key. */
export interface Sender {
  accountId: string;
  domain: string;
  isTest: boolean;
}

/**
 * Finds the closest verified domain at or above the sender's, or for a test message the closest bound one if none is verified.
 * Its key signs. Rejects with SpoolUnavailable.
 */
export async function sendingDomain(
  registry: Pick<Registry, "domainNamed">,
  { accountId, domain, isTest }: Sender,
): Promise<SendingDomain> {
  let unverified: Domain | null = null;
  for (const name of selfAndParents(domain)) {
    const bound = await registry.domainNamed(accountId, name);
    if (bound?.verified) return { type: "found", domain: bound };
    unverified ??= bound;
  }
  if (unverified === null) {
    const detail = `No domain bound to this account covers ${domain}. Bind and verify it first.`;
    return { type: "rejected", code: "sender_not_allowed", detail };
  }
  if (isTest) return { type: "found", domain: unverified };
  const failing = Object.entries(unverified.checks).filter(([, check]) => !check.standing);
  const names = failing.map(([name, check]) => `${name} (${check.state})`).join(", ");
  const detail = `The domain ${unverified.name} is not verified. Still missing: ${names}.`;
  return { type: "rejected", code: "domain_not_verified", detail };
}

/** `a.b.example`, `b.example`: the names at which a domain can be bound. A single label cannot. */
function selfAndParents(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join("."));
}
