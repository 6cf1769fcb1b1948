/** How SQLite chooses due domains: from an index alone, and by the row for the chosen few, however many are bound. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { DOMAINS_DUE } from "../../../src/spool/sqlite/domains.ts";
import Sqlite from "../../../src/spool/sqlite/driver.ts";
import { openSqliteSpool } from "../../../src/spool/sqlite/sqlite-spool.ts";
import { tempDir } from "../../support/temp-dir.ts";

it("due domains are ranked without their rows", async (t) => {
  const dataDir = tempDir(t);
  const onFatal = (error: Error): void => assert.fail(error);
  await (await openSqliteSpool({ dataDir, role: "client", onFatal })).close();
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const due = { nowMs: 1, afterAccountId: "", perAccount: 2, limit: 10 };
  const rows = db.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${DOMAINS_DUE}`).all(due);
  const ofDomains = rows.map(({ detail }) => detail).filter((detail) => /\bdomains\b/.test(detail));
  assert.deepEqual(ofDomains, [
    "SCAN domains USING COVERING INDEX domains_due_by_account",
    "SEARCH domains USING PRIMARY KEY (id=?)",
  ]);
});
