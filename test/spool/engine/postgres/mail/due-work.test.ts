/** Claims of due work from PostgreSQL: which rows are claimed, in which turns, and by which of several nodes. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { ClaimRequest, DeliveryJob } from "../../../../../src/spool/port/mail.ts";
import { addDueRows } from "../../../../support/postgres/due-rows.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { type OpenMail, openMail } from "../../../../support/postgres/mail-store.ts";
import { claimAll, NOW_MS } from "../../../port/conformance/suite.ts";

async function claim({ mail }: OpenMail, parts: Partial<ClaimRequest> = {}): Promise<DeliveryJob[]> {
  return (await mail.claim(claimAll(NOW_MS, parts))).jobs;
}

const domainsOf = (jobs: readonly DeliveryJob[]): string[] => [...new Set(jobs.map(({ domain }) => domain))].sort();

const positionsOf = (jobs: readonly DeliveryJob[]): number =>
  jobs.reduce((sum, { recipients }) => sum + recipients.length, 0);

async function open(t: TestContext, nodes = 1): Promise<OpenMail[]> {
  const on = await freshDatabase(t);
  return Promise.all(Array.from({ length: nodes }, (_, i) => openMail(t, { number: i + 1, on })));
}

const only = async (t: TestContext): Promise<OpenMail> => (await open(t))[0] as OpenMail;

describe("due work", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("of an account or a domain is claimed early, although others have more than a look reads", async (t) => {
    const node = await only(t);
    await addDueRows(node.client, { domains: ["large.example"], messages: 5000, dueMs: NOW_MS - 5000 });
    await addDueRows(node.client, { domains: ["small.example"], dueMs: NOW_MS - 1 });
    await addDueRows(node.client, { accountId: "acc_small", domains: ["large.example"], dueMs: NOW_MS - 1 });
    const early: DeliveryJob[] = [];
    for (let claims = 0; claims < 3; claims += 1) early.push(...(await claim(node, { limit: 20 })));
    assert.deepEqual(domainsOf(early), ["large.example", "small.example"]);
    assert.ok(early.some(({ accountId }) => accountId === "acc_small"));
  });

  it("of an account that turns up later is claimed early, although the known queues have enough for every claim", async (t) => {
    const node = await only(t);
    const domains = Array.from({ length: 200 }, (_, i) => `d${i}.example`);
    await addDueRows(node.client, { domains, messages: 20, dueMs: NOW_MS - 5 });
    await claim(node, { limit: 20 });
    await addDueRows(node.client, { accountId: "acc_small", domains: ["d0.example"], dueMs: NOW_MS - 1 });
    const early: DeliveryJob[] = [];
    for (let claims = 0; claims < 8; claims += 1) early.push(...(await claim(node, { limit: 20 })));
    assert.ok(early.some(({ accountId }) => accountId === "acc_small"));
  });

  it("is claimed whole, message by message, in the order of its time", async (t) => {
    const node = await only(t);
    for (const dueMs of [NOW_MS - 1, NOW_MS - 3, NOW_MS - 2, NOW_MS + 1])
      await addDueRows(node.client, { domains: ["a.example"], recipients: 3, dueMs });
    const jobs = await claim(node);
    assert.deepEqual(
      jobs.map(({ recipients }) => recipients.length),
      [3, 3, 3],
    );
    const { rows } = await node.client.query("SELECT due_ms FROM work WHERE owner IS NULL");
    assert.deepEqual(new Set(rows.map(({ due_ms }) => Number(due_ms))), new Set([NOW_MS + 1]));
  });

  it("of a message in quarantine, or in an attempt at the same domain, is left", async (t) => {
    const node = await only(t);
    const add = (owner?: number) =>
      addDueRows(node.client, { domains: ["a.example"], dueMs: NOW_MS, ...(owner === undefined ? {} : { owner }) });
    await add();
    await node.client.query(
      "INSERT INTO quarantined (seq, found_at_ms, part, error) SELECT max(seq), 0, 'content', '' FROM work",
    );
    await add(2);
    await node.client.query(`INSERT INTO work (seq, position, account_id, domain, due_ms, attempts)
      SELECT seq, 1, account_id, domain, due_ms, 0 FROM work WHERE owner = 2`);
    await add();
    const jobs = await claim(node);
    assert.equal(jobs.length, 1);
    const { rows } = await node.client.query("SELECT owner::int, position FROM work ORDER BY seq, position");
    assert.deepEqual(rows, [
      { owner: null, position: 0 },
      { owner: 2, position: 0 },
      { owner: null, position: 1 },
      { owner: 1, position: 0 },
    ]);
  });

  it("that is noted while a look is under way is found by the next claim", async (t) => {
    const node = await only(t);
    node.faults.after("run", async () => {
      await addDueRows(node.client, { domains: ["a.example"], dueMs: NOW_MS - 10 });
      node.mail.noteDue(NOW_MS - 10);
    });
    assert.equal((await claim(node)).length, 0);
    assert.equal((await claim(node)).length, 1);
  });

  it("of a domain that a claim did not allow is found when it is allowed", async (t) => {
    const node = await only(t);
    await addDueRows(node.client, { domains: ["a.example", "b.example"], dueMs: NOW_MS });
    assert.deepEqual(domainsOf(await claim(node, { allowance: { "a.example": 0 } })), ["b.example"]);
    const { jobs, nextDueMs } = await node.mail.claim(claimAll(NOW_MS, { allowance: { "a.example": 0 } }));
    assert.deepEqual([jobs, nextDueMs], [[], null]);
    assert.deepEqual(domainsOf(await claim(node)), ["a.example"]);
  });

  it("is claimed by one of two nodes that claim at the same time, and neither waits for the other", async (t) => {
    const [one, two] = (await open(t, 2)) as [OpenMail, OpenMail];
    await addDueRows(one.client, { domains: ["a.example"], messages: 20, recipients: 2, dueMs: NOW_MS });
    await one.client.query("BEGIN; SELECT FROM work WHERE seq % 2 = 0 FOR UPDATE");
    const free = await claim(two);
    await one.client.query("COMMIT");
    assert.equal(positionsOf(free), 20, "the rows without a lock");
    const both = (await Promise.all([claim(one), claim(two)])).flat();
    assert.equal(positionsOf(both), 20);
    const { rows } = await one.client.query("SELECT count(*)::int FROM work WHERE owner IS NULL");
    assert.deepEqual(rows, [{ count: 0 }]);
  });
});
