/**
 * The cache of MTA-STS policies (RFC 8461 §5.1): one row a recipient domain. Whether a policy still holds is the
 * reader's to judge; what has expired is only swept out when another is stored.
 */
import type { Database } from "better-sqlite3";
import type { StsPolicy } from "../spool.ts";
import { type DamageReports, isTexts, RowDamaged, soundJson, unlessDamaged } from "./damage.ts";
import type { Written } from "./writer.ts";

type Row = Omit<StsPolicy, "mx"> & { mx: string };

export function prepareStsWrites(db: Database) {
  const sweep = db.prepare("DELETE FROM sts_policies WHERE expires_at_ms < ?");
  const store = db.prepare(
    `INSERT OR REPLACE INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return {
    storeStsPolicy(p: StsPolicy): Written<void> {
      sweep.run(p.fetchedAtMs);
      store.run(p.domain, p.id, p.mode, JSON.stringify(p.mx), p.fetchedAtMs, p.expiresAtMs);
      return { value: undefined };
    },
  };
}

/** A policy that is damaged is absent: it is fetched again. */
export function prepareStsReads(db: Database, log: DamageReports) {
  const policy = db.prepare<[string], Row>(
    `SELECT domain, id, mode, mx, fetched_at_ms AS fetchedAtMs, expires_at_ms AS expiresAtMs
       FROM sts_policies WHERE domain = ?`,
  );
  return {
    stsPolicy(domain: string): StsPolicy | null {
      const place = `the MTA-STS policy of ${domain}`;
      const row = unlessDamaged(() => policy.get(domain), undefined, { log, place });
      if (row === undefined) return null;
      const mx = soundJson(row.mx, isTexts);
      if (mx !== null) return { ...row, mx };
      log.note(place, new RowDamaged("its hosts cannot be decoded"));
      return null;
    },
  };
}
