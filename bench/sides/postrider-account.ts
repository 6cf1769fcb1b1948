/** A new spool with one account that may send: a bound, published and verified domain and an API key. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bindDomain } from "../../src/app/bind-domain.ts";
import { verifyNow } from "../../src/app/verify-domain.ts";
import { createResolver } from "../../src/dns/node-resolver.ts";
import { recordsToPublish } from "../../src/domains/records.ts";
import { newApiKey } from "../../src/security/api-key-format.ts";
import { openVault } from "../../src/security/vault.ts";
import { openSqliteSpool } from "../../src/spool/sqlite/sqlite-spool.ts";
import { ADDRESSES } from "./side.ts";
import { DNS_SERVER, type Zone } from "./zone.ts";

export interface Account {
  dataDir: string;
  certsDir: string;
  key: string;
  keyId: string;
  accountId: string;
  domainId: string;
}

/** Creates the spool in `dir`, and publishes the domain's records in the zone. */
export async function createAccount(dir: string, zone: Zone): Promise<Account> {
  const [dataDir, certsDir] = [join(dir, "data"), join(dir, "certs")];
  for (const path of [dataDir, certsDir]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const onFatal = (error: Error): never => {
    throw error;
  };
  const store = await openSqliteSpool({ dataDir, role: "client", onFatal });
  const account = await store.accountNamed("default");
  if (account === null) throw new Error("the spool has no default account");
  const nowMs = Date.now();
  const request = { accountId: account.id, name: ADDRESSES.senderDomain, nowMs, domainsMax: 1 };
  const bound = await bindDomain(store, openVault(certsDir), request);
  if (bound.type !== "bound") throw new Error(`${ADDRESSES.senderDomain} could not be bound: ${bound.type}`);
  const resolver = createResolver({ servers: [DNS_SERVER] });
  const context = { resolver, hostname: ADDRESSES.hostname, sendingIps: ["127.0.0.1"] };
  for (const { name, type, value } of recordsToPublish(bound.domain, context)) {
    await zone.set({ name, type, values: [value] });
  }
  const { verified } = await verifyNow(store, bound.domain, { context, nowMs });
  if (!verified) throw new Error(`${ADDRESSES.senderDomain} did not verify`);
  const { key, hash, lastFour } = newApiKey();
  const made = { accountId: account.id, name: "bench", hash, lastFour, createdAtMs: nowMs, keysMax: 1 };
  const created = await store.createKey(made);
  if (created === "too_many") throw new Error("the account already has a key");
  const keyId = created.id;
  await store.close();
  return { dataDir, certsDir, key, keyId, accountId: account.id, domainId: bound.domain.id };
}
