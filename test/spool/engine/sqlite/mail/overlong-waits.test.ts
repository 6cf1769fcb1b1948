/** The query plan of a pass over pending recipients: by the index alone, from where the last step ended, without sorting. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { PENDING_AFTER } from "../../../../../src/spool/engine/sqlite/mail/overlong-waits.ts";
import { openSqliteSpool } from "../../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

it("a step begins where the last one ended", async (t) => {
  const dataDir = tempDir(t);
  const onFatal = (error: Error): void => assert.fail(error);
  await (await openSqliteSpool({ dataDir, role: "client", onFatal })).close();
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const rows = db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${PENDING_AFTER}`)
    .all("", "", 0, 0, 0, 100);
  assert.deepEqual(
    rows.map(({ detail }) => detail),
    ["SEARCH work USING COVERING INDEX work_waiting ((account_id,domain,due_ms,seq,position)>(?,?,?,?,?))"],
  );
});
