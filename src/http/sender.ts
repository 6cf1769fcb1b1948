/**
 * Whether an account may send from an address: some bound domain at or above the address's domain is verified.
 */

import type { Registry } from "../spool/port/accounts.ts";
import type { Domain } from "../spool/port/domains.ts";
import { Problem } from "./response/problems.ts";

/** The verified domain that covers `domain` (lower-case A-labels), the closest one first: its key signs. Throws the 403 problem. */
export async function coveringDomain(registry: Registry, accountId: string, domain: string): Promise<Domain> {
  let unverified: Domain | null = null;
  for (const name of selfAndParents(domain)) {
    const bound = await registry.domainNamed(accountId, name);
    if (bound?.verified) return bound;
    unverified ??= bound;
  }
  if (unverified === null) {
    throw new Problem(
      "sender_not_allowed",
      `No domain bound to this account covers ${domain}. Bind and verify it first.`,
    );
  }
  const failing = Object.entries(unverified.checks).filter(([, check]) => !check.standing);
  const names = failing.map(([name, check]) => `${name} (${check.state})`).join(", ");
  throw new Problem("domain_not_verified", `The domain ${unverified.name} is not verified. Still missing: ${names}.`);
}

/** `a.b.example`, `b.example`: every name a domain could be bound at; a single label cannot be. */
function selfAndParents(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join("."));
}
