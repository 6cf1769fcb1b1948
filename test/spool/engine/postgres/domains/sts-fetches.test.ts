/** Fetches of MTA-STS policies by several nodes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { stsFetchOperations } from "../../../../../src/spool/engine/postgres/domains/sts-fetches.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { recipientDomainsOf } from "../../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const DOMAIN = "customers.example";
const FOR_MS = 60_000;
const POLICY = { domain: DOMAIN, id: "1", mode: "enforce", mx: [], fetchedAtMs: 1, expiresAtMs: 2 } as const;

const fetchesOf = (database: Database) => stsFetchOperations(database, recipientDomainsOf(database));

describe("fetches of MTA-STS policies", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("of a domain are begun by one of two nodes at the same moment", async (t) => {
    const { nodes, client, meet } = await twoNodes(t);
    const [a, b] = nodes.map(fetchesOf);
    assert.ok(a && b);
    const begin = [a, b].map((node) => () => node.beginStsFetch(DOMAIN, FOR_MS));
    for (const lock of ["LOCK TABLE sts_fetches", "UPDATE sts_fetches SET failed = failed"]) {
      assert.deepEqual((await meet(lock, begin)).toSorted(), ["begun", "under_way"], lock);
      await client.query("UPDATE sts_fetches SET until = clock_timestamp() - interval '1 s'");
    }
    assert.equal(await b.beginStsFetch("other.example", FOR_MS), "begun");
  });

  it("end with the policy, with the failure, or with their time", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const [a, b] = nodes.map(fetchesOf);
    assert.ok(a && b);
    const begin = () => b.beginStsFetch(DOMAIN, FOR_MS);
    await a.beginStsFetch(DOMAIN, FOR_MS);
    await a.storeStsPolicy({ ...POLICY, mx: [] });
    assert.deepEqual([await begin(), await begin()], ["begun", "under_way"]);
    await b.failStsFetch(DOMAIN, FOR_MS);
    assert.equal(await a.beginStsFetch(DOMAIN, FOR_MS), "failed");
    await client.query("UPDATE sts_fetches SET until = clock_timestamp() - interval '1 s'");
    assert.equal(await a.beginStsFetch(DOMAIN, FOR_MS), "begun");
    assert.equal(await begin(), "under_way");
    await client.query("UPDATE sts_fetches SET until = clock_timestamp() - interval '1 s'");
    await b.failStsFetch("other.example", FOR_MS);
    const { rows } = await client.query("SELECT domain FROM sts_fetches");
    assert.deepEqual(rows, [{ domain: "other.example" }]);
  });
});
