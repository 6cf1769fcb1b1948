/** Failed attempts at several nodes, as the database's time passes. What one node does is in the conformance suite. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AttemptCounters } from "../../../../../src/spool/engine/postgres/accounts/attempt-counters.ts";
import { COUNTERS_MAX } from "../../../../../src/spool/port/attempt-limiter.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { twoNodes } from "../../../../support/postgres/two-nodes.ts";

const MINUTE_MS = 60_000;
const POLICY = { freeFailures: 2, waitMs: MINUTE_MS, waitMaxMs: 60 * MINUTE_MS, resetMs: 120 * MINUTE_MS };

describe("failed attempts at several nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  const named = (name: string) => ({ kind: "password", name, policy: POLICY });

  it("are counted together, also those at the same time, in whatever order they name their counters", async (t) => {
    const { nodes, meet } = await twoNodes(t);
    const counters = [named("ann"), named("ben")];
    const count = nodes.flatMap((node) => {
      const attempts = new AttemptCounters(node);
      const reversed = counters.toReversed();
      return [() => attempts.countFailure(counters), () => attempts.countFailure(reversed)];
    });
    const waits = await meet("LOCK TABLE attempt_counters IN SHARE MODE", count);
    assert.equal(waits.filter((waitMs) => waitMs === 0).length, 2);
  });

  it("wait shorter as time passes, and start anew after a long pause", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const attempts = new AttemptCounters(nodes[0]);
    const pass = (ms: number) =>
      client.query(`UPDATE attempt_counters SET last_at = last_at - ${ms} * interval '1 ms'`);
    for (let i = 0; i < 2; i += 1) assert.equal(await attempts.countFailure([named("ann")]), 0);
    await pass(MINUTE_MS);
    assert.equal(await attempts.countFailure([named("ann")]), 0);
    await pass(MINUTE_MS);
    const waitMs = await attempts.waitMs([named("ann")]);
    assert.ok(waitMs > 0 && waitMs <= MINUTE_MS, String(waitMs));
    await pass(POLICY.resetMs);
    assert.equal(await attempts.countFailure([named("ann")]), 0);
    assert.equal(await attempts.waitMs([named("ann")]), 0);
  });

  it("leave a bounded number of counters of each kind, and none that has ended", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const add = (kind: string, count: number, endsIn: string) =>
      client.query(
        `INSERT INTO attempt_counters SELECT '${kind}', i, 3, now() - i * interval '1 ms', now() + interval '${endsIn}'
           FROM generate_series(1, ${count}) AS i`,
      );
    await add("password", COUNTERS_MAX + 5, "1 hour");
    await add("code", 2, "1 hour");
    await add("ended", 2, "-1 second");
    await new AttemptCounters(nodes[0]).countFailure([{ kind: "network", name: "a", policy: POLICY }]);
    const { rows } = await client.query(
      "SELECT kind, count(*)::int, max(name::int) FILTER (WHERE kind = 'password') FROM attempt_counters GROUP BY kind ORDER BY kind",
    );
    assert.deepEqual(rows, [
      { kind: "code", count: 2, max: null },
      { kind: "network", count: 1, max: null },
      { kind: "password", count: COUNTERS_MAX, max: COUNTERS_MAX },
    ]);
  });
});
