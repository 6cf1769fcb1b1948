/**
 * The spool file that every run starts with: one account with a verified domain and an API key, created by the real
 * code.
 */

import { initialChecks } from "../src/domains/verification-state.ts";
import { newApiKey } from "../src/security/api-key-format.ts";
import { runBatch } from "../src/spool/sqlite/batch.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import { openStore } from "../src/spool/sqlite/store.ts";
import type { Request } from "../src/spool/sqlite/writer-operations.ts";

const PAGE_BYTES = 512;

export interface InitialSpool {
  file: Buffer;
  apiKey: string;
}

/** Creates a database file and an API key that may send. */
export function createInitialSpool(): InitialSpool {
  const db = new Sqlite(":memory:");
  // Small pages make copies cheap and let a disk become full within a transaction.
  db.pragma(`page_size = ${PAGE_BYTES}`);
  const store = openStore(db);
  const run = (...request: Request): void => {
    const [reply] = runBatch(store, [request]);
    if (reply?.ok === false) throw new Error(reply.error);
  };
  const accountId = "acc_default";
  const { key, hash, lastFour } = newApiKey();
  run("createKey", { accountId, name: "simulated", hash, lastFour, createdAtMs: 0, keysMax: 1 });
  const checks = initialChecks();
  const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 1 };
  run("addDomain", { accountId, name: "sender.example", token: "t", createdAtMs: 0, checks, ...sealed });
  db.exec("UPDATE domains SET verified = 1");
  const file = db.serialize();
  db.close();
  return { file, apiKey: key };
}
