/**
 * Every value in the spool that is sealed under the master key, sealed anew in one transaction. That nobody seals or copies
 * one meanwhile, which names they are sealed under, and with which key, is the caller's.
 */
import { openDatabase } from "./database.ts";

export type Sealed =
  /** A DKIM private key, of a domain or of its rotation. */
  { kind: "dkim"; domain: string; selector: string; bytes: Buffer } | { kind: "totp"; userId: string; bytes: Buffer };

interface DkimRow {
  id: string;
  domain: string;
  selector: string;
  bytes: Buffer;
}

/** Seals all anew; how many there were. Throws what `reseal` throws: then nothing has changed. */
export function resealAll(dataDir: string, reseal: (sealed: Sealed) => Buffer): number {
  const db = openDatabase(dataDir, "write");
  try {
    const domains = db.prepare<[], DkimRow>(
      "SELECT id, name AS domain, selector, sealed_private_key AS bytes FROM domains",
    );
    const rotations = db.prepare<[], DkimRow>(
      `SELECT r.domain_id AS id, d.name AS domain, r.selector, r.sealed_private_key AS bytes
         FROM rotations r JOIN domains d ON d.id = r.domain_id`,
    );
    const users = db.prepare<[], { id: string; bytes: Buffer }>(
      "SELECT id, sealed_totp AS bytes FROM users WHERE sealed_totp IS NOT NULL",
    );
    const setDomain = db.prepare("UPDATE domains SET sealed_private_key = ? WHERE id = ?");
    const setRotation = db.prepare("UPDATE rotations SET sealed_private_key = ? WHERE domain_id = ?");
    const setUser = db.prepare("UPDATE users SET sealed_totp = ? WHERE id = ?");
    const run = db.transaction(() => {
      const [ofDomains, ofRotations, ofUsers] = [domains.all(), rotations.all(), users.all()];
      for (const { id, ...row } of ofDomains) setDomain.run(reseal({ kind: "dkim", ...row }), id);
      for (const { id, ...row } of ofRotations) setRotation.run(reseal({ kind: "dkim", ...row }), id);
      for (const { id, bytes } of ofUsers) setUser.run(reseal({ kind: "totp", userId: id, bytes }), id);
      return ofDomains.length + ofRotations.length + ofUsers.length;
    });
    return run.immediate();
  } finally {
    db.close();
  }
}
