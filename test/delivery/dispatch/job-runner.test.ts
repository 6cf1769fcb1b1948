/** A delivery job from the claim to the settlement or the release: deadlines, the throttle, and a spool that fails. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isTestRoute, testRouteOf } from "../../../src/message/test-route.ts";
import { MessageDamaged } from "../../../src/spool/port/errors.ts";
import { quiet } from "../../support/fake-clock.ts";
import { fakeSpool } from "../../support/fake-spool.ts";
import { HOUR_MS } from "../../support/messages.ts";
import { deferred, delivered, endAllFor, MINUTE_MS, START_MS, setUpDispatcher, WINDOW } from "./dispatcher-stage.ts";

const PROVIDER = "*.provider.example";

test("a destination that is closed for hours costs a result for each probe, not for each message, until they expire", async () => {
  const HEAP = 5000;
  const setting = setUpDispatcher({ attemptsMax: 20, retrySchedule: [MINUTE_MS, 5 * MINUTE_MS] });
  const { spool, clock } = setting;
  const expiresAtMs = START_MS + 2 * HOUR_MS;
  const deadlineMs = START_MS + HOUR_MS / 2;
  const soon = spool.put("full.example", { expiresAtMs, deadlineMs });
  for (let count = 1; count < HEAP; count += 1) spool.put("full.example", { expiresAtMs });
  setting.dispatcher.wake();
  await quiet();
  const attempts = await endAllFor(setting, 3600, () => false);
  const results = () =>
    spool.settled.flatMap(({ messageId, settlements }) => settlements.map((s) => ({ messageId, ...s })));
  assert.ok(attempts < 60, `${attempts} attempts in an hour`);
  assert.equal(
    results().length,
    attempts + 1,
    "one for each attempt, and one for the message whose deadline has passed",
  );
  const late = results().findLast(({ messageId }) => messageId === soon.messageId);
  assert.deepEqual([late?.result, late?.reason], ["failed", "expired"]);
  const expiredMs = spool.settled.findLast(({ messageId }) => messageId === soon.messageId)?.atMs ?? 0;
  assert.ok(expiredMs < deadlineMs + MINUTE_MS, "in time");

  spool.arrive("live.example");
  await quiet();
  assert.deepEqual(setting.domains(), ["live.example"], "another destination's mail leaves at once");
  await endAllFor(setting, 3600 + 120, () => false);
  const expired = results().filter(({ reason }) => reason === "expired");
  assert.equal(expired.length, HEAP);
  const last = expired.at(-1);
  assert.deepEqual([last?.result, last?.tries[0]?.ip], ["failed", null]);
  assert.match(
    last?.tries[0]?.error ?? "",
    /^not tried: Postrider closed delivery to the recipient's server .* The next probe, with one message, is due/,
  );
  assert.ok(clock.now() < expiresAtMs + 3 * MINUTE_MS);
});

test("mail that expires at a destination that refuses our address says so", async () => {
  const setting = setUpDispatcher({ attemptsMax: 20, retrySchedule: [HOUR_MS] });
  setting.meet({ cause: "authentication", text: "550 5.7.25 no PTR record" });
  for (let count = 0; count < 60; count += 1)
    setting.spool.put("full.example", { expiresAtMs: START_MS + 10 * MINUTE_MS });
  setting.dispatcher.wake();
  await quiet();
  await endAllFor(setting, 700, () => false);
  const last = setting.spool.settled.at(-1)?.settlements[0];
  const found = [last?.result, last?.reason, last?.category, last?.tries[0]?.ip];
  assert.deepEqual(found, ["failed", "expired", "authentication", null]);
});

test("a result is stored as soon as the spool is available, with its original time", async () => {
  const { spool, clock, underWay } = setUpDispatcher();
  const job = spool.arrive("a.example");
  await quiet();
  spool.down = true;
  await underWay[0]?.end();
  await clock.advance(5000);
  assert.equal(spool.settled.length, 0);
  assert.ok(spool.offers > 1 && spool.offers <= 6, `${spool.offers} offers in five seconds`);
  spool.down = false;
  await clock.advance(1000);
  assert.deepEqual(
    spool.settled.map(({ messageId, atMs, settlements }) => [messageId, atMs, settlements[0]?.result]),
    [[job.messageId, START_MS, "delivered"]],
  );
  const { offers } = spool;
  await clock.advance(HOUR_MS);
  assert.equal(spool.offers, offers);
});

test("a clock that is set back before a result is stored does not delay the next attempt", async () => {
  const { spool, clock, underWay } = setUpDispatcher();
  spool.arrive("a.example");
  await quiet();
  spool.down = true;
  await underWay[0]?.end(deferred);
  await clock.advance(2000);
  clock.step(-10 * HOUR_MS);
  spool.down = false;
  await clock.advance(1000);
  const nextMs = spool.settled[0]?.settlements[0]?.nextAttemptAtMs ?? Number.POSITIVE_INFINITY;
  assert.ok(nextMs - clock.now() <= MINUTE_MS, `due in ${nextMs - clock.now()} ms`);
});

test("the result of a damaged message is dropped, and its slot is free", async () => {
  const spool = fakeSpool();
  let offers = 0;
  spool.settle = async () => {
    offers += 1;
    throw new MessageDamaged("damaged");
  };
  const { dispatcher, underWay, clock } = setUpDispatcher({ attemptsMax: 1 }, undefined, spool);
  spool.put("a.example");
  spool.put("b.example");
  dispatcher.wake();
  await quiet();
  await underWay[0]?.end();
  await clock.advance(HOUR_MS);
  assert.equal(offers, 1);
  assert.deepEqual(
    underWay.map(({ job }) => job.domain),
    ["b.example"],
  );
});

test("a result whose lease was lost is dropped with a warning, and its slot is free", async () => {
  const { dispatcher, underWay, spool, clock, warnings } = setUpDispatcher({ attemptsMax: 1 });
  const { messageId } = spool.put("a.example");
  spool.put("b.example");
  dispatcher.wake();
  await quiet();
  spool.takeOver(messageId);
  await underWay[0]?.end();
  await clock.advance(HOUR_MS);
  assert.deepEqual([spool.offers, spool.settled], [1, []]);
  assert.deepEqual(
    warnings.map((line) => [line.messageId, line.msg]),
    [[messageId, "result not stored: the lease was lost"]],
  );
  assert.deepEqual(
    underWay.map(({ job }) => job.domain),
    ["b.example"],
  );
});

test("a message that turns out to be damaged is released after a pause, and nothing is settled", async () => {
  const { dispatcher, underWay, spool, clock } = setUpDispatcher({ attemptsMax: 1 });
  const released: string[] = [];
  spool.release = async ({ messageId }) => void released.push(messageId);
  const { messageId } = spool.put("a.example");
  dispatcher.wake();
  await quiet();
  await underWay[0]?.end([null]);
  assert.deepEqual(released, []);
  await clock.advance(1000);
  assert.deepEqual([released, spool.offers, dispatcher.attempts], [[messageId], 0, 0]);
});

test("damage found after some recipients were decided: these are settled, the others released", async () => {
  const { dispatcher, underWay, spool, clock } = setUpDispatcher({ attemptsMax: 1 });
  const settled: [position: number, result: string][] = [];
  const released: number[][] = [];
  spool.settle = async (_messageId, _atMs, settlements) => {
    for (const { position, result } of settlements) settled.push([position, result]);
    return "settled";
  };
  spool.release = async ({ positions }) => void released.push(positions);
  const base = { reason: null, category: null, smtp: null, attempts: 0 };
  const recipients = [3, 5, 7, 8].map((position) => ({ ...base, position, email: `u${position}@a.example` }));
  spool.put("a.example", { recipients });
  dispatcher.wake();
  await quiet();
  await underWay[0]?.end([delivered, null, deferred, null]);
  assert.deepEqual(settled, [
    [3, "delivered"],
    [7, "pending"],
  ]);
  assert.deepEqual(released, []);
  await clock.advance(1000);
  assert.deepEqual([released, dispatcher.attempts], [[[5, 8]], 0]);
});

test("shutdown while a destination is being looked up: its job is released without waiting for the answer", async () => {
  const { spool, clock, underWay, stop } = setUpDispatcher({}, () => new Promise(() => {}));
  spool.arrive("a.example");
  await quiet();
  await stop();
  assert.equal(underWay.length, 0);
  const all = { nowMs: clock.now(), limit: 10, perDomain: 10, allowance: {} };
  assert.equal((await spool.claim(all)).jobs.length, 1);
});

test("past the sender's deadline nothing is tried: the recipient expires", async () => {
  const { spool, clock, underWay } = setUpDispatcher();
  const deadlineMs = START_MS + MINUTE_MS;
  spool.arrive("late.example", { deadlineMs: START_MS });
  spool.arrive("a.example", { deadlineMs, expiresAtMs: deadlineMs });
  await quiet();
  const begunMs: number[] = [];
  while (underWay.length > 0) {
    assert.equal(underWay[0]?.job.domain, "a.example");
    begunMs.push(clock.now() - START_MS);
    await underWay[0]?.end(deferred);
    const [dueMs = 0] = clock.dueMs;
    await clock.advance(dueMs - clock.now());
  }
  assert.deepEqual(begunMs, [0, 10_000, 20_000, 30_000, 40_000, 50_000]);
  assert.equal(clock.now(), deadlineMs, "no attempt fits any more, so it fails at the deadline");
  const ends = spool.settled.map(({ settlements: [s] }) => [s?.result, s?.reason, s?.untried, s?.smtp?.code]);
  assert.deepEqual(ends[0], ["failed", "expired", true, undefined]);
  assert.deepEqual(ends.at(-1), ["failed", "expired", true, 451]);
  assert.equal(ends.length, 8);
});

test("no attempt begins when the look-up of the destination has outlasted the deadline", async () => {
  let found = (_: string): void => {};
  const destinationOf = () =>
    new Promise<string>((resolve) => {
      found = resolve;
    });
  const { spool, clock, underWay } = setUpDispatcher({}, destinationOf);
  spool.arrive("a.example", { deadlineMs: START_MS + 10_000, expiresAtMs: START_MS + 10_000 });
  await quiet();
  await clock.advance(10_000);
  found("mx.a.example");
  await quiet();
  assert.equal(underWay.length, 0);
  assert.equal(spool.settled[0]?.settlements[0]?.reason, "expired");
});

test("a domain whose mail goes elsewhere now uses no slot of its earlier destination", async () => {
  const hosts = new Map([["moving.example", PROVIDER]]);
  const { spool, underWay, dispatcher, domains } = setUpDispatcher({}, async (domain) => hosts.get(domain) ?? PROVIDER);
  spool.put("moving.example");
  dispatcher.wake();
  await quiet();
  await underWay[0]?.end();
  hosts.set("moving.example", "*.elsewhere.example");
  for (let count = 0; count < 3; count += 1) spool.put("moving.example");
  dispatcher.wake();
  await quiet();
  assert.deepEqual(domains(), ["moving.example", "moving.example"], "the window of its own destination");
  for (const domain of ["a.example", "b.example"]) spool.put(domain);
  dispatcher.wake();
  await quiet();
  assert.deepEqual(domains().slice(2), ["a.example", "b.example"]);
});

test("refusals of the sink inside the service slow down neither other test messages nor live ones", async () => {
  const destinationOf = async (domain: string) => (isTestRoute(domain) ? domain : `mx.${domain}`);
  const { spool, underWay, dispatcher, clock } = setUpDispatcher({ attemptsMax: 50 }, destinationOf);
  const route = testRouteOf("acc_default");
  for (let count = 0; count < 40; count += 1) spool.put(route);
  dispatcher.wake();
  await quiet();
  assert.equal(underWay.length, WINDOW);
  for (let refused = 0; refused < 20; refused += 1) await underWay[0]?.end(deferred, "refused");
  assert.ok(underWay.length > WINDOW, `${underWay.length} attempts at once`);
  while (underWay.length > 0) await underWay[0]?.end(deferred, "refused");
  spool.arrive("a.example");
  await quiet();
  assert.deepEqual(
    underWay.map(({ job }) => job.domain),
    ["a.example"],
  );
  await clock.advance(MINUTE_MS * 2);
  assert.ok(underWay.filter(({ job }) => job.domain === route).length > WINDOW);
  assert.ok(spool.settled.every(({ settlements }) => !settlements[0]?.tries[0]?.error?.startsWith("not tried")));
});

test("the look-ups get the time that a message has left to its deadline", async () => {
  const asked: (number | undefined)[] = [];
  const { dispatcher, spool } = setUpDispatcher({}, async (domain, leftMs) => {
    asked.push(leftMs);
    return `mx.${domain}`;
  });
  spool.put("a.example");
  spool.put("b.example", { deadlineMs: START_MS + 45_000 });
  dispatcher.wake();
  await quiet();
  assert.deepEqual(asked, [undefined, 45_000]);
});
