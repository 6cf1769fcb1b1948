/**
 * The spool's file as every run finds it: one account with a verified domain and an API key, made once by the real code.
 */

import { initialChecks } from "../src/domains/verification-state.ts";
import { newApiKey } from "../src/security/api-key.ts";
import { runBatch } from "../src/spool/sqlite/batch.ts";
import Sqlite from "../src/spool/sqlite/driver.ts";
import { openStore } from "../src/spool/sqlite/store.ts";
import type { Request } from "../src/spool/sqlite/writer-operations.ts";

const PAGE_BYTES = 512;

export interface FirstFile {
  file: Buffer;
  apiKey: string;
}

/** A database file and the key that may send by it. */
export function makeFirstFile(): FirstFile {
  const db = new Sqlite(":memory:");
  // Small pages make copies cheap, and let a full disk strike in the midst of a transaction.
  db.pragma(`page_size = ${PAGE_BYTES}`);
  const store = openStore(db);
  const ask = (...request: Request): void => {
    const [reply] = runBatch(store, [request]);
    if (reply?.ok === false) throw new Error(reply.error);
  };
  const accountId = "acc_default";
  const { key, hash, lastFour } = newApiKey();
  ask("createKey", { accountId, name: "simulated", hash, lastFour, createdAtMs: 0, keysMax: 1 });
  const checks = initialChecks();
  const sealed = { selector: "s", publicKey: "", sealedPrivateKey: Buffer.alloc(1), domainsMax: 1 };
  ask("addDomain", { accountId, name: "sender.example", token: "t", createdAtMs: 0, checks, ...sealed });
  db.exec("UPDATE domains SET verified = 1");
  const file = db.serialize();
  db.close();
  return { file, apiKey: key };
}
