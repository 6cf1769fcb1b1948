/**
 * Binding a domain to an account: the key pair is made, the private half sealed, the whole stored. Here because it
 * joins domains/, the vault and the registry; the command line, the demo and the dashboard all bind through it.
 */

import type { CheckContext } from "../domains/check.ts";
import { createDomain, normaliseDomainName } from "../domains/new-domain.ts";
import { verifyDomain } from "../domains/verify.ts";
import { dkimSealName, type Vault } from "../security/vault.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { Domain } from "../spool/port/domains.ts";

export type BindResult =
  | { type: "bound"; domain: Domain }
  | { type: "exists" }
  | { type: "too_many" }
  | { type: "invalid"; detail: string };

export interface BindRequest {
  accountId: string;
  /** As a person typed it. */
  name: string;
  nowMs: number;
  /** Domains that the account may have. */
  domainsMax: number;
}

/** Binds a domain; its checks are pending until it is verified. */
export async function bindDomain(registry: Registry, vault: Vault, request: BindRequest): Promise<BindResult> {
  const name = normaliseDomainName(request.name);
  if (name.type === "invalid") return name;
  const { privateKeyPem, ...domain } = await createDomain({ ...request, name: name.name });
  const sealedPrivateKey = vault.seal(dkimSealName(domain.name, domain.selector), privateKeyPem);
  const added = await registry.addDomain({ ...domain, sealedPrivateKey, domainsMax: request.domainsMax });
  return typeof added === "string" ? { type: added } : { type: "bound", domain: added };
}

/** Looks at all five checks now and stores what was seen. */
export async function verifyNow(
  registry: Registry,
  domain: Domain,
  { context, nowMs }: { context: CheckContext; nowMs: number },
): Promise<Domain> {
  const { checks, verified, nextCheckAtMs } = await verifyDomain(domain, context, nowMs);
  await registry.saveChecks(domain.id, checks, verified, nextCheckAtMs);
  return { ...domain, checks, verified, nextCheckAtMs };
}
