/** How SQLite finds the events of an order key, and which of them are passed over. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import Sqlite from "../../../../../src/spool/engine/sqlite/connection/driver.ts";
import { DamageLog } from "../../../../../src/spool/engine/sqlite/files/damage.ts";
import {
  EVENTS_OF_DOMAINS,
  EVENTS_OF_MESSAGE,
  OrderedEvents,
} from "../../../../../src/spool/engine/sqlite/webhooks/ordered-events.ts";
import { edit, openSpool } from "../../../../support/damaged-spool.ts";
import { tempDir } from "../../../../support/temp-dir.ts";
import { ACCOUNT, ALL, messageEvents } from "../../../port/conformance/webhook-suite.ts";

it("reads the events of a message, or of an account's domains, from an index", async (t) => {
  const dataDir = tempDir(t);
  await (await openSpool(dataDir)).close();
  const db = new Sqlite(join(dataDir, "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const plan = (sql: string): string[] =>
    db
      .prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all({ accountId: "a", orderKey: 1, from: 1, to: 2 })
      .map(({ detail }) => detail)
      .filter((detail) => /SEARCH e|SCAN|B-TREE/.test(detail));
  assert.deepEqual(plan(EVENTS_OF_MESSAGE), [
    "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH events USING COVERING INDEX events_message (seq=?)",
  ]);
  assert.deepEqual(plan(EVENTS_OF_DOMAINS), [
    "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH events USING INDEX events_of_domains (account_id=? AND rowid>? AND rowid<?)",
  ]);
});

it("passes over an event that cannot be decoded, and reports it", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSpool(dataDir);
  const [accepted, damaged, last] = await messageEvents(spool, ["delivered", "delivered"]);
  await spool.close();
  assert.ok(accepted && damaged && last);
  edit(dataDir, (db) => db.prepare("UPDATE events SET position = 9 WHERE number = ?").run(damaged.number));
  const db = openDatabase(dataDir, "read");
  t.after(() => db.close());
  const log = new DamageLog();
  const events = new OrderedEvents(db, log);
  const range = { accountId: ACCOUNT, orderKey: last.orderKey, from: damaged.number, to: last.number };
  assert.deepEqual(events.first(range, ALL), last);
  assert.equal(events.rowsRead, 2);
  assert.deepEqual(
    log.take().map(({ place }) => place),
    [`the event ${damaged.id}`],
  );
  assert.equal(events.first({ ...range, to: damaged.number }, ALL), null);
});
