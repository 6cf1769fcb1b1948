/** Checks of domains with several nodes, and the events of their results. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "pg";
import type { Effects } from "../../../../src/spool/engine/postgres/connection/postgres-session.ts";
import { domainOperations } from "../../../../src/spool/engine/postgres/domains/domain-operations.ts";
import { Partitions } from "../../../../src/spool/engine/postgres/partitions/partitions.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { registryOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { checksAt, NOW_MS, newDomain } from "../../port/conformance/store-suite.ts";

async function bindTo({ addDomain }: ReturnType<typeof registryOf>) {
  const domain = await addDomain(newDomain);
  assert.ok(typeof domain !== "string");
  return domain;
}

const eventsIn = async (client: Client) =>
  (await client.query("SELECT type, domain, at_ms::int8::text, tableoid::regclass::text AS partition FROM events"))
    .rows;

describe("checks of a bound domain", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("have one event and one entry of history for one change that two nodes save at the same time", async (t) => {
    const { nodes, client, meet } = await twoNodes(t);
    const domainId = (await bindTo(registryOf(nodes[0]))).id;
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
    const registry = registryOf(database);
    const parts = { database, partitions: new Partitions(database), saveChecks: registry.saveChecks };
    await domainOperations(parts).saveChecks((await bindTo(registry)).id, checksAt(NOW_MS, "verified"), true, NOW_MS);
    const day = Math.floor(NOW_MS / 86_400_000);
    const event = { type: "domain.verified", domain: "shop.example", at_ms: `${NOW_MS}`, partition: `events_${day}` };
    assert.deepEqual(await eventsIn(client), [event]);
  });

  it("keep text with U+0000, and their history has it replaced", async (t) => {
    const checks = registryOf((await twoNodes(t)).nodes[0]);
    const results = checksAt(NOW_MS, "verified");
    const { id } = await bindTo(checks);
    await checks.saveChecks(id, { ...results, dmarc: { ...results.dmarc, detail: "found \0" } }, true, NOW_MS);
    assert.equal((await checks.checkHistory("acc_default", "shop.example", 1))[0]?.detail, "found \uFFFD");
    assert.equal((await checks.domainNamed("acc_default", "shop.example"))?.checks.dmarc.detail, "found \0");
  });

  it("that cannot be decoded leave the domain its standing", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const checks = registryOf(nodes[0]);
    await bindTo(checks);
    await client.query("UPDATE domains SET checks = '{', verified = true");
    const domain = await checks.domainNamed("acc_default", "shop.example");
    assert.deepEqual([domain?.verified, domain?.checks.mx.state, domain?.checks.mx.standing], [true, "pending", true]);
  });
});
