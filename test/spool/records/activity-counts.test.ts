/** Counts that were gathered apart add up as if they had been gathered together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { GatheredCounts } from "../../../src/spool/records/activity-counts.ts";
import { newMessage, recipientsAt } from "../../support/messages.ts";

const MINUTE_MS = 60_000;
const NOW_MS = 100 * MINUTE_MS;
const message = newMessage({ accountId: "acc_a", createdAtMs: NOW_MS, recipients: recipientsAt("a.example", 3) });

function count(counts: GatheredCounts, minute: number): void {
  const atMs = NOW_MS + minute * MINUTE_MS;
  counts.accepted({ ...message, createdAtMs: atMs }, 1);
  counts.settled(message, atMs + 1, "delivered");
  counts.settled(message, atMs + 2, "pending");
  counts.recovered("acc_b", { nowMs: atMs, result: "unknown" });
  counts.retried({ accountId: "acc_b", result: "unknown", countedAtMs: atMs + 59_999 });
}

const shownOf = (counts: GatheredCounts): unknown[] => [
  [...counts.minutes],
  [...counts.times],
  [...counts.subtractions],
  [...counts.sentByKey],
];

test("counts are gathered by account and minute, delivery times by ten minutes", () => {
  const counts = new GatheredCounts();
  assert.ok(counts.isEmpty);
  count(counts, 0);
  const none = { messages: 0, recipients: 0, delivered: 0, failed: 0, unknown: 0, deferred: 0 };
  assert.deepEqual(shownOf(counts), [
    [
      {
        accountId: "acc_a",
        atMs: NOW_MS,
        counts: { ...none, messages: 1, recipients: 3, failed: 1, delivered: 1, deferred: 1 },
      },
      { accountId: "acc_b", atMs: NOW_MS, counts: { ...none, unknown: 1 } },
    ],
    [{ accountId: "acc_a", atMs: NOW_MS, bucket: 0, recipients: 1 }],
    [{ accountId: "acc_b", result: "unknown", minuteMs: NOW_MS, recipients: 1 }],
    [["key_a", 1]],
  ]);
  counts.clear();
  assert.ok(counts.isEmpty);
});

test("the counts of two objects add up", () => {
  const [first, second, both] = [new GatheredCounts(), new GatheredCounts(), new GatheredCounts()];
  for (const counts of [first, both]) for (const minute of [0, 1]) count(counts, minute);
  for (const counts of [second, both]) for (const minute of [1, 2]) count(counts, minute);
  first.add(second);
  assert.deepEqual(shownOf(first), shownOf(both));
});
