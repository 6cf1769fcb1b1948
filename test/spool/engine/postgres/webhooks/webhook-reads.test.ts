/** What the sender reads where partitions are many, or were dropped. What one partition shows is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { withIndexPlans } from "../../../../../src/spool/engine/postgres/connection/index-plans.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { writeEvents } from "../../../../../src/spool/engine/postgres/mail/event-writer.ts";
import { dayOfNumber, firstNumberAt } from "../../../../../src/spool/engine/postgres/mail/message-number.ts";
import { PARTITIONED_TABLES, partitionName } from "../../../../../src/spool/engine/postgres/partitions/partitions.ts";
import { eventReads } from "../../../../../src/spool/engine/postgres/webhooks/event-reads.ts";
import type { OutboxEvent } from "../../../../../src/spool/port/events.ts";
import type { Webhooks } from "../../../../../src/spool/port/webhooks.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { webhooksOf } from "../../../../support/postgres/store-ports.ts";
import { StoredMail } from "../../../../support/postgres/stored-mail.ts";
import { at } from "../../../port/conformance/suite.ts";
import { ACCOUNT, ALL, allEvents, deferred, newEndpoint } from "../../../port/conformance/webhook-suite.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 20_000 * DAY_MS;
const NOTHING = { results: [], blocked: [], gone: [], isRecovered: false, disable: null };

/** A node, and an endpoint at which the first event of a message of each of five days waits. */
async function waiting(t: TestContext): Promise<{ node: Database; webhooks: Webhooks; events: OutboxEvent[] }> {
  const { url } = await freshDatabase(t);
  const node = new Database(withIndexPlans({ connectionString: url }), { connectionsMax: 1 });
  t.after(() => node.close());
  const webhooks = webhooksOf(node);
  const endpoint = await webhooks.createEndpoint(newEndpoint());
  assert.ok(endpoint !== "too_many");
  const mail = new StoredMail(node);
  for (let day = 0; day < 5; day += 1) {
    await mail.add({ createdAtMs: NOW_MS + day * DAY_MS, recipients: [{ state: "delivered" }] });
  }
  // From now on the planner knows how small the tables are.
  await node.run({ name: "", text: "VACUUM ANALYZE" });
  const events = (await allEvents(eventReads(node))).filter(({ type }) => type === "message.accepted");
  const position = at(events, 4).number + 1;
  const settled = { endpointId: endpoint.id, version: 1, atMs: NOW_MS, position, ...NOTHING };
  await webhooks.settleWebhooks({ ...settled, results: events.map((event) => deferred(event, NOW_MS)) });
  return { node, webhooks, events };
}

const flushStatistics = statement("SELECT pg_stat_force_next_flush()");
const scansOfTables = statement<{ name: string; sequential: number; byIndex: number }>(
  `SELECT relname AS name, seq_scan AS sequential, idx_scan AS "byIndex" FROM pg_stat_user_tables
     WHERE relname ~ '^(events|messages|recipients)_'`,
);

/** How often `run` has scanned each partition, by its name. */
async function scansOf(
  node: Database,
  run: () => Promise<unknown>,
): Promise<Map<string, { sequential: number; byIndex: number }>> {
  const read = async () => {
    await node.run(flushStatistics);
    return new Map((await node.run(scansOfTables)).rows.map(({ name, ...scans }) => [name, scans]));
  };
  const before = await read();
  await run();
  const after = await read();
  for (const [name, scans] of after) {
    scans.sequential -= before.get(name)?.sequential ?? 0;
    scans.byIndex -= before.get(name)?.byIndex ?? 0;
  }
  return after;
}

describe("webhooks and partitions", { skip: missingPostgresOrTime() }, () => {
  it("order keys whose partition was dropped are gone, and the others are sent", async (t) => {
    const { node, webhooks, events } = await waiting(t);
    const [first, ...others] = events;
    assert.ok(first);
    const day = dayOfNumber(first.orderKey);
    for (const table of PARTITIONED_TABLES)
      await node.run({ name: "", text: `DROP TABLE ${partitionName(table, day)}` });
    const due = await webhooks.dueRetries("end_a", NOW_MS, 10);
    assert.deepEqual([due.retries.map(({ event }) => event), due.gone, due.count], [others, [first.orderKey], 5]);
    assert.equal(await webhooks.event(ACCOUNT, first.number), null);
    const settled = { endpointId: "end_a", version: 1, atMs: NOW_MS, position: 0, ...NOTHING };
    await webhooks.settleWebhooks({ ...settled, gone: due.gone });
    assert.equal((await webhooks.waitingAt("end_a")).retries, 4);
  });

  it("an event that cannot be shown does not stop those that wait behind it", async (t) => {
    const { node, webhooks } = await waiting(t);
    const recipients = [{ state: "delivered" as const }, { state: "delivered" as const }];
    const { id, seq } = await new StoredMail(node).add({ createdAtMs: NOW_MS + 9, recipients });
    const [, damaged, last] = (await allEvents(eventReads(node))).filter(({ messageId }) => messageId === id);
    assert.ok(damaged && last);
    const settled = { endpointId: "end_a", version: 1, atMs: NOW_MS, position: 0, ...NOTHING };
    const blocked = [{ orderKey: seq, number: last.number }];
    await webhooks.settleWebhooks({ ...settled, results: [deferred(damaged, 1)], blocked });
    await node.run(statement("DELETE FROM recipients WHERE seq = $1 AND position = 0"), [seq]);
    const { retries, gone } = await webhooks.dueRetries("end_a", 1, 10);
    assert.deepEqual([retries.map(({ event }) => event), gone], [[last], []]);
  });

  it("a retry reads its message's partitions alone, and a page no table as a whole", async (t) => {
    const { node, webhooks, events } = await waiting(t);
    const settled = { endpointId: "end_a", version: 1, atMs: NOW_MS, position: 0, ...NOTHING };
    await webhooks.settleWebhooks({ ...settled, results: events.slice(1).map((event) => deferred(event, NOW_MS + 1)) });
    const day = dayOfNumber(at(events).orderKey);
    const ofRetry = await scansOf(node, async () => {
      assert.equal((await webhooks.dueRetries("end_a", NOW_MS, 10)).retries.length, 1);
    });
    assert.ok((ofRetry.get(partitionName("events", day))?.byIndex ?? 0) > 0);
    for (const [name, scans] of ofRetry) {
      const isOfDay = name.endsWith(`_${day}`);
      assert.ok(isOfDay || scans.byIndex === 0, name);
      assert.equal(scans.sequential, 0, name);
    }
    const ofPage = await scansOf(node, async () => {
      const query = { accountId: ACCOUNT, afterNumber: null, filter: ALL, withDomains: true, limit: 100 };
      const page = await eventReads(node).events(query);
      assert.ok(page !== "expired" && page.events.length === 10);
    });
    for (const [name, { sequential }] of ofPage) assert.equal(sequential, 0, name);
  });

  it("reads waiting events of domains in their order, whatever their days", async (t) => {
    const { node, webhooks } = await waiting(t);
    const names = ["c.example", "b.example", "a.example"];
    for (const [i, domain] of names.entries()) {
      const seq = firstNumberAt(NOW_MS + (4 - i) * DAY_MS);
      const event = { seq, accountId: ACCOUNT, atMs: NOW_MS, type: "domain.verified" as const, domain };
      await node.transaction((session) => writeEvents(session, [{ ...event, recipient: null, history: null }]));
    }
    const ofDomains = (await allEvents(eventReads(node))).filter(({ messageId }) => messageId === null);
    const [first, ...later] = ofDomains;
    assert.ok(first);
    const blocked = later.map(({ orderKey, number }) => ({ orderKey, number }));
    const settled = { endpointId: "end_a", version: 1, atMs: NOW_MS, position: 0, ...NOTHING };
    await webhooks.settleWebhooks({ ...settled, results: [deferred(first, 1)], blocked });
    const found: string[] = [];
    for (const event of ofDomains) {
      const [retry] = (await webhooks.dueRetries("end_a", 1, 1)).retries;
      assert.equal(retry?.event.id, event.id);
      found.push(event.domain);
      const outcome = { type: "sent" as const };
      const { attempt } = deferred(event);
      await webhooks.settleWebhooks({ ...settled, atMs: 1, results: [{ event, attempt, outcome }], blocked: [] });
    }
    assert.deepEqual(found, names);
    assert.equal((await webhooks.waitingAt("end_a")).retries, 5);
  });
});
