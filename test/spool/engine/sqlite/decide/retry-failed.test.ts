/** The query plan for failed recipients: a step costs the same however many there are. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { FAILED } from "../../../../../src/spool/engine/sqlite/decide/retry-failed.ts";
import { openSqliteSpool } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

it("a step reads the index of failed recipients in order, from where the last one ended", async (t) => {
  const dataDir = tempDir(t);
  const onFatal = (error: Error): void => assert.fail(error);
  await (await openSqliteSpool({ dataDir, role: "client", onFatal })).close();
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const range = { accountId: "acc_default", seq: 5, position: 0, lastSeq: 9, limit: 10 };
  const plan = db.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${FAILED}`).all(range);
  const details = plan.map(({ detail }) => detail).join("; ");
  assert.match(details, /events_failed \(account_id=\? AND \(?seq/, details);
  assert.doesNotMatch(details, /\bSCAN\b|TEMP B-TREE/, details);
});
