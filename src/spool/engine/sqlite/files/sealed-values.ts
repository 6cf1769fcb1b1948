/** Reads the values that the spool holds sealed under the master key, beside any process that has it open. */
import type { SealedValue } from "../../../port/maintenance.ts";
import { openDatabase } from "../connection/database.ts";

/** The values in use: at most `limit` of each kind, the newest first. */
export function sealedValues(dataDir: string, limit: number): SealedValue[] {
  const db = openDatabase(dataDir, "read");
  try {
    const keys = db.prepare<[number], { domain: string; selector: string; bytes: Buffer }>(
      `SELECT name AS domain, selector, sealed_private_key AS bytes FROM domains WHERE removed_at_ms IS NULL
         ORDER BY created_at_ms DESC LIMIT ?`,
    );
    const seconds = db.prepare<[number], { userId: string; bytes: Buffer }>(
      `SELECT id AS userId, sealed_totp AS bytes FROM users WHERE sealed_totp IS NOT NULL
         ORDER BY created_at_ms DESC LIMIT ?`,
    );
    const webhooks = db.prepare<[number], { endpointId: string; bytes: Buffer }>(
      "SELECT id AS endpointId, sealed_secret AS bytes FROM endpoints ORDER BY created_at_ms DESC LIMIT ?",
    );
    return [
      ...keys.all(limit).map((row) => ({ kind: "dkim" as const, isFormer: false, ...row })),
      ...seconds.all(limit).map((row) => ({ kind: "totp" as const, ...row })),
      ...webhooks.all(limit).map((row) => ({ kind: "webhook" as const, isFormer: false, ...row })),
    ];
  } finally {
    db.close();
  }
}
