/** How SQLite chooses due domains: from an index alone, and by the row for the chosen few, however many are bound. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import Sqlite from "../../../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool } from "../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { DOMAINS_DUE } from "../../../../src/spool/store/domains/domain-checks.ts";
import { tempDir } from "../../../support/temp-dir.ts";

it("due domains are ranked without their rows", async (t) => {
  const dataDir = tempDir(t);
  const onFatal = (error: Error): void => assert.fail(error);
  await (await openSqliteSpool({ dataDir, role: "client", onFatal })).close();
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const due = { 1: 1, 2: "", 3: 2, 4: 10 };
  const rows = db.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${DOMAINS_DUE.text}`).all(due);
  const ofDomains = rows.map(({ detail }) => detail).filter((detail) => /\bdomains\b/.test(detail));
  assert.deepEqual(ofDomains, [
    "SEARCH domains USING COVERING INDEX domains_due (next_check_at_ms<?)",
    "SEARCH domains USING PRIMARY KEY (id=?)",
  ]);
});
