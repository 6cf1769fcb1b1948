/** Checks of domains with several nodes, and the events of their results. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "pg";
import type { Database } from "../../../../src/spool/engine/postgres/connection/database.ts";
import type { Effects } from "../../../../src/spool/engine/postgres/connection/postgres-session.ts";
import { domainOperations } from "../../../../src/spool/engine/postgres/domains/domain-operations.ts";
import { Partitions } from "../../../../src/spool/engine/postgres/partitions/partitions.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { checksAt, NOW_MS, newDomain } from "../../port/conformance/store-suite.ts";

const bind = async (database: Database): Promise<string> => {
  const domain = await registryOf(database).addDomain(newDomain);
  assert.ok(typeof domain !== "string");
  return domain.id;
};

const eventsIn = async (client: Client) =>
  (await client.query("SELECT type, domain, at_ms::int8::text, tableoid::regclass::text AS partition FROM events"))
    .rows;

describe("checks of a bound domain", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("have one event and one entry of history for one change that two nodes save at the same time", async (t) => {
    const { nodes, client, meet } = await twoNodes(t);
    const domainId = await bind(nodes[0]);
    const announced: string[] = [];
    const saves = nodes.map((database) => () => {
      const committed = ({ eventAccounts }: Effects): void => void announced.push(...eventAccounts);
      const { saveChecks } = registryOf(database, { committed });
      return saveChecks(domainId, checksAt(NOW_MS + 1, "verified"), true, NOW_MS + 2);
    });
    await meet("SELECT FROM domains FOR UPDATE", saves);
    assert.equal((await eventsIn(client)).length, 1);
    assert.deepEqual(announced, ["acc_default"]);
    const history = await registryOf(nodes[0]).checkHistory("acc_default", "shop.example", 10);
    assert.deepEqual(
      history.map(({ check }) => check),
      ["dmarc", "dkim", "spf", "mx", "ownership"],
    );
  });

  it("have their event in the partition of its day", async (t) => {
    const {
      nodes: [database],
      client,
    } = await twoNodes(t);
    const { saveChecks } = registryOf(database);
    const checks = domainOperations({ database, partitions: new Partitions(database), saveChecks });
    await checks.saveChecks(await bind(database), checksAt(NOW_MS, "verified"), true, NOW_MS);
    const day = Math.floor(NOW_MS / 86_400_000);
    const event = { type: "domain.verified", domain: "shop.example", at_ms: `${NOW_MS}`, partition: `events_${day}` };
    assert.deepEqual(await eventsIn(client), [event]);
  });

  it("keep the newest 200 changes, and text with U+0000", async (t) => {
    const {
      nodes: [database],
      client,
    } = await twoNodes(t);
    const checks = registryOf(database);
    const domainId = await bind(database);
    await client.query(
      `INSERT INTO check_changes (account_id, domain, check_name, state, detail, at_ms)
         SELECT 'acc_default', 'shop.example', 'mx', 'failed', '', number FROM generate_series(1, 250) AS number`,
    );
    const results = checksAt(NOW_MS, "verified");
    const text = "found \0";
    await checks.saveChecks(domainId, { ...results, dmarc: { ...results.dmarc, detail: text } }, true, NOW_MS);
    const history = await checks.checkHistory("acc_default", "shop.example", 1000);
    assert.deepEqual([history.length, history[0]?.detail, history.at(-1)?.atMs], [200, "found \uFFFD", 56]);
    const saved = await checks.domainNamed("acc_default", "shop.example");
    assert.equal(saved?.checks.dmarc.detail, text);
    const { rows } = await client.query("SELECT count(*)::int AS count FROM check_changes");
    assert.deepEqual(rows, [{ count: 200 }]);
  });

  it("are brought forward if they are due later than they may be", async (t) => {
    const {
      nodes: [database],
    } = await twoNodes(t);
    const checks = registryOf(database);
    await checks.saveChecks(await bind(database), checksAt(NOW_MS), false, NOW_MS + 101);
    assert.equal(await checks.shortenCheckWaits(NOW_MS, 101), 0);
    assert.equal(await checks.shortenCheckWaits(NOW_MS, 100), 1);
    assert.equal(await checks.nextDomainCheckMs(), NOW_MS);
  });
});
