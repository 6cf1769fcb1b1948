/** A new spool with accounts that may send: each has a bound, published and verified domain and an API key. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bindDomain } from "../../src/app/domains/bind-domain.ts";
import { verifyNow } from "../../src/app/domains/verify-domain.ts";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { recordsToPublish } from "../../src/domains/records.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { openVault } from "../../src/security/vault.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { openStore } from "./open-store.ts";
import { ADDRESSES } from "./side.ts";
import { DNS_SERVER, type Zone } from "./zone.ts";

/** Where a spool and its secrets are. */
export interface Places {
  dataDir: string;
  certsDir: string;
  /** The PostgreSQL database of the spool; null for SQLite. */
  databaseUrl: string | null;
}

export interface Account extends Places {
  key: string;
  keyId: string;
  accountId: string;
  domainId: string;
}

/** Creates the spool in `dir`, and publishes the domain's records in the zone. */
export async function createAccount(dir: string, zone: Zone, databaseUrl: string | null = null): Promise<Account> {
  const [dataDir, certsDir] = [join(dir, "data"), join(dir, "certs")];
  for (const path of [dataDir, certsDir]) mkdirSync(path, { recursive: true, mode: 0o700 });
  return withStore({ dataDir, certsDir, databaseUrl }, async (store) => {
    const account = await store.accountNamed("default");
    if (account === null) throw new Error("the spool has no default account");
    return { accountId: account.id, ...(await enable(store, { certsDir, zone }, account.id, ADDRESSES.senderDomain)) };
  });
}

/** Adds an account with a domain of its own to a spool that no service uses. */
export async function addAccount(places: Places, zone: Zone, domain: string): Promise<Account> {
  const { dataDir, certsDir, databaseUrl } = places;
  return withStore({ dataDir, certsDir, databaseUrl }, async (store) => {
    const account = await store.createAccount("second", Date.now());
    if (account === "exists") throw new Error("the spool already has a second account");
    return { accountId: account.id, ...(await enable(store, { certsDir, zone }, account.id, domain)) };
  });
}

async function withStore(
  places: Places,
  use: (store: Store) => Promise<Omit<Account, keyof Places>>,
): Promise<Account> {
  const store = await openStore(places, "client");
  const made = await use(store);
  await store.close();
  return { ...places, ...made };
}

/** Gives the account a verified domain and a key. */
async function enable(
  store: Store,
  { certsDir, zone }: { certsDir: string; zone: Zone },
  accountId: string,
  domain: string,
) {
  const nowMs = Date.now();
  const bound = await bindDomain(store, openVault(certsDir), { accountId, name: domain, nowMs, domainsMax: 1 });
  if (bound.type !== "bound") throw new Error(`${domain} could not be bound: ${bound.type}`);
  const resolver = createResolver({ servers: [DNS_SERVER] });
  const context = { resolver, hostname: ADDRESSES.hostname, sendingIps: ["127.0.0.1"] };
  for (const { name, type, value } of recordsToPublish(bound.domain, context)) {
    await zone.set({ name, type, values: [value] });
  }
  const { verified } = await verifyNow(store, bound.domain, { context, nowMs });
  if (!verified) throw new Error(`${domain} did not verify`);
  const { key, hash, lastFour } = newApiKey();
  const created = await store.createKey({ accountId, name: "bench", hash, lastFour, createdAtMs: nowMs, keysMax: 1 });
  if (created === "too_many") throw new Error("the account already has a key");
  return { key, keyId: created.id, domainId: bound.domain.id };
}
