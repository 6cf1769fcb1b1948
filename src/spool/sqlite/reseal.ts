/**
 * Every value in the spool that is sealed under the master key, sealed anew in one transaction. That nobody seals or copies
 * one meanwhile, which names they are sealed under, and with which key, is the caller's.
 */
import type { SealedValue } from "../port/maintenance.ts";
import { openDatabase } from "./database.ts";

interface DkimRow {
  id: string;
  domain: string;
  selector: string;
  removedAtMs: number | null;
  bytes: Buffer;
}

/**
 * Stores what `reseal` returns for all values, in their order; null leaves a value as it is. Throws what it throws: then
 * nothing has changed.
 */
export function resealAll(dataDir: string, reseal: (all: SealedValue[]) => (Buffer | null)[]): void {
  const db = openDatabase(dataDir, "write");
  try {
    const domains = db.prepare<[], DkimRow>(
      "SELECT id, name AS domain, selector, removed_at_ms AS removedAtMs, sealed_private_key AS bytes FROM domains",
    );
    const rotations = db.prepare<[], DkimRow>(
      `SELECT d.id, d.name AS domain, r.selector, d.removed_at_ms AS removedAtMs, r.sealed_private_key AS bytes
         FROM rotations r JOIN domains d ON d.id = r.domain_id`,
    );
    const users = db.prepare<[], { id: string; bytes: Buffer }>(
      "SELECT id, sealed_totp AS bytes FROM users WHERE sealed_totp IS NOT NULL",
    );
    const setDomain = db.prepare("UPDATE domains SET sealed_private_key = ? WHERE id = ?");
    const setRotation = db.prepare("UPDATE rotations SET sealed_private_key = ? WHERE domain_id = ?");
    const setUser = db.prepare("UPDATE users SET sealed_totp = ? WHERE id = ?");
    const run = db.transaction(() => {
      const stored = [
        ...domains.all().map((row) => ({ id: row.id, set: setDomain, sealed: sealedKey(row) })),
        ...rotations.all().map((row) => ({ id: row.id, set: setRotation, sealed: sealedKey(row) })),
        ...users.all().map(({ id, bytes }) => ({ id, set: setUser, sealed: sealedTotp(id, bytes) })),
      ];
      const resealed = reseal(stored.map(({ sealed }) => sealed));
      for (const [i, { id, set }] of stored.entries()) {
        const bytes = resealed[i] ?? null;
        if (bytes !== null) set.run(bytes, id);
      }
    });
    run.immediate();
  } finally {
    db.close();
  }
}

function sealedKey({ domain, selector, removedAtMs, bytes }: DkimRow): SealedValue {
  return { kind: "dkim", domain, selector, isFormer: removedAtMs !== null, bytes };
}

const sealedTotp = (userId: string, bytes: Buffer): SealedValue => ({ kind: "totp", userId, bytes });
