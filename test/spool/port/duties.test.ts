/** The shards of webhook endpoints, and the duties of a process without others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_DUTIES, WEBHOOK_SHARDS, webhookShard } from "../../../src/spool/port/duties.ts";

test("an endpoint has the same shard in every version", () => {
  const shards = ["end_1", "end_2", "end_0123456789abcdef"].map(webhookShard);
  assert.deepEqual([WEBHOOK_SHARDS.length, ...shards], [12, "webhooks_01", "webhooks_03", "webhooks_09"]);
});

test("endpoints are spread over the shards", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 1200; i += 1) {
    const shard = webhookShard(`end_${i}`);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  assert.equal(counts.size, WEBHOOK_SHARDS.length);
  for (const count of counts.values()) assert.ok(count > 60 && count < 140, `${count} of 1200`);
});

test("a process without others holds every duty, in one tenure", async () => {
  await ALL_DUTIES.resign();
  const tenure = ALL_DUTIES.tenure("webhooks_00");
  assert.deepEqual([ALL_DUTIES.holds("retention"), tenure?.isLatest()], [true, true]);
  assert.equal(ALL_DUTIES.tenure("webhooks_00"), tenure);
});
