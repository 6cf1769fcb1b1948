/** The dispatcher: what it claims and when, how much runs side by side, and how it stops. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { quiet } from "../../support/fake-clock.ts";
import { fakeSpool } from "../../support/fake-spool.ts";
import { HOUR_MS } from "../../support/messages.ts";
import { deferred, endAllFor, MINUTE_MS, START_MS, setUpDispatcher, WINDOW } from "./dispatcher-stage.ts";

const PROVIDER = "*.provider.example";

test("a domain gets its share of the attempts, and each claim stays within the limit", async () => {
  const { spool, underWay, dispatcher, domains } = setUpDispatcher();
  for (const domain of ["a.example", "a.example", "a.example", "b.example", "c.example"]) spool.put(domain);
  dispatcher.wake();
  await quiet();
  assert.deepEqual(domains(), ["a.example", "a.example", "b.example", "c.example"]);
  await underWay[2]?.end();
  assert.deepEqual(domains(), ["a.example", "a.example", "c.example"], "the domain's limit holds with slots to spare");
  await underWay[0]?.end();
  assert.deepEqual(domains(), ["a.example", "c.example", "a.example"]);
  assert.ok(spool.claims.every(({ limit }) => limit <= 4));
});

test("domains of one provider share one window; further jobs wait in the spool", async () => {
  const { spool, underWay, dispatcher, domains } = setUpDispatcher({ attemptsMax: 10 }, async (domain) =>
    domain === "other.example" ? "mx.other.example" : "mx.provider.example",
  );
  for (const name of ["a", "b", "c", "d", "other"]) spool.put(`${name}.example`);
  dispatcher.wake();
  await quiet();
  assert.deepEqual(domains(), ["a.example", "b.example", "other.example"]);
  const claims = spool.claims.length;
  await underWay[2]?.end();
  assert.ok(spool.claims.length <= claims + 3, "released jobs are not claimed repeatedly");
  await underWay[0]?.end();
  assert.equal(domains().length, 2);
  await underWay[0]?.end();
  await underWay[0]?.end();
  await underWay[0]?.end();
  assert.equal(spool.settled.length, 5);
});

test("in accept-priority mode few attempts are under way; after it all due jobs start without a wake-up", async () => {
  const { spool, clock, underWay, dispatcher, sends } = setUpDispatcher({ attemptsMax: 100 });
  for (let count = 0; count < 20; count += 1) spool.put(`${count}.example`);
  sends.waiting = 50;
  dispatcher.wake();
  await quiet();
  assert.equal(underWay.length, 2);
  await underWay[0]?.end();
  assert.equal(underWay.length, 2, "the end of one lets another start");

  sends.waiting = 0;
  await clock.advance(100);
  assert.equal(underWay.length, 19);
});

test("in accept-priority mode, long attempts do not keep others from starting", async () => {
  const { spool, clock, underWay, dispatcher, sends } = setUpDispatcher({ attemptsMax: 100 });
  for (let count = 0; count < 20; count += 1) spool.put(`${count}.example`);
  sends.waiting = 50;
  dispatcher.wake();
  await clock.advance(400);
  assert.equal(underWay.length, 2);
  await clock.advance(200);
  assert.equal(underWay.length, 4);
});

test("an attempt that hangs when accept-priority mode ends does not hold up its account", async () => {
  const { spool, clock, underWay, dispatcher, sends } = setUpDispatcher(
    { attemptsMax: 100 },
    undefined,
    fakeSpool({ withShares: true }),
  );
  spool.put("silent.example");
  sends.waiting = 50;
  dispatcher.wake();
  await quiet();
  assert.equal(underWay.length, 1);
  for (let count = 0; count < 8; count += 1) spool.arrive(`${count}.example`);
  await quiet();
  sends.waiting = 0;
  await clock.advance(100);
  assert.equal(underWay.length, 9);
});

test("accept-priority mode lasts some seconds under a constant load, and begins again after a pause only", async () => {
  const { spool, clock, underWay, dispatcher, sends } = setUpDispatcher({ attemptsMax: 100 });
  const put = (): void => {
    for (let count = 0; count < 40; count += 1) spool.put(`${clock.now()}-${count}.example`);
  };
  put();
  sends.waiting = 50;
  dispatcher.wake();
  for (let tick = 0; tick < 49; tick += 1) await clock.advance(100);
  assert.ok(underWay.length < 30, `${underWay.length} under way`);
  for (let tick = 0; tick < 5; tick += 1) await clock.advance(100);
  assert.equal(underWay.length, 40);

  put();
  dispatcher.wake();
  await quiet();
  assert.equal(underWay.length, 80, "the load continues, and delivery gets its share");
  sends.waiting = 0;
  await clock.advance(2000);
  sends.waiting = 50;
  put();
  dispatcher.wake();
  await quiet();
  assert.equal(underWay.length, 82, "the mode is active again");
});

test("a busy domain does not hold up later mail for others", async () => {
  const { spool, domains } = setUpDispatcher();
  for (let count = 0; count < 100; count += 1) spool.arrive("dead.example");
  await quiet();
  spool.arrive("live.example");
  await quiet();
  assert.deepEqual(domains(), ["dead.example", "dead.example", "live.example"]);
});

test("no claims while the spool is empty or has only attempts under way; one a minute while mail waits", async () => {
  const { spool, clock, underWay, dispatcher } = setUpDispatcher();
  dispatcher.wake();
  await clock.advance(HOUR_MS);
  const idle = spool.claims.length;
  await clock.advance(48 * HOUR_MS);
  assert.equal(spool.claims.length, idle, "an empty spool gets one claim");
  assert.deepEqual(clock.dueMs, []);

  spool.put("later.example", { dueMs: clock.now() + 3 * HOUR_MS });
  dispatcher.wake();
  await quiet();
  const asleep = spool.claims.length;
  await clock.advance(3 * HOUR_MS - 1);
  assert.deepEqual([spool.claims.length - asleep, underWay.length], [179, 0], "one claim a minute at most");
  await clock.advance(1);
  assert.equal(underWay.length, 1);
  await clock.advance(1);
  const busy = spool.claims.length;
  await clock.advance(48 * HOUR_MS);
  assert.equal(spool.claims.length, busy, "a long attempt causes no claims");
});

test("mail that falls due when the clock is set forward, or the host wakes, is tried within a minute", async () => {
  const { spool, clock, underWay, dispatcher } = setUpDispatcher();
  spool.put("later.example", { dueMs: clock.now() + 3 * HOUR_MS });
  dispatcher.wake();
  await clock.advance(HOUR_MS);
  clock.step(2 * HOUR_MS);
  await clock.advance(MINUTE_MS);
  assert.equal(underWay.length, 1);
});

test("no claim for a busy domain's mail until one of its attempts ends", async () => {
  const { spool, clock, underWay, dispatcher } = setUpDispatcher();
  for (let count = 0; count < 3; count += 1) spool.put("a.example");
  dispatcher.wake();
  await clock.advance(1);
  const full = spool.claims.length;
  await clock.advance(MINUTE_MS);
  assert.equal(spool.claims.length, full);
  await underWay[0]?.end();
  assert.equal(underWay.length, 2);
});

test("a destination that refuses everything is closed: few attempts, its mail waits untouched, and others continue", async () => {
  const HEAP = 500;
  let isOpen = false;
  const setting = setUpDispatcher({ attemptsMax: 20, retrySchedule: [MINUTE_MS] });
  const { spool, clock } = setting;
  for (let count = 0; count < HEAP; count += 1) spool.put("full.example");
  for (let count = 0; count < 50; count += 1) spool.put(`live${count}.example`);
  setting.dispatcher.wake();
  await quiet();
  const attempts = await endAllFor(setting, 60, () => isOpen);
  assert.ok(attempts >= 10 && attempts < 30, `${attempts} attempts in a minute`);
  const settled = () => spool.settled.flatMap(({ settlements }) => settlements.map(({ result }) => result));
  assert.equal(settled().filter((result) => result === "delivered").length, 50);
  assert.equal(settled().length, 50 + attempts, "jobs that were not tried are not settled");
  const claims = spool.claims.length;
  await clock.advance(500);
  assert.ok(spool.claims.length <= claims + 1, "nor claimed");

  isOpen = true;
  await endAllFor(setting, 65, () => isOpen);
  assert.equal(settled().filter((result) => result === "delivered").length, 50 + HEAP);
});

test("a deferred recipient is retried on time, by a schedule whose last gap repeats", async () => {
  const { spool, clock, underWay } = setUpDispatcher();
  spool.arrive("a.example");
  await quiet();
  for (const gapMs of [MINUTE_MS, 5 * MINUTE_MS, 5 * MINUTE_MS]) {
    await underWay[0]?.end(deferred);
    await clock.advance(gapMs - 1);
    assert.equal(underWay.length, 0);
    await clock.advance(1);
    assert.equal(underWay.length, 1);
  }
  await underWay[0]?.end();
  assert.deepEqual(
    spool.settled.map(({ settlements }) => settlements[0]?.result),
    ["pending", "pending", "pending", "delivered"],
  );
});

test("claims of an unavailable spool are retried once a second, and delivery continues", async () => {
  const { spool, clock, underWay, dispatcher } = setUpDispatcher();
  spool.down = true;
  spool.put("a.example");
  dispatcher.wake();
  await clock.advance(10_000);
  assert.ok(spool.claims.length > 1 && spool.claims.length <= 11, `${spool.claims.length} claims in ten seconds`);
  spool.down = false;
  await clock.advance(1000);
  assert.equal(underWay.length, 1);
});

test("shutdown: nothing new begins, and jobs under way may end within the limits", async () => {
  const { spool, clock, underWay, dispatcher, stop } = setUpDispatcher();
  spool.arrive("a.example");
  spool.arrive("b.example");
  await quiet();
  const stopping = stop();
  spool.arrive("c.example");
  await underWay[0]?.end();
  assert.deepEqual([underWay.length, spool.settled.length], [1, 1]);
  await clock.advance(HOUR_MS);
  await stopping;
  assert.equal(dispatcher.attempts, 1);
});

test("shutdown with nothing under way takes no time", async () => {
  const { clock, dispatcher, stop } = setUpDispatcher();
  await stop();
  assert.deepEqual([dispatcher.attempts, clock.dueMs], [0, []]);
});

test("shutdown: a result is stored as soon as the spool is available, and the shutdown waits for it", async () => {
  const { spool, clock, underWay, dispatcher, stop } = setUpDispatcher();
  spool.arrive("a.example");
  await quiet();
  const stopping = stop();
  spool.down = true;
  await underWay[0]?.end();
  await clock.advance(2000);
  assert.deepEqual([dispatcher.attempts, spool.settled.length], [1, 0]);
  spool.down = false;
  await clock.advance(1000);
  await stopping;
  assert.deepEqual(
    spool.settled.map(({ settlements }) => settlements[0]?.result),
    ["delivered"],
  );
});

test("shutdown during a claim: its jobs are released, not started", async () => {
  const { spool, underWay, dispatcher, stop } = setUpDispatcher();
  spool.put("a.example");
  dispatcher.wake();
  await stop();
  await quiet();
  assert.deepEqual([spool.claims.length, underWay.length, spool.settled.length], [1, 0, 0]);
  const all = { nowMs: START_MS, limit: 10, perDomain: 10, allowance: {} };
  assert.equal((await spool.claim(all)).jobs.length, 1);
});

test("mail whose domain is slow to look up uses no slot: other mail to the same provider continues", async () => {
  let isSlow = false;
  const waiting: (() => void)[] = [];
  const destinationOf = (domain: string) =>
    new Promise<string>((resolve) => {
      if (isSlow && domain === "slow.example") waiting.push(() => resolve(PROVIDER));
      else resolve(PROVIDER);
    });
  const { spool, clock, underWay, dispatcher, domains } = setUpDispatcher({ attemptsMax: 20 }, destinationOf);
  // Both domains are known as the provider's once a job has found it full.
  for (let count = 0; count < 2; count += 1) for (const name of ["slow", "other"]) spool.put(`${name}.example`);
  dispatcher.wake();
  await quiet();
  while (underWay.length > 0) await underWay[0]?.end();
  assert.equal(spool.settled.length, 4);

  isSlow = true;
  for (let count = 0; count < 10; count += 1) spool.put("slow.example");
  for (let count = 0; count < 4; count += 1) spool.put("other.example");
  dispatcher.wake();
  await quiet();
  assert.deepEqual([dispatcher.attempts, waiting.length], [WINDOW, WINDOW], "it counts as the provider's at first");
  await clock.advance(1000);
  assert.deepEqual(domains(), ["other.example", "other.example"]);
  while (underWay.length > 0) await underWay[0]?.end();
  assert.equal(spool.settled.length, 8);
  assert.equal(waiting.length, WINDOW, "no more jobs are claimed than the provider's window allows");

  isSlow = false;
  for (const finish of waiting) finish();
  await quiet();
  while (underWay.length > 0) await underWay[0]?.end();
  assert.equal(spool.settled.length, 18);
});
