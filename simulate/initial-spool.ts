/**
 * The spool files that the runs start with: one account with a verified domain, an API key, and no, one or two webhook
 * endpoints, created by the real code.
 */

import { initialChecks } from "../src/domains/verification-state.ts";
import { newApiKey } from "../src/security/api-key-format.ts";
import { Vault, webhookSealName } from "../src/security/vault.ts";
import type { EventType } from "../src/spool/port/events.ts";
import { runBatch } from "../src/spool/sqlite/batch.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import { openStore } from "../src/spool/sqlite/store.ts";
import type { Request } from "../src/spool/sqlite/writer-operations.ts";
import { newSecret } from "../src/webhooks/signature.ts";

export const ACCOUNT = "acc_default";
/** Of the simulated installation. */
export const VAULT = new Vault(Buffer.alloc(32));
/** Makes the tags of envelope senders. */
export const FEEDBACK_KEY = Buffer.alloc(32, 1);
export const SENDER_DOMAIN = "sender.example";
const PAGE_BYTES = 512;
/** Fixed, because endpoints are read in the order of their ids. */
const ENDPOINTS: readonly Pick<InitialEndpoint, "id" | "types">[] = [
  { id: "end_all", types: null },
  { id: "end_selected", types: ["recipient.delivered", "recipient.failed", "recipient.unknown"] },
];

export interface InitialEndpoint {
  id: string;
  secret: string;
  types: EventType[] | null;
}

export interface InitialSpool {
  /** The database file with the first so many endpoints. */
  files: readonly Buffer[];
  apiKey: string;
  endpoints: readonly InitialEndpoint[];
}

/** The URL of an endpoint; its receiver takes the endpoint's id from it. */
export const urlOf = (endpointId: string): string => `https://receiver.example/${endpointId}`;

/** Creates the database files and an API key that may send. */
export function createInitialSpool(): InitialSpool {
  const db = new Sqlite(":memory:");
  // Small pages make copies cheap and let a disk become full within a transaction.
  db.pragma(`page_size = ${PAGE_BYTES}`);
  const store = openStore(db);
  const run = (...request: Request): void => {
    const [reply] = runBatch(store, [request]);
    if (reply?.ok === false) throw new Error(reply.error);
  };
  const accountId = ACCOUNT;
  const { key, hash, lastFour } = newApiKey();
  run("createKey", { accountId, name: "simulated", hash, lastFour, createdAtMs: 0, keysMax: 1 });
  const checks = initialChecks();
  const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 1 };
  run("addDomain", { accountId, name: SENDER_DOMAIN, token: "t", createdAtMs: 0, checks, ...sealed });
  db.exec("UPDATE domains SET verified = 1");
  const endpoints = ENDPOINTS.map((endpoint) => ({ ...endpoint, secret: newSecret() }));
  const files = [db.serialize()];
  for (const { id, secret, types } of endpoints) {
    const sealedSecret = VAULT.seal(webhookSealName(id), secret);
    const filter = { types, keys: null, domains: null };
    run("createEndpoint", { id, accountId, url: urlOf(id), createdAtMs: 0, sealedSecret, endpointsMax: 2, ...filter });
    files.push(db.serialize());
  }
  db.close();
  return { files, apiKey: key, endpoints };
}
