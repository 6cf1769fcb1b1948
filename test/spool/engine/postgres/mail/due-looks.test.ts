/** Which queues a look finds, and when the node looks. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Client } from "pg";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { withIndexPlans } from "../../../../../src/spool/engine/postgres/connection/index-plans.ts";
import { DUE_POLL_MS, DueLooks } from "../../../../../src/spool/engine/postgres/mail/due-looks.ts";
import { DueQueues } from "../../../../../src/spool/engine/postgres/mail/due-queues.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { type FakeClock, fakeClock } from "../../../../support/fake-clock.ts";
import { addDueRows } from "../../../../support/postgres/due-rows.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const NOW_MS = 1_000_000;

/** Calls `after` once with each read that is complete. */
class ReadDatabase extends Database {
  after: () => unknown = () => {};

  override run: Database["run"] = async (query, values) => {
    const result = await super.run(query, values);
    await this.after();
    return result;
  };
}

interface OpenLooks {
  looks: DueLooks;
  database: ReadDatabase;
  clock: FakeClock;
  client: Client;
  /** Looks, and returns the queues that are known then, with the moment of their first work. */
  look(nowMs?: number): Promise<Record<string, number>>;
}

async function open(t: TestContext): Promise<OpenLooks> {
  const { url, connect } = await freshDatabase(t);
  const client = await connect();
  const database = new ReadDatabase(withIndexPlans({ connectionString: url }));
  t.after(() => database.close());
  const [clock, queues] = [fakeClock(), new DueQueues()];
  const looks = new DueLooks({ database, clock, queues });
  return {
    looks,
    database,
    clock,
    client,
    async look(nowMs = NOW_MS) {
      await looks.look(nowMs);
      const known = queues.next(Number.POSITIVE_INFINITY, () => true);
      return Object.fromEntries(known.map(({ accountId, domain, fromMs }) => [`${accountId}/${domain}`, fromMs]));
    },
  };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `d${i}.example`);

describe("a look for due work", { skip: missingPostgresOrTime() }, () => {
  it("finds each queue with its earliest work, and when the next work is due", async (t) => {
    const { client, looks, look } = await open(t);
    await addDueRows(client, { domains: ["a.example", "b.example"], dueMs: 20 });
    await addDueRows(client, { domains: ["a.example"], messages: 3, dueMs: 10 });
    await addDueRows(client, { domains: ["a.example"], accountId: "acc_b", dueMs: NOW_MS });
    await addDueRows(client, { domains: ["c.example"], dueMs: NOW_MS + 5 });
    assert.deepEqual(await look(), {
      "acc_default/a.example": 10,
      "acc_default/b.example": 20,
      "acc_b/a.example": NOW_MS,
    });
    assert.equal(looks.nextLookMs(NOW_MS), NOW_MS + 5);
    assert.equal(Object.keys(await look(NOW_MS + 5)).length, 4);
    assert.equal(looks.nextLookMs(NOW_MS + 5), null);
  });

  it("finds nothing that a node leases", async (t) => {
    const { client, looks, look } = await open(t);
    await addDueRows(client, { domains: ["a.example"], dueMs: 10, owner: 7 });
    assert.deepEqual(await look(), {});
    assert.equal(looks.nextLookMs(NOW_MS), null);
  });

  it("finds queues behind a backlog, with the look that finds the backlog", async (t) => {
    const { client, look } = await open(t);
    await addDueRows(client, { domains: ["a.example"], messages: 5000, dueMs: 10 });
    await addDueRows(client, { domains: ["b.example"], dueMs: 20 });
    await addDueRows(client, { domains: ["a.example"], accountId: "acc_z", dueMs: 20 });
    assert.deepEqual(await look(), {
      "acc_default/a.example": 10,
      "acc_default/b.example": 20,
      "acc_z/a.example": 20,
    });
  });

  it("is followed by others until all of very many queues are found", async (t) => {
    const { client, looks, look } = await open(t);
    await addDueRows(client, { domains: names(2500), dueMs: 10 });
    await addDueRows(client, { domains: ["later.example"], dueMs: NOW_MS + 5 });
    await addDueRows(client, { domains: ["a.example"], accountId: "acc_z", dueMs: 20 });
    const found = [Object.keys(await look()).length];
    for (; looks.isDue(NOW_MS); found.push(Object.keys(await look()).length));
    assert.equal(found.at(-1), 2501);
    assert.equal(found.length, 3);
    assert.equal(looks.nextLookMs(NOW_MS), NOW_MS + 5);
  });

  it("that was under way when work was noted is followed by one that finds it", async (t) => {
    const { client, database, looks, look } = await open(t);
    let isNoted = false;
    database.after = async () => {
      if (isNoted) return;
      isNoted = true;
      await addDueRows(client, { domains: ["a.example"], dueMs: 30 });
      looks.noteDue(30);
    };
    assert.deepEqual(await look(), {});
    assert.equal(looks.nextLookMs(NOW_MS), NOW_MS);
    assert.deepEqual(await look(), { "acc_default/a.example": 30 });
  });

  it("that fails is repeated from the same moment on", async (t) => {
    const { client, clock, database, looks, look } = await open(t);
    await look();
    await addDueRows(client, { domains: ["a.example"], dueMs: 10 });
    looks.noteDue(10);
    database.after = () => {
      throw new SpoolUnavailable("refused by the test");
    };
    await assert.rejects(look(), SpoolUnavailable);
    database.after = () => {};
    await clock.advance(1);
    assert.ok(looks.isDue(NOW_MS));
    assert.deepEqual(await look(), { "acc_default/a.example": 10 });
  });

  it("reads from the earliest noted moment on, and everything after the interval of polls", async (t) => {
    const { client, clock, looks, look } = await open(t);
    await look();
    await addDueRows(client, { domains: ["a.example"], dueMs: 10 });
    await addDueRows(client, { domains: ["b.example"], dueMs: 30 });
    assert.equal(looks.isDue(NOW_MS), false);
    looks.noteDue(20);
    assert.deepEqual(await look(), { "acc_default/b.example": 30 });
    await clock.advance(DUE_POLL_MS - 1);
    assert.equal(looks.isDue(NOW_MS), false);
    await clock.advance(1);
    assert.equal(looks.nextLookMs(NOW_MS), null);
    assert.ok(looks.isDue(NOW_MS));
    assert.deepEqual(await look(), { "acc_default/b.example": 30, "acc_default/a.example": 10 });
  });

  it("goes back in time with the clock", async (t) => {
    const { client, looks, look } = await open(t);
    await look(NOW_MS + 5000);
    await addDueRows(client, { domains: ["a.example"], dueMs: NOW_MS });
    looks.noteDue(NOW_MS);
    assert.deepEqual(await look(NOW_MS), { "acc_default/a.example": NOW_MS });
  });

  it("is followed by a rest of four times as long as it took, of five polls at most", async (t) => {
    const { clock, database, looks, look } = await open(t);
    database.after = () => clock.advance(100);
    await look();
    looks.noteDue(0);
    assert.equal(looks.nextLookMs(NOW_MS), NOW_MS + 400);
    await clock.advance(399);
    assert.equal(looks.isDue(NOW_MS), false);
    await clock.advance(1);
    assert.ok(looks.isDue(NOW_MS));
    database.after = () => clock.advance(60_000);
    await look();
    looks.noteDue(0);
    assert.equal(looks.nextLookMs(NOW_MS), NOW_MS + 5 * DUE_POLL_MS);
  });
});
