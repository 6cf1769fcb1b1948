/** Recipients in an attempt and deliveries of the last minute are counted by account and recipient domain. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DomainTrafficCounts } from "../../../src/delivery/dispatch/domain-traffic.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";

const SECOND_MS = 1000;
const JOB = { accountId: "acc_1", domain: "a.example" };

function countsAt(startMs: number) {
  let nowMs = startMs;
  const counts = new DomainTrafficCounts({ monotonicMs: () => nowMs });
  return {
    counts,
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test("counts what is in an attempt, and for a minute what was delivered", () => {
  const { counts, pass } = countsAt(7 * SECOND_MS);
  const end = counts.begin(JOB, 3);
  counts.begin({ ...JOB, accountId: "acc_2" }, 1);
  assert.deepEqual(counts.list(), [
    { ...JOB, inFlight: 3, deliveredLastMinute: 0 },
    { ...JOB, accountId: "acc_2", inFlight: 1, deliveredLastMinute: 0 },
  ]);
  end(2);
  assert.deepEqual(counts.list()[0], { ...JOB, inFlight: 0, deliveredLastMinute: 2 });
  pass(30 * SECOND_MS);
  counts.begin(JOB, 1)(1);
  assert.equal(counts.list()[0]?.deliveredLastMinute, 3);
  pass(25 * SECOND_MS);
  assert.equal(counts.list()[0]?.deliveredLastMinute, 1);
  pass(300 * SECOND_MS);
  assert.deepEqual(counts.list(), [{ ...JOB, accountId: "acc_2", inFlight: 1, deliveredLastMinute: 0 }]);
});

test("leaves out test messages", () => {
  const { counts } = countsAt(0);
  counts.begin({ accountId: "acc_1", domain: testRouteOf("acc_1") }, 1)(1);
  assert.deepEqual(counts.list(), []);
});

test("keeps a bounded number of entries, and those in an attempt above all", () => {
  const { counts } = countsAt(0);
  counts.begin(JOB, 1);
  for (let i = 0; i < 12_000; i += 1) counts.begin({ ...JOB, domain: `${i}.example` }, 1)(1);
  const listed = counts.list();
  assert.ok(listed.length <= 5000, String(listed.length));
  assert.equal(listed[0]?.inFlight, 1);
  assert.equal(listed.at(-1)?.domain, "11999.example");
});
