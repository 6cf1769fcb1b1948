/** Bound domains with several nodes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { domainOperations } from "../../../../../src/spool/engine/postgres/domains/domain-operations.ts";
import { Partitions } from "../../../../../src/spool/engine/postgres/partitions/partitions.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { registryOf } from "../../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";
import { NOW_MS, newDomain } from "../../../port/conformance/store-suite.ts";

function domainsOf(database: Database) {
  const registry = registryOf(database);
  const parts = { database, partitions: new Partitions(database), saveChecks: registry.saveChecks };
  return { ...registry, ...domainOperations(parts) };
}

const LOCK_DOMAINS = "LOCK TABLE domains IN ACCESS EXCLUSIVE MODE";

describe("bound domains of several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  for (const [title, names, domainsMax, refusal] of [
    ["are as many as the limit allows", ["a.example", "b.example"], 1, "too_many"],
    ["have unique names", ["a.example", "a.example"], 10, "exists"],
  ] as const) {
    it(`${title}, although two nodes bind one at the same time`, async (t) => {
      const { nodes, meet } = await twoNodes(t);
      const add = nodes.map((node, i) => () => {
        return registryOf(node).addDomain({ ...newDomain, name: names[i as 0 | 1], domainsMax });
      });
      const outcomes = await meet(LOCK_DOMAINS, add);
      assert.equal(outcomes.filter((outcome) => outcome === refusal).length, 1);
      assert.equal((await registryOf(nodes[0]).domains("acc_default")).length, 1);
    });
  }

  it("are found by account and name, and no longer once another node has removed them", async (t) => {
    const [first, second] = (await twoNodes(t)).nodes.map(domainsOf);
    assert.ok(first && second);
    const added = [];
    for (const name of ["a.example", "b.example"]) added.push(await first.addDomain({ ...newDomain, name }));
    const find = (): Promise<unknown[]> =>
      Promise.all([
        second.domainNamed("acc_default", "a.example"),
        second.domainNamed("acc_default", "b.example"),
        second.domainNamed("acc_other", "b.example"),
        second.domainNamed("acc_default", "c\0.example"),
      ]);
    assert.deepEqual(await find(), [...added, null, null]);
    assert.equal(await first.removeDomain("acc_default", "a.example", NOW_MS), true);
    assert.deepEqual(await find(), [null, added[1], null, null]);
  });
});

it("checks that cannot be decoded leave the domain its standing", {
  skip: missingPostgresOrTime(),
  timeout: 60_000,
}, async (t) => {
  const { nodes, client } = await twoNodes(t);
  const { addDomain, domainNamed } = domainsOf(nodes[0]);
  await addDomain(newDomain);
  await client.query("UPDATE domains SET checks = '{', verified = true");
  const domain = await domainNamed("acc_default", "shop.example");
  assert.deepEqual([domain?.verified, domain?.checks.mx.state, domain?.checks.mx.standing], [true, "pending", true]);
});
