/** Moves stored refusals of addresses into the past, to avoid real waits. */
import { join } from "node:path";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";

/** Dates every refusal in the spool of DATA_DIR that many hours earlier. */
export function ageRefusals(dataDir: string, hours: number): void {
  const db = new Sqlite(join(dataDir, "postrider.db"));
  const rows = db.prepare("SELECT address, refusals FROM refused_addresses").all() as Record<string, string>[];
  for (const { address, refusals } of rows) {
    const earlier = (JSON.parse(refusals ?? "") as { at_ms: number }[]).map((refusal) => {
      return { ...refusal, at_ms: refusal.at_ms - hours * 3_600_000 };
    });
    const stored = [earlier.at(-1)?.at_ms, JSON.stringify(earlier), address];
    db.prepare("UPDATE refused_addresses SET newest_at_ms = ?, refusals = ? WHERE address = ?").run(...stored);
  }
  db.close();
}
