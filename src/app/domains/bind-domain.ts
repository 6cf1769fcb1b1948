/** Binding a domain to an account, with a new DKIM key whose private half is sealed. domains/ decides which names are valid. */
import { normalizeDomainName } from "../../domains/domain-name.ts";
import { createDomain } from "../../domains/new-domain.ts";
import { dkimSealName, type Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";

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

/** Binds a domain. Its checks are pending until verifyNow (verify-domain.ts) has run. */
export async function bindDomain(registry: Registry, vault: Vault, request: BindRequest): Promise<BindResult> {
  const name = normalizeDomainName(request.name);
  if (name.type === "invalid") return name;
  const { privateKeyPem, ...domain } = await createDomain({ ...request, name: name.name });
  const sealedPrivateKey = vault.seal(dkimSealName(domain.name, domain.selector), privateKeyPem);
  const added = await registry.addDomain({ ...domain, sealedPrivateKey, domainsMax: request.domainsMax });
  return typeof added === "string" ? { type: added } : { type: "bound", domain: added };
}
