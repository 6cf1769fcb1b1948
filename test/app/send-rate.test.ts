/** The token buckets of keys and accounts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SendRate } from "../../src/app/send-rate.ts";
import { rateHeaders } from "../../src/http/rate-headers.ts";

const key = (id: string, accountId = "acc_1") => ({ id, accountId });

const left = (limiter: SendRate, of: ReturnType<typeof key>, nowMs: number): string =>
  rateHeaders(limiter.state(of, nowMs)).RateLimit;

test("all keys of an account together have ten times the rate of one key", () => {
  const limiter = new SendRate({ perSecond: 1, burst: 2 });
  for (let i = 0; i < 20; i += 1) assert.equal(limiter.consume(key(`key_${i % 10}`), 0).allowed, true);
  assert.deepEqual(limiter.consume(key("key_fresh"), 0), { allowed: false, empty: "account", retryAfterS: 1 });
  assert.equal(left(limiter, key("key_fresh"), 0), '"send";r=0;t=2', "the state is that of the emptier bucket");
  assert.equal(limiter.consume(key("key_other", "acc_2"), 0).allowed, true);
  for (let i = 0; i < 10; i += 1) assert.equal(limiter.consume(key(`key_${i}`), 1000).allowed, true);
  assert.equal(limiter.consume(key("key_fresh"), 1000).allowed, false);
});

test("a rejection consumes no token and returns the longer wait; a refund goes to both buckets", () => {
  const limiter = new SendRate({ perSecond: 0.1, burst: 1 });
  assert.equal(limiter.consume(key("key_0"), 0).allowed, true);
  assert.deepEqual(limiter.consume(key("key_0"), 0), { allowed: false, empty: "key", retryAfterS: 10 });
  for (let i = 1; i < 10; i += 1) assert.equal(limiter.consume(key(`key_${i}`), 0).allowed, true);
  assert.deepEqual(limiter.consume(key("key_10"), 0), { allowed: false, empty: "account", retryAfterS: 1 });
  assert.deepEqual(limiter.consume(key("key_0"), 0), { allowed: false, empty: "key", retryAfterS: 10 });
  limiter.refund(key("key_0"));
  assert.equal(limiter.consume(key("key_10"), 0).allowed, true, "the previous rejection consumed no token of the key");
  limiter.refund(key("key_10"));
  assert.equal(limiter.consume(key("key_0"), 0).allowed, true);
});

test("a bucket is stored until it is full again, however many others are added and removed", () => {
  const limiter = new SendRate({ perSecond: 1, burst: 4 });
  for (let i = 0; i < 4; i += 1) limiter.consume(key("key_a", "acc_a"), 0);
  for (let i = 0; i < 20_000; i += 1) limiter.consume(key(`key_${i}`, `acc_${i}`), i / 10);
  assert.equal(left(limiter, key("key_a", "acc_a"), 2000), '"send";r=2;t=2');
  assert.equal(limiter.consume(key("key_b", "acc_b"), 5000).allowed, true);
  assert.equal(left(limiter, key("key_a", "acc_a"), 5000), '"send";r=4;t=0');
});

test("a rate of 0 means no limit", () => {
  const limiter = new SendRate({ perSecond: 0, burst: 1 });
  for (let i = 0; i < 100; i += 1) assert.equal(limiter.consume(key("key_a"), 0).allowed, true);
  assert.match(left(limiter, key("key_a"), 0), /r=999999999999999;/);
});
