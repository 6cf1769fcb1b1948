/**
 * Binding a domain to an account, with a new DKIM key whose private half is sealed, and verifying its DNS records. What a valid
 * name and a passing check are is decided in domains/.
 */
import type { CheckContext } from "../domains/check.ts";
import { createDomain, normaliseDomainName } from "../domains/new-domain.ts";
import { verifyDomain } from "../domains/verify.ts";
import { dkimSealName, type Vault } from "../security/vault.ts";
import type { Domain, Registry } from "../spool/port/accounts.ts";

export type BindResult =
  | { type: "bound"; domain: Domain }
  | { type: "exists" }
  | { type: "too_many" }
  | { type: "invalid"; detail: string };

export interface BindRequest {
  accountId: string;
  /** As typed by the user. */
  name: string;
  nowMs: number;
  /** Domains that the account may have. */
  domainsMax: number;
}

/** Binds a domain. Its checks are pending until verifyNow has run. */
export async function bindDomain(registry: Registry, vault: Vault, request: BindRequest): Promise<BindResult> {
  const name = normaliseDomainName(request.name);
  if (name.type === "invalid") return name;
  const { privateKeyPem, ...domain } = await createDomain({ ...request, name: name.name });
  const sealedPrivateKey = vault.seal(dkimSealName(domain.name, domain.selector), privateKeyPem);
  const added = await registry.addDomain({ ...domain, sealedPrivateKey, domainsMax: request.domainsMax });
  return typeof added === "string" ? { type: added } : { type: "bound", domain: added };
}

/** Runs all five checks now and stores their results; returns the domain with them. */
export async function verifyNow(
  registry: Registry,
  domain: Domain,
  { context, nowMs }: { context: CheckContext; nowMs: number },
): Promise<Domain> {
  const { checks, verified, nextCheckAtMs } = await verifyDomain(domain, context, nowMs);
  await registry.saveChecks(domain.id, checks, verified, nextCheckAtMs);
  return { ...domain, checks, verified, nextCheckAtMs };
}
