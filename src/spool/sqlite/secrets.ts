/** Secrets of the whole service, sealed under the master key. The caller holds the transaction of a write. */
import type { Database } from "better-sqlite3";
import type { WriteHandlers } from "./writer-operations.ts";

export function prepareSecretWrites(db: Database): Pick<WriteHandlers, "addSecret"> {
  const add = db.prepare("INSERT OR IGNORE INTO secrets (name, sealed) VALUES (?, ?)");
  const replace = db.prepare("UPDATE secrets SET sealed = ? WHERE name = ? AND sealed = ?");
  return {
    addSecret({ name, sealed, inPlaceOf }) {
      if (inPlaceOf === null) add.run(name, sealed);
      else replace.run(sealed, name, inPlaceOf);
      return { value: undefined };
    },
  };
}

export function prepareSecretReads(db: Database) {
  const secret = db.prepare<[string], Buffer>("SELECT sealed FROM secrets WHERE name = ?").pluck();
  return { readSecret: (name: string) => secret.get(name) ?? null };
}
