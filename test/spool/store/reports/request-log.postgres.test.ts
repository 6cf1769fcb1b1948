/** The bounds of the request log with several nodes, and what they delete. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Database } from "../../../../src/spool/engine/postgres/connection/database.ts";
import { postgresRunner } from "../../../../src/spool/engine/postgres/connection/postgres-runner.ts";
import { REQUESTS_KEPT_MAX, REQUESTS_KEPT_MS } from "../../../../src/spool/port/request-log.ts";
import { requestLogOf } from "../../../../src/spool/store/reports/request-log.ts";
import { apiRequest, rejectedRequest } from "../../../support/api-requests.ts";
import { freshDatabase } from "../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";

const NOW_MS = 1_000_000;
const ALL = { accountId: "acc_default", limit: 100_000 };

async function setUp(t: TestContext) {
  const { url, connect } = await freshDatabase(t);
  const client = await connect();
  const node = () => {
    const database = new Database({ connectionString: url });
    t.after(() => database.close());
    return requestLogOf(postgresRunner(database));
  };
  const stored = async (): Promise<number> => (await client.query("SELECT FROM requests")).rowCount ?? 0;
  return { node, stored };
}

describe("the request log", { skip: missingPostgresOrTime() }, () => {
  it("is bounded however many nodes write, and shows the newest alone", async (t) => {
    const { node, stored } = await setUp(t);
    const nodes = [node(), node()];
    const kept = apiRequest();
    await nodes[0]?.recordRequests([kept], NOW_MS);
    const batch = 700;
    for (let i = 0; i < 20; i += 1) {
      const flood = Array.from({ length: batch }, () => rejectedRequest());
      await Promise.all(nodes.map((each, n) => each.recordRequests(flood.slice(n * 350, n * 350 + 350), NOW_MS)));
    }
    const { requests } = await node().requests({ ...ALL, failedOnly: true });
    assert.equal(requests.length, REQUESTS_KEPT_MAX);
    assert.equal(new Set(requests.map(({ id }) => id)).size, REQUESTS_KEPT_MAX);
    assert.equal((await node().requests(ALL)).requests.at(-1)?.id, kept.id);
    const most = REQUESTS_KEPT_MAX + nodes.length * (REQUESTS_KEPT_MAX / 10 + batch) + 1;
    assert.ok((await stored()) <= most, `${await stored()} rows`);
    await node().recordRequests([rejectedRequest()], NOW_MS);
    assert.equal(await stored(), REQUESTS_KEPT_MAX + 1, "a node that starts deletes the others");
  });

  it("loses requests of a clock that was far ahead, and old ones, in bounded steps", async (t) => {
    const { node, stored } = await setUp(t);
    const { recordRequests, requests } = node();
    const aheadMs = NOW_MS + 2 * REQUESTS_KEPT_MS;
    await recordRequests(
      Array.from({ length: 1500 }, () => rejectedRequest({ atMs: aheadMs })),
      aheadMs,
    );
    await recordRequests([rejectedRequest({ id: "req_a" })], NOW_MS);
    assert.equal(await stored(), 501);
    await recordRequests([], NOW_MS);
    assert.deepEqual(
      (await requests(ALL)).requests.map(({ id }) => id),
      ["req_a"],
    );
    await recordRequests([], NOW_MS + REQUESTS_KEPT_MS + 1);
    assert.equal(await stored(), 0);
  });

  it("takes texts that PostgreSQL cannot store", async (t) => {
    const { node } = await setUp(t);
    const { recordRequests, requests } = node();
    const odd = { id: "req_\0", method: "G\0T", path: "/\0" };
    await recordRequests([apiRequest(odd)], NOW_MS);
    const found = await requests({ ...ALL, id: odd.id });
    assert.deepEqual(
      found.requests.map(({ id, method, path }) => [id, method, path]),
      [["req_\ufffd", "G\ufffdT", "/\ufffd"]],
    );
    assert.deepEqual((await requests({ ...ALL, keyId: "\0" })).requests, []);
  });
});
