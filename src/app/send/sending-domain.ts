/**
 * Whether an account may send from an address: a verified domain must cover the address's domain. A bound domain
 * suffices for a test message, which never leaves the host. With a key that is restricted to domains, it must be one of them.
 */

import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";

export type SendingDomain =
  | { type: "found"; domain: Domain }
  | { type: "rejected"; code: "sender_not_allowed" | "domain_not_verified"; detail: string };

/** Who sends: the domain in lower-case A-labels, and whether with a test key. */
export interface Sender {
  accountId: string;
  domain: string;
  isTest: boolean;
  /** The names of the bound domains that the key is restricted to; null for all. */
  allowed: readonly string[] | null;
}

/** Domains that a detail lists. */
const NAMED_MAX = 5;

/**
 * Finds the closest verified domain at or above the sender's, or for a test message the closest bound one if none is verified.
 * Its key signs. Rejects with SpoolUnavailable.
 */
export async function sendingDomain(
  registry: Pick<Registry, "domainNamed">,
  { accountId, domain, isTest, allowed }: Sender,
): Promise<SendingDomain> {
  const isAllowed = (bound: Domain | null): boolean => allowed === null || allowed.includes(bound?.name ?? "");
  let unverified: Domain | null = null;
  for (const name of selfAndParents(domain)) {
    const bound = await registry.domainNamed(accountId, name);
    if (bound?.verified) return isAllowed(bound) ? { type: "found", domain: bound } : outside(domain, allowed ?? []);
    unverified ??= bound;
  }
  if (!isAllowed(unverified)) return outside(domain, allowed ?? []);
  if (unverified === null) {
    const detail = `No domain of this account covers ${domain}. ${isTest ? "Add it first." : "Add and verify it first."}`;
    return { type: "rejected", code: "sender_not_allowed", detail };
  }
  if (isTest) return { type: "found", domain: unverified };
  const failing = Object.entries(unverified.checks).filter(([, check]) => !check.standing);
  const names = failing.map(([name, check]) => `${name} (${check.state})`).join(", ");
  const detail = `The domain ${unverified.name} is not verified. Still missing: ${names}.`;
  return { type: "rejected", code: "domain_not_verified", detail };
}

function outside(domain: string, allowed: readonly string[]): SendingDomain {
  const named = allowed.slice(0, NAMED_MAX).join(", ");
  const more = allowed.length > NAMED_MAX ? ` and ${allowed.length - NAMED_MAX} more` : "";
  const detail = `This API key may send only from the domains ${named}${more}, not from ${domain}.`;
  return { type: "rejected", code: "sender_not_allowed", detail };
}

/** `a.b.example`, `b.example`: the names at which a domain can be bound. A single label cannot. */
function selfAndParents(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join("."));
}
