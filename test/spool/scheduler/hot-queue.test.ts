/** Jobs of messages just accepted: each is handed out once, and the cache is bounded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DueJob } from "../../../src/spool/port/mail.ts";
import { HotQueue } from "../../../src/spool/scheduler/hot-queue.ts";

const DOMAIN = "a.example";

const newJob = (seq: number, createdAtMs: number): DueJob => ({
  messageId: `msg_${seq}`,
  accountId: "acc_a",
  keyId: "key_a",
  domainId: "dom_a",
  domain: DOMAIN,
  from: "app@sender.example",
  createdAtMs,
  expiresAtMs: createdAtMs + 1,
  sizeBytes: 1,
  eightBit: false,
  recipients: [],
});

const arrivalAt = (acceptedMs: number) => ({ accountId: "acc_a", domain: DOMAIN, acceptedMs });

test("a job is handed out once, the newest of its millisecond first", () => {
  const hot = new HotQueue();
  for (const seq of [1, 2]) hot.add(seq, newJob(seq, 10));
  assert.equal(hot.newest(arrivalAt(10)), 2);
  assert.equal(hot.take(2, DOMAIN)?.messageId, "msg_2");
  assert.equal(hot.take(2, DOMAIN), null);
  assert.equal(hot.newest(arrivalAt(10)), 1);
  assert.equal(hot.take(1, DOMAIN)?.messageId, "msg_1");
  assert.equal(hot.newest(arrivalAt(10)), "none");
  assert.equal(hot.newest(arrivalAt(10)), "unknown");
});

test("an arrival that is dropped is dropped with its jobs", () => {
  const hot = new HotQueue();
  for (const seq of [1, 2]) hot.add(seq, newJob(seq, 10 + seq));
  hot.drop(arrivalAt(11));
  assert.deepEqual([hot.newest(arrivalAt(11)), hot.take(1, DOMAIN)], ["unknown", null]);
  assert.equal(hot.newest(arrivalAt(12)), 2);
  hot.clear();
  assert.deepEqual([hot.newest(arrivalAt(12)), hot.take(2, DOMAIN)], ["unknown", null]);
});

test("beyond 1,000 entries the oldest arrival is dropped", () => {
  const hot = new HotQueue();
  for (let seq = 1; seq <= 1001; seq += 1) hot.add(seq, newJob(seq, seq));
  assert.deepEqual([hot.newest(arrivalAt(1)), hot.take(1, DOMAIN)], ["unknown", null]);
  assert.equal(hot.newest(arrivalAt(2)), 2);
});
