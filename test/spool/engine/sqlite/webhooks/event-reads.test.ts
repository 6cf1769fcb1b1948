/** Events that cannot be read are passed over; all others are read. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { openDatabase } from "../../../../../src/spool/engine/sqlite/connection/database.ts";
import { prepareEventReads } from "../../../../../src/spool/engine/sqlite/webhooks/event-reads.ts";
import { damagePage, edit, fillSpool, opened, openSpool, pagesOf } from "../../../../support/damaged-spool.ts";
import { allEvents } from "../../../../support/fake-poster.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

it("passes over a damaged page of events", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const ids = await fillSpool(first, { count: 1000 });
  await first.close();
  const leaves = pagesOf(dataDir).filter(({ name, type }) => name === "events" && type !== "internal");
  assert.ok(leaves.length > 10);
  damagePage(dataDir, leaves[leaves.length >> 1] ?? assert.fail());
  const spool = await opened(t, dataDir);
  const events = await allEvents(spool);
  assert.ok(events.length < ids.length);
  assert.ok(events.length > ids.length * 0.8, `${events.length} of ${ids.length}`);
  const last = new Set(events.map(({ messageId }) => messageId));
  assert.ok(last.has(ids[0] ?? "") && last.has(ids.at(-1) ?? ""));
});

it("ends before damaged last events, without an endless read", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const ids = await fillSpool(first, { count: 300 });
  await first.close();
  for (const page of pagesOf(dataDir).filter(({ name }) => name === "events")) damagePage(dataDir, page);
  const spool = await opened(t, dataDir);
  const events = await allEvents(spool);
  assert.ok(events.length < ids.length);
});

it("leaves out an event whose recipient is missing, and reports it", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  await fillSpool(first, { count: 3 });
  await first.close();
  edit(dataDir, (db) =>
    db.exec(
      "INSERT INTO events (number, seq, account_id, id, at_ms, type, position, result) VALUES (9, 2, 'acc_default', 'evt_a', 0, 'recipient.failed', 7, 'failed')",
    ),
  );
  const db = openDatabase(dataDir, "read");
  t.after(() => db.close());
  const places: string[] = [];
  const reads = prepareEventReads(db, { note: (place) => void places.push(place) });
  const filter = { types: null, keys: null, domains: null };
  const query = { accountId: "acc_default", afterNumber: null, filter, withDomains: true, limit: 10 };
  const page = reads.eventsAfter(query);
  assert.deepEqual(
    page.events.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.equal(page.throughNumber, 9);
  assert.match(places.join(), /^the event evt_/);
});
