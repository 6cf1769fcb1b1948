/** The accounts that send in the torture test. */
import { bindDomain } from "../src/app/domains/bind-domain.ts";
import { newApiKey } from "../src/security/api-key-format.ts";
import type { Vault } from "../src/security/vault.ts";
import type { Registry } from "../src/spool/port/accounts.ts";

/** The domain of the first account. */
export const SENDER = "sender.example";

/** Shorter than the longest wait, so that a clock that is set back does not shorten it: the checks would fail. */
const NEXT_CHECK_MS = 43_200_000;

/** An account with a key and a verified domain. */
export interface Sender {
  key: string;
  domain: string;
}

/** Creates an API key and a verified domain for an account; the first one is the default account. */
export async function createSender(registry: Registry, vault: Vault, number: number): Promise<Sender> {
  const nowMs = Date.now();
  const created = number === 0 ? { id: "acc_default" } : await registry.createAccount(`account-${number}`, nowMs);
  if (created === "exists") throw new Error(`account-${number} already exists`);
  const name = number === 0 ? SENDER : `sender${number}.example`;
  const bound = await bindDomain(registry, vault, { accountId: created.id, name, nowMs, domainsMax: 1 });
  if (bound.type !== "bound") throw new Error(`binding ${name}: ${bound.type}`);
  const { id, checks } = bound.domain;
  await registry.saveChecks(id, checks, true, nowMs + NEXT_CHECK_MS);
  const { key, hash, lastFour } = newApiKey();
  await registry.createKey({ accountId: created.id, name: "torture", hash, lastFour, createdAtMs: nowMs, keysMax: 1 });
  return { key, domain: name };
}
