/** The token buckets of keys and accounts. How several nodes share them is in spool/engine/postgres/connection/token-leases.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SendRate } from "../../../src/app/send/send-rate.ts";
import { rateHeaders } from "../../../src/http/rate-headers.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { RateLimits } from "../../../src/spool/port/token-buckets.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { localRates } from "../../support/local-rates.ts";

const key = (id: string, accountId = "acc_1") => ({ id, accountId });

const left = (rate: SendRate, of: ReturnType<typeof key>): string => rateHeaders(rate.state(of)).RateLimit;

function limited(rate: { perSecond: number; burst: number }) {
  const clock = fakeClock();
  const sending = new SendRate(rate, localRates(clock));
  const allows = async (...of: Parameters<typeof key>) => (await sending.consume(key(...of))).allowed;
  return { clock, sending, allows };
}

test("all keys of an account together have ten times the rate of one key", async () => {
  const { clock, sending, allows } = limited({ perSecond: 1, burst: 2 });
  for (let i = 0; i < 20; i += 1) assert.equal(await allows(`key_${i % 10}`), true);
  assert.deepEqual(await sending.consume(key("key_fresh")), { allowed: false, empty: "account", retryAfterS: 1 });
  assert.equal(left(sending, key("key_fresh")), '"send";r=0;t=2', "the state is that of the emptier bucket");
  assert.equal(await allows("key_other", "acc_2"), true);
  await clock.advance(1000);
  for (let i = 0; i < 10; i += 1) assert.equal(await allows(`key_${i}`), true);
  assert.equal(await allows("key_fresh"), false);
});

test("a rejection consumes no token and returns the longer wait; a refund goes to both buckets", async () => {
  const { sending, allows } = limited({ perSecond: 0.1, burst: 1 });
  assert.equal(await allows("key_0"), true);
  assert.deepEqual(await sending.consume(key("key_0")), { allowed: false, empty: "key", retryAfterS: 10 });
  for (let i = 1; i < 10; i += 1) assert.equal(await allows(`key_${i}`), true);
  assert.deepEqual(await sending.consume(key("key_10")), { allowed: false, empty: "account", retryAfterS: 1 });
  assert.deepEqual(sending.check(key("key_10")), { allowed: false, empty: "account", retryAfterS: 1 });
  assert.deepEqual(await sending.consume(key("key_0")), { allowed: false, empty: "key", retryAfterS: 10 });
  sending.refund(key("key_0"));
  assert.equal(await allows("key_10"), true, "the previous rejection consumed no token of the key");
  sending.refund(key("key_10"));
  assert.equal(await allows("key_0"), true);
});

test("messages of one request may exceed the burst; the key's next ones wait until the rate has paid for them", async () => {
  const { clock, sending, allows } = limited({ perSecond: 1, burst: 2 });
  assert.deepEqual(await sending.consume(key("key_a"), 5), { allowed: true });
  assert.deepEqual(await sending.consume(key("key_a")), { allowed: false, empty: "key", retryAfterS: 4 });
  assert.equal(left(sending, key("key_a")), '"send";r=0;t=5');
  assert.equal(await allows("key_b"), true);
  await clock.advance(2000);
  // Other keys are rated meanwhile, so that the memory of buckets is swept.
  for (let i = 0; i < 3; i += 1) {
    assert.equal(await allows(`key_${i}`, "acc_2"), true);
    await clock.advance(600);
  }
  assert.equal(await allows("key_a"), false);
  await clock.advance(200);
  assert.equal(await allows("key_a"), true);
  sending.refund(key("key_a"));
  assert.equal(await allows("key_a"), true);
});

test("a bucket is stored until it is full again, however many others are added and removed", async () => {
  const { clock, sending, allows } = limited({ perSecond: 1, burst: 4 });
  for (let i = 0; i < 4; i += 1) await allows("key_a", "acc_a");
  for (let second = 0; second < 2; second += 1) {
    for (let i = 0; i < 10_000; i += 1) await allows(`key_${second} ${i}`, `acc_${i}`);
    await clock.advance(1000);
  }
  assert.equal(left(sending, key("key_a", "acc_a")), '"send";r=2;t=2');
  await clock.advance(3000);
  assert.equal(await allows("key_b", "acc_b"), true);
  assert.equal(left(sending, key("key_a", "acc_a")), '"send";r=4;t=0');
});

test("a rate of 0 means no limit", async () => {
  const { sending, allows } = limited({ perSecond: 0, burst: 1 });
  for (let i = 0; i < 100; i += 1) assert.equal(await allows("key_a"), true);
  sending.refund(key("key_a"));
  assert.match(left(sending, key("key_a")), /r=999999999999999;/);
});

test("a token is put back if the spool could not be asked for the other one", async () => {
  const { tokenBuckets } = localRates(fakeClock());
  const down = async (): Promise<boolean> => {
    throw new SpoolUnavailable("down");
  };
  const limits: RateLimits = {
    tokenBuckets(kind, rate) {
      const buckets = tokenBuckets(kind, rate);
      if (kind === "account") buckets.take = down;
      return buckets;
    },
  };
  const sending = new SendRate({ perSecond: 1, burst: 1 }, limits);
  await assert.rejects(sending.consume(key("key_a")), SpoolUnavailable);
  assert.equal(sending.check(key("key_a")).allowed, true);
});
