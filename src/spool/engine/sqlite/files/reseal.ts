/**
 * Reseals every value that the spool holds sealed under the master key, in one transaction. The caller decides the names and
 * the key, and holds the lock that keeps other processes from sealing or copying values meanwhile.
 */
import type { Database, Statement } from "better-sqlite3";
import type { Resealed, SealedValue } from "../../../port/maintenance.ts";
import { openDatabase } from "../connection/database.ts";

interface DkimRow {
  id: string;
  domain: string;
  selector: string;
  removedAtMs: number | null;
  bytes: Buffer;
}

interface EndpointRow {
  id: string;
  present: Buffer;
  former: Buffer | null;
}

/** Replaces all values by those that `reseal` returns. Throws what `reseal` throws; then nothing has changed. */
export function resealAll(dataDir: string, reseal: (all: SealedValue[]) => Resealed): void {
  const db = openDatabase(dataDir, "write");
  try {
    const values = prepareSealedValues(db);
    const run = db.transaction(() => {
      const stored = values();
      const resealed = reseal(stored.map(({ sealed }) => sealed));
      for (const [i, { set }] of stored.entries()) {
        const bytes = resealed.values[i] ?? null;
        if (bytes !== null) set(bytes);
      }
    });
    run.immediate();
  } finally {
    db.close();
  }
}

interface StoredValue {
  sealed: SealedValue;
  set: (bytes: Buffer) => void;
}

function prepareSealedValues(db: Database): () => StoredValue[] {
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
  const endpoints = db.prepare<[], EndpointRow>(
    "SELECT id, sealed_secret AS present, former_sealed_secret AS former FROM endpoints",
  );
  const secrets = db.prepare<[], { name: string; bytes: Buffer }>("SELECT name, sealed AS bytes FROM secrets");
  const setDomain = db.prepare("UPDATE domains SET sealed_private_key = ? WHERE id = ?");
  const setRotation = db.prepare("UPDATE rotations SET sealed_private_key = ? WHERE domain_id = ?");
  const setUser = db.prepare("UPDATE users SET sealed_totp = ? WHERE id = ?");
  const setEndpoint = db.prepare("UPDATE endpoints SET sealed_secret = ? WHERE id = ?");
  const setFormer = db.prepare("UPDATE endpoints SET former_sealed_secret = ? WHERE id = ?");
  const setSecret = db.prepare("UPDATE secrets SET sealed = ? WHERE name = ?");
  const setBy = (statement: Statement, id: string) => (bytes: Buffer) => void statement.run(bytes, id);
  return () => [
    ...domains.all().map((row) => ({ sealed: sealedKey(row), set: setBy(setDomain, row.id) })),
    ...rotations.all().map((row) => ({ sealed: sealedKey(row), set: setBy(setRotation, row.id) })),
    ...users.all().map(({ id, bytes }) => ({ sealed: sealedTotp(id, bytes), set: setBy(setUser, id) })),
    ...endpoints
      .all()
      .flatMap(({ id, present, former }) => [
        { sealed: sealedEndpoint(id, present, false), set: setBy(setEndpoint, id) },
        ...(former === null ? [] : [{ sealed: sealedEndpoint(id, former, true), set: setBy(setFormer, id) }]),
      ]),
    ...secrets
      .all()
      .map(({ name, bytes }) => ({ sealed: { kind: "secret" as const, name, bytes }, set: setBy(setSecret, name) })),
  ];
}

function sealedKey({ domain, selector, removedAtMs, bytes }: DkimRow): SealedValue {
  return { kind: "dkim", domain, selector, isFormer: removedAtMs !== null, bytes };
}

const sealedTotp = (userId: string, bytes: Buffer): SealedValue => ({ kind: "totp", userId, bytes });

function sealedEndpoint(endpointId: string, bytes: Buffer, isFormer: boolean): SealedValue {
  return { kind: "webhook", endpointId, isFormer, bytes };
}
