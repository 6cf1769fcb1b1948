/** Failed recipients are added up by reason and by domain, and the shares of accounts are bounded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  FAILURES_AT_ONCE,
  FAILURES_READ_MAX,
  FailureCounts,
  failuresReadOf,
} from "../../../src/spool/records/failure-counts.ts";

test("lists the most frequent reasons and domains, and counts the others", () => {
  const counts = new FailureCounts();
  const add = (domain: string, reason: string | null, recipients: number): void =>
    counts.add({ domain, reason, category: reason === null ? null : "policy", recipients });
  add("a.example", "x", 2);
  add("b.example", "x", 3);
  add("a.example", "y", 4);
  add("c.example", null, 1);
  assert.deepEqual(counts.failures(2), {
    recipients: 10,
    reasons: [
      { reason: "x", category: "policy", recipients: 5 },
      { reason: "y", category: "policy", recipients: 4 },
    ],
    domains: [
      { domain: "a.example", recipients: 6 },
      { domain: "b.example", recipients: 3 },
    ],
    otherReasons: 1,
    otherDomains: 1,
    isPartial: false,
  });
});

test("accounts share what one report reads, each at least a step", () => {
  assert.equal(failuresReadOf(1), FAILURES_READ_MAX);
  assert.equal(failuresReadOf(2), FAILURES_READ_MAX / 2);
  assert.equal(failuresReadOf(1_000_000), FAILURES_AT_ONCE);
});
