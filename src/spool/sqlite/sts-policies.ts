/**
 * The cache of MTA-STS policies (RFC 8461 §5.1), one row for each recipient domain. The reader decides whether a policy still
 * holds; expired ones are removed when another is stored.
 */
import type { Database } from "better-sqlite3";
import type { StsPolicy } from "../port/sts-policies.ts";
import { isTexts, soundJson } from "../records/stored-json.ts";
import { type DamageReports, isDamage, RowDamaged, unlessDamaged } from "./damage.ts";
import type { Rebuilding } from "./rebuilding.ts";
import type { WriteHandlers } from "./writer-operations.ts";

type Row = Omit<StsPolicy, "mx"> & { mx: string };

const COLUMNS = "domain, id, mode, mx, fetched_at_ms AS fetchedAtMs, expires_at_ms AS expiresAtMs";

const STORE = `
  INSERT OR REPLACE INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms)
    VALUES (@domain, @id, @mode, @mx, @fetchedAtMs, @expiresAtMs)`;

export function prepareStsWrites(db: Database): Pick<WriteHandlers, "storeStsPolicy"> {
  const sweep = db.prepare("DELETE FROM sts_policies WHERE expires_at_ms < ?");
  const store = db.prepare<Row>(STORE);
  return {
    storeStsPolicy(policy) {
      sweep.run(policy.fetchedAtMs);
      store.run({ ...policy, mx: JSON.stringify(policy.mx) });
      return { value: undefined };
    },
  };
}

/** Rebuilds the damaged table with all readable policies: an attacker may be waiting for the loss of one. Returns whether it did. */
export function remakeStsPolicies(db: Database, rebuilding: Rebuilding): boolean {
  // Read outside of the transaction: SQLite commits none that has met damage.
  const kept = readablePolicies(db);
  return rebuilding.table("sts_policies", () => {
    const store = db.prepare<Row>(STORE);
    for (const row of kept) store.run(row);
  });
}

/** Reads from both ends of the table up to the damage. */
function readablePolicies(db: Database): Row[] {
  const rows = new Map<string, Row>();
  for (const order of ["ASC", "DESC"]) {
    const all = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM sts_policies ORDER BY domain ${order}`);
    try {
      for (const row of all.iterate()) {
        if (isSound(row)) rows.set(row.domain, row);
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return [...rows.values()];
}

/** Whether the row satisfies the table's constraints. */
function isSound({ domain, id, mode, mx, fetchedAtMs, expiresAtMs }: Row): boolean {
  const texts = [domain, id, mx].every((text) => typeof text === "string");
  return texts && ["enforce", "testing", "none"].includes(mode) && [fetchedAtMs, expiresAtMs].every(Number.isInteger);
}

/** A damaged policy reads as absent, and is fetched again. */
export function prepareStsReads(db: Database, log: DamageReports) {
  const policy = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM sts_policies WHERE domain = ?`);
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
