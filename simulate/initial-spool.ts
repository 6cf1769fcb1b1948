/**
 * The spool files that the runs start with: one account with a verified domain, an API key, and no, one or two webhook
 * endpoints, created by the real code.
 */

import { initialChecks } from "../src/domains/verification-state.ts";
import { newApiKey } from "../src/security/api-key-format.ts";
import { Vault, webhookSealName } from "../src/security/vault.ts";
import { runMixedBatch } from "../src/spool/engine/sqlite/connection/batch.ts";
import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import type { Request } from "../src/spool/engine/sqlite/connection/writer-operations.ts";
import { openStore } from "../src/spool/engine/sqlite/connection/writer-store.ts";
import type { EventType } from "../src/spool/port/events.ts";
import { newSecret } from "../src/webhooks/signature.ts";
import { withWarmUp } from "./warm-up.ts";

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

interface InitialEndpoint {
  id: string;
  secret: string;
  types: EventType[] | null;
}

export interface InitialSpool {
  /** The database file with the first so many endpoints. */
  files: readonly Buffer[];
  /** The same with a sending address that is warmed up. */
  warmUpFiles: readonly Buffer[];
  apiKey: string;
  endpoints: readonly InitialEndpoint[];
}

/** The URL of an endpoint; its receiver takes the endpoint's id from it. */
export const urlOf = (endpointId: string): string => `https://receiver.example/${endpointId}`;

/** Creates the database files and an API key that may send. */
export async function createInitialSpool(): Promise<InitialSpool> {
  const db = new Sqlite(":memory:");
  // Small pages make copies cheap and let a disk become full within a transaction.
  db.pragma(`page_size = ${PAGE_BYTES}`);
  const store = openStore(db);
  const run = async (...request: Request): Promise<void> => {
    const [reply] = await runMixedBatch(store, [request]);
    if (reply?.ok === false) throw new Error(reply.error);
  };
  const runOperation = (name: string, ...args: unknown[]): Promise<void> => run("operation", { name, args });
  const accountId = ACCOUNT;
  const { key, hash, lastFour } = newApiKey();
  await runOperation("createKey", { accountId, name: "simulated", hash, lastFour, createdAtMs: 0, keysMax: 1 });
  const checks = initialChecks();
  const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 1 };
  await runOperation("addDomain", { accountId, name: SENDER_DOMAIN, token: "t", createdAtMs: 0, checks, ...sealed });
  db.exec("UPDATE domains SET verified = 1");
  const endpoints = ENDPOINTS.map((endpoint) => ({ ...endpoint, secret: newSecret() }));
  const files = [db.serialize()];
  for (const { id, secret, types } of endpoints) {
    const sealedSecret = VAULT.seal(webhookSealName(id), secret);
    const filter = { types, keys: null, domains: null };
    await runOperation("createEndpoint", {
      id,
      accountId,
      url: urlOf(id),
      createdAtMs: 0,
      sealedSecret,
      endpointsMax: 2,
      ...filter,
    });
    files.push(db.serialize());
  }
  db.close();
  return { files, warmUpFiles: await Promise.all(files.map(withWarmUp)), apiKey: key, endpoints };
}
