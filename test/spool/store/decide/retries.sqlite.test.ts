/** The query plan for failed recipients: a step costs the same however many there are. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import Sqlite from "../../../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool } from "../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { findFailed } from "../../../../src/spool/store/decide/retries.ts";
import { tempDir } from "../../../support/temp-dir.ts";

it("a step reads the index of failed recipients in order, from where the last one ended, and no rows", async (t) => {
  const dataDir = tempDir(t);
  const onFatal = (error: Error): void => assert.fail(error);
  await (await openSqliteSpool({ dataDir, role: "client", onFatal })).close();
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const text = findFailed.text.replace(/\$\d+/g, "?");
  const plan = db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
    .all("acc_default", 5, 5, 0, 9, 10);
  const details = plan.map(({ detail }) => detail).join("; ");
  assert.match(details, /COVERING INDEX events_failed \(account_id=\? AND \(?seq/, details);
  assert.doesNotMatch(details, /\bSCAN\b|TEMP B-TREE/, details);
});
