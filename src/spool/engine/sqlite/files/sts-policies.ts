/** Rebuilds the table of MTA-STS policies with those that can be read. */
import type { Database } from "better-sqlite3";
import type { StsPolicy } from "../../../port/sts-policies.ts";
import { isDamage } from "./damage.ts";
import type { Rebuilding } from "./rebuilding.ts";

type Row = Omit<StsPolicy, "mx"> & { mx: string };

const COLUMNS = "domain, id, mode, mx, fetched_at_ms AS fetchedAtMs, expires_at_ms AS expiresAtMs";

/** Rebuilds the damaged table with all readable policies: an attacker may be waiting for the loss of one. Returns whether it did. */
export function remakeStsPolicies(db: Database, rebuilding: Rebuilding): boolean {
  // Read outside of the transaction: SQLite commits none that has met damage.
  const kept = readablePolicies(db);
  return rebuilding.table("sts_policies", () => {
    const store = db.prepare<Row>(
      `INSERT INTO sts_policies (domain, id, mode, mx, fetched_at_ms, expires_at_ms)
         VALUES (@domain, @id, @mode, @mx, @fetchedAtMs, @expiresAtMs)`,
    );
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
