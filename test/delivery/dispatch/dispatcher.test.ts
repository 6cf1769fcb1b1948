/** The loop: what it claims and when, how much runs side by side, and what an outcome means for the queue. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptPriority } from "../../../src/delivery/dispatch/accept-priority.ts";
import type { Attempted } from "../../../src/delivery/dispatch/attempt.ts";
import { type DeliveryPolicy, Dispatcher } from "../../../src/delivery/dispatch/dispatcher.ts";
import type { Prepared } from "../../../src/delivery/dispatch/preparation.ts";
import { settlementOf, settlementWhenLate } from "../../../src/delivery/dispatch/retry-decision.ts";
import { Shutdown } from "../../../src/delivery/dispatch/shutdown.ts";
import { CongestionWindows } from "../../../src/delivery/throttle/congestion-window.ts";
import { DestinationThrottle } from "../../../src/delivery/throttle/destination-throttle.ts";
import type { LoadSignal } from "../../../src/delivery/throttle/load-signal.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Outcome, SmtpRecord } from "../../../src/message/outcome.ts";
import { MessageDamaged } from "../../../src/spool/port/errors.ts";
import type { DeliveryJob } from "../../../src/spool/port/mail.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";
import { fakeSpool, newWork } from "../../support/fake-spool.ts";
import { HOUR_MS } from "../../support/messages.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_000_000;

const POLICY: DeliveryPolicy = {
  retrySchedule: [MINUTE_MS, 5 * MINUTE_MS],
  unknownPolicy: "hold",
  attemptsMax: 4,
};

/** What a destination may get in these tests, to begin with. */
const WINDOW = 2;
const PROVIDER = "*.provider.example";

const said = (code: number): SmtpRecord => {
  return { code, enhanced_code: null, message: "said", mx: "mx.a.example", ip: "192.0.2.1", tls: null };
};

const delivered: Outcome = { type: "delivered", smtp: said(250), tries: [] };
const deferred: Outcome = {
  type: "deferred",
  reason: "temporarily_refused",
  category: "greylisted",
  smtp: said(451),
  tries: [],
};

interface UnderWay {
  job: DeliveryJob;
  end(outcome?: Outcome, signal?: LoadSignal): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** What the courier asks of it: nothing but the destination. */
const preparationOf = (destinationOf: (domain: string) => Promise<string>) => ({
  of: async (domain: string): Promise<Prepared> => {
    const destination = await destinationOf(domain);
    return { route: { type: "hosts", hosts: [] }, destination, policyFor: () => Promise.reject() };
  },
  keep: () => {},
});

/** A courier whose attempts last until the test ends them. */
function setUp(
  policy: Partial<DeliveryPolicy> = {},
  destinationOf = async (domain: string) => `mx.${domain}`,
  spool = fakeSpool(),
) {
  const clock = fakeClock(START_MS);
  const underWay: UnderWay[] = [];
  const sends = { waiting: 0 };
  const shutdown = new Shutdown();
  const attempt = async (job: DeliveryJob): Promise<Attempted> => {
    return new Promise((resolve, reject) => {
      const entry: UnderWay = {
        job,
        fail(error) {
          underWay.splice(underWay.indexOf(entry), 1);
          reject(error);
          return quiet();
        },
        end(outcome = delivered, signal = "neutral") {
          underWay.splice(underWay.indexOf(entry), 1);
          resolve({ outcomes: job.recipients.map(() => outcome), signal });
          return quiet();
        },
      };
      underWay.push(entry);
    });
  };
  const courier = new Dispatcher({
    // The courier asks for nothing else.
    spool: spool as Partial<Spool> as Spool,
    attempt,
    preparation: preparationOf(destinationOf),
    throttle: new DestinationThrottle(new CongestionWindows(WINDOW)),
    acceptPriority: new AcceptPriority(clock, () => sends.waiting),
    shutdown,
    clock,
    log: silentLog,
    random: () => 0.5,
    policy: { ...POLICY, ...policy },
  });
  const domains = () => underWay.map(({ job }) => job.domain);
  const stop = () => shutdown.run({ clock, log: silentLog, replyWaitMs: 8000, ended: () => courier.ended() });
  return { spool, clock, underWay, courier, domains, sends, stop };
}

test("one domain takes its share of the attempts, all together no more than the limit", async () => {
  const { spool, underWay, courier, domains } = setUp();
  for (const domain of ["a.example", "a.example", "a.example", "b.example", "c.example", "d.example"])
    spool.put(domain);
  courier.wake();
  await quiet();
  assert.deepEqual(domains(), ["a.example", "a.example", "b.example", "c.example"]);

  await underWay[2]?.end();
  assert.deepEqual(domains(), ["a.example", "a.example", "c.example", "d.example"]);
  await underWay[3]?.end();
  assert.deepEqual(domains(), ["a.example", "a.example", "c.example"], "the domain's limit holds with room to spare");
  await underWay[0]?.end();
  assert.deepEqual(domains(), ["a.example", "c.example", "a.example"]);
  assert.ok(spool.claims.every(({ limit }) => limit <= 4));
});

test("domains of one provider share one window; what is too much waits in the spool", async () => {
  const { spool, underWay, courier, domains } = setUp({ attemptsMax: 10 }, async (domain) =>
    domain === "other.example" ? "mx.other.example" : "mx.provider.example",
  );
  for (const name of ["a", "b", "c", "d", "other"]) spool.put(`${name}.example`);
  courier.wake();
  await quiet();
  assert.deepEqual(domains(), ["a.example", "b.example", "other.example"]);
  const claims = spool.claims.length;
  await underWay[2]?.end();
  assert.ok(spool.claims.length <= claims + 3, "what was given back is not claimed over and over");
  await underWay[0]?.end();
  assert.equal(domains().length, 2);
  await underWay[0]?.end();
  await underWay[0]?.end();
  await underWay[0]?.end();
  assert.equal(spool.settled.length, 5);
});

test("in a burst of sends few attempts are under way; after it all that is due begins by itself", async () => {
  const { spool, clock, underWay, courier, sends } = setUp({ attemptsMax: 100 });
  for (let count = 0; count < 20; count += 1) spool.put(`${count}.example`);
  sends.waiting = 50;
  courier.wake();
  await quiet();
  assert.equal(underWay.length, 2);
  await underWay[0]?.end();
  assert.equal(underWay.length, 2, "one that ends makes room for another");

  sends.waiting = 0;
  await clock.advance(100);
  assert.equal(underWay.length, 19);
});

test("in a burst, attempts at hosts that take long keep no other from its turn", async () => {
  const { spool, clock, underWay, courier, sends } = setUp({ attemptsMax: 100 });
  for (let count = 0; count < 20; count += 1) spool.put(`${count}.example`);
  sends.waiting = 50;
  courier.wake();
  await clock.advance(400);
  assert.equal(underWay.length, 2);
  await clock.advance(200);
  assert.equal(underWay.length, 4);
});

test("an attempt that hangs when a burst ends keeps none of its account from its turn", async () => {
  const { spool, clock, underWay, courier, sends } = setUp(
    { attemptsMax: 100 },
    undefined,
    fakeSpool({ withShares: true }),
  );
  spool.put("silent.example");
  sends.waiting = 50;
  courier.wake();
  await quiet();
  assert.equal(underWay.length, 1);
  for (let count = 0; count < 8; count += 1) spool.arrive(`${count}.example`);
  await quiet();
  sends.waiting = 0;
  await clock.advance(100);
  assert.equal(underWay.length, 9);
});

test("a flood that stays holds delivery back for some seconds only, until there was a pause", async () => {
  const { spool, clock, underWay, courier, sends } = setUp({ attemptsMax: 100 });
  const put = (): void => {
    for (let count = 0; count < 40; count += 1) spool.put(`${clock.now()}-${count}.example`);
  };
  put();
  sends.waiting = 50;
  courier.wake();
  for (let tick = 0; tick < 49; tick += 1) await clock.advance(100);
  assert.ok(underWay.length < 30, `${underWay.length} under way`);
  for (let tick = 0; tick < 5; tick += 1) await clock.advance(100);
  assert.equal(underWay.length, 40);

  put();
  courier.wake();
  await quiet();
  assert.equal(underWay.length, 80, "the flood goes on, and delivery has its share");
  sends.waiting = 0;
  await clock.advance(2000);
  sends.waiting = 50;
  put();
  courier.wake();
  await quiet();
  assert.equal(underWay.length, 82, "another burst");
});

test("a busy domain holds up nobody who comes later", async () => {
  const { spool, domains } = setUp();
  for (let count = 0; count < 100; count += 1) spool.arrive("dead.example");
  await quiet();
  spool.arrive("live.example");
  await quiet();
  assert.deepEqual(domains(), ["dead.example", "dead.example", "live.example"]);
});

test("an empty spool is not polled, nor one with attempts alone; while mail waits it is asked once a minute", async () => {
  const { spool, clock, underWay, courier } = setUp();
  courier.wake();
  await clock.advance(HOUR_MS);
  const idle = spool.claims.length;
  await clock.advance(48 * HOUR_MS);
  assert.equal(spool.claims.length, idle, "an empty spool is asked once");
  assert.deepEqual(clock.dueMs, []);

  spool.put("later.example", { dueMs: clock.now() + 3 * HOUR_MS });
  courier.wake();
  await quiet();
  const asleep = spool.claims.length;
  await clock.advance(3 * HOUR_MS - 1);
  assert.deepEqual([spool.claims.length - asleep, underWay.length], [179, 0], "asked at most once a minute");
  await clock.advance(1);
  assert.equal(underWay.length, 1);
  await clock.advance(1);
  const busy = spool.claims.length;
  await clock.advance(48 * HOUR_MS);
  assert.equal(spool.claims.length, busy, "a long attempt makes nobody ask");
});

test("mail that falls due when the clock is set forward, or the host wakes, is tried within a minute", async () => {
  const { spool, clock, underWay, courier } = setUp();
  spool.put("later.example", { dueMs: clock.now() + 3 * HOUR_MS });
  courier.wake();
  await clock.advance(HOUR_MS);
  clock.step(2 * HOUR_MS);
  await clock.advance(MINUTE_MS);
  assert.equal(underWay.length, 1);
});

test("mail that waits for a busy domain is not asked for until one of its attempts ends", async () => {
  const { spool, clock, underWay, courier } = setUp();
  for (let count = 0; count < 3; count += 1) spool.put("a.example");
  courier.wake();
  await clock.advance(1);
  const full = spool.claims.length;
  await clock.advance(HOUR_MS);
  assert.equal(spool.claims.length, full);
  await underWay[0]?.end();
  assert.equal(underWay.length, 2);
});

/** Ends every attempt for so long, second by second; returns how many there were at the domain. */
async function endAllFor(setting: ReturnType<typeof setUp>, seconds: number, isOpen: () => boolean): Promise<number> {
  const { clock, underWay } = setting;
  let attempts = 0;
  for (let second = 0; second < seconds; second += 1) {
    while (underWay.length > 0) {
      const [first] = underWay;
      const isHere = first?.job.domain === "full.example";
      if (isHere) attempts += 1;
      if (isHere && !isOpen()) await first?.end(deferred, "refused");
      else await first?.end(delivered, "accepted");
    }
    await clock.advance(1000);
  }
  return attempts;
}

test("a destination that refuses everything is closed: few attempts, the heap waits untouched, and others go on", async () => {
  const HEAP = 500;
  let isOpen = false;
  const setting = setUp({ attemptsMax: 20, retrySchedule: [MINUTE_MS] });
  const { spool, clock } = setting;
  for (let count = 0; count < HEAP; count += 1) spool.put("full.example");
  for (let count = 0; count < 50; count += 1) spool.put(`live${count}.example`);
  setting.courier.wake();
  await quiet();
  const attempts = await endAllFor(setting, 60, () => isOpen);
  assert.ok(attempts >= 10 && attempts < 30, `${attempts} attempts in a minute`);
  const settled = () => spool.settled.flatMap(({ settlements }) => settlements.map(({ result }) => result));
  assert.equal(settled().filter((result) => result === "delivered").length, 50);
  assert.equal(settled().length, 50 + attempts, "what was not tried is not settled either");
  const claims = spool.claims.length;
  await clock.advance(500);
  assert.ok(spool.claims.length <= claims + 1, "nor is it asked for");

  isOpen = true;
  await endAllFor(setting, 65, () => isOpen);
  assert.equal(settled().filter((result) => result === "delivered").length, 50 + HEAP);
});

test("mail for a destination that goes on refusing is put off by its schedule, as an attempt that says why", async () => {
  const setting = setUp({ attemptsMax: 20, retrySchedule: [HOUR_MS] });
  for (let count = 0; count < 60; count += 1) setting.spool.put("full.example");
  setting.courier.wake();
  await quiet();
  const attempts = await endAllFor(setting, 600, () => false);
  const { settled } = setting.spool;
  assert.ok(attempts < 30 && settled.length === 60, `${attempts} attempts, ${settled.length} settled`);
  const last = settled.at(-1)?.settlements[0];
  assert.deepEqual([last?.result, last?.reason, last?.tries[0]?.ip], ["pending", "host_refused", null]);
  assert.match(last?.tries[0]?.error ?? "", /^not tried: the destination has refused all mail since/);
  assert.ok((last?.nextAttemptAtMs ?? 0) > setting.clock.now());
});

test("a deferred recipient is tried again at its time, by the schedule whose last gap repeats", async () => {
  const { spool, clock, underWay } = setUp();
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

test("a result is offered until the spool takes it, with the time at which it came", async () => {
  const { spool, clock, underWay } = setUp();
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

test("a clock that is set back before a result is stored does not put the next attempt off", async () => {
  const { spool, clock, underWay } = setUp();
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

test("a result that cannot be stored because the message is damaged is given up, and its place is free", async () => {
  const spool = fakeSpool();
  let offers = 0;
  spool.settle = async () => {
    offers += 1;
    throw new MessageDamaged("damaged");
  };
  const { courier, underWay, clock } = setUp({ attemptsMax: 1 }, undefined, spool);
  spool.put("a.example");
  spool.put("b.example");
  courier.wake();
  await quiet();
  await underWay[0]?.end();
  await clock.advance(HOUR_MS);
  assert.equal(offers, 1);
  assert.deepEqual(
    underWay.map(({ job }) => job.domain),
    ["b.example"],
  );
});

test("a message that turns out to be damaged is given back after a while, and nothing is settled", async () => {
  const { courier, underWay, spool, clock } = setUp({ attemptsMax: 1 });
  const released: string[] = [];
  spool.release = async ({ messageId }) => void released.push(messageId);
  const { messageId } = spool.put("a.example");
  courier.wake();
  await quiet();
  await underWay[0]?.fail(new MessageDamaged("damaged"));
  assert.deepEqual(released, []);
  await clock.advance(1000);
  assert.deepEqual([released, spool.offers, courier.attempts], [[messageId], 0, 0]);
});

test("a spool that cannot be read is asked again, unhurriedly, and delivery goes on", async () => {
  const { spool, clock, underWay, courier } = setUp();
  spool.down = true;
  spool.put("a.example");
  courier.wake();
  await clock.advance(10_000);
  assert.ok(spool.claims.length > 1 && spool.claims.length <= 11, `${spool.claims.length} claims in ten seconds`);
  spool.down = false;
  await clock.advance(1000);
  assert.equal(underWay.length, 1);
});

test("stopping: nothing new begins, and what is under way may end within the bounds", async () => {
  const { spool, clock, underWay, courier, stop } = setUp();
  spool.arrive("a.example");
  spool.arrive("b.example");
  await quiet();
  const stopping = stop();
  spool.arrive("c.example");
  await underWay[0]?.end();
  assert.deepEqual([underWay.length, spool.settled.length], [1, 1]);
  await clock.advance(HOUR_MS);
  await stopping;
  assert.equal(courier.attempts, 1);
});

test("stopping with nothing under way takes no time", async () => {
  const { clock, courier, stop } = setUp();
  await stop();
  assert.deepEqual([courier.attempts, clock.dueMs], [0, []]);
});

test("stopping: a result is offered until the spool takes it, and the stop waits for that", async () => {
  const { spool, clock, underWay, courier, stop } = setUp();
  spool.arrive("a.example");
  await quiet();
  const stopping = stop();
  spool.down = true;
  await underWay[0]?.end();
  await clock.advance(2000);
  assert.deepEqual([courier.attempts, spool.settled.length], [1, 0]);
  spool.down = false;
  await clock.advance(1000);
  await stopping;
  assert.deepEqual(
    spool.settled.map(({ settlements }) => settlements[0]?.result),
    ["delivered"],
  );
});

test("stopping while a claim is under way: what it brings is given back, not begun", async () => {
  const { spool, underWay, courier, stop } = setUp();
  spool.put("a.example");
  courier.wake();
  await stop();
  await quiet();
  assert.deepEqual([spool.claims.length, underWay.length, spool.settled.length], [1, 0, 0]);
  const all = { nowMs: START_MS, limit: 10, perDomain: 10, allowance: {} };
  assert.equal((await spool.claim(all)).jobs.length, 1);
});

test("stopping while a destination is being looked up: its work is given back without waiting for the answer", async () => {
  const { spool, clock, underWay, stop } = setUp({}, () => new Promise(() => {}));
  spool.arrive("a.example");
  await quiet();
  await stop();
  assert.equal(underWay.length, 0);
  const all = { nowMs: clock.now(), limit: 10, perDomain: 10, allowance: {} };
  assert.equal((await spool.claim(all)).jobs.length, 1);
});

const settle = (
  outcome: Outcome,
  parts: Partial<DeliveryJob> & { atMs?: number; policy?: DeliveryPolicy; lot?: number } = {},
) => {
  const { atMs = START_MS, policy = POLICY, lot = 0.5, ...rest } = parts;
  const job = newWork("msg_1", "a.example", rest);
  const [recipient] = job.recipients;
  assert.ok(recipient);
  return settlementOf(outcome, { job, recipient, atMs, lot, policy });
};

const failed: Outcome = {
  type: "failed",
  reason: "recipient_refused",
  category: "reputation",
  smtp: said(550),
  tries: [],
};
const noReply = { category: "network", smtp: null, tries: [] } as const;
const unknown: Outcome = { type: "unknown", reason: "connection_lost_after_final_dot", ...noReply, tries: [] };
const wordless: Outcome = { type: "deferred", reason: "connection_failed", ...noReply, tries: [] };

test("an attempt that our own stop broke off is taken up at once by the next start, whatever the recipient's age", () => {
  const cut: Outcome = { ...deferred, atOnce: true };
  for (const expiresAtMs of [START_MS + HOUR_MS, START_MS - 1]) {
    const { result, reason, nextAttemptAtMs } = settle(cut, { expiresAtMs });
    assert.deepEqual([result, reason, nextAttemptAtMs], ["pending", "temporarily_refused", START_MS]);
  }
});

test("final outcomes end the recipient's way", () => {
  const ends = { position: 0, tries: [], nextAttemptAtMs: null };
  assert.deepEqual(settle(delivered), {
    ...ends,
    result: "delivered",
    reason: null,
    category: null,
    smtp: said(250),
    outcome: "delivered",
  });
  assert.deepEqual(settle(failed), {
    ...ends,
    result: "failed",
    reason: "recipient_refused",
    category: "reputation",
    smtp: said(550),
    outcome: "failed",
  });
  assert.deepEqual(settle(unknown), {
    ...ends,
    result: "unknown",
    reason: "connection_lost_after_final_dot",
    category: "network",
    smtp: null,
    outcome: "unknown",
  });
});

test("a deferral goes back into the queue, spread over the jitter's range", () => {
  const { result, reason, nextAttemptAtMs } = settle(deferred);
  assert.deepEqual([result, reason, nextAttemptAtMs], ["pending", "temporarily_refused", START_MS + MINUTE_MS]);
  assert.equal(settle(deferred, { lot: 0 }).nextAttemptAtMs, START_MS + 0.8 * MINUTE_MS);
});

test("the last attempt comes at the maximum age, and a deferral then expires", () => {
  const expiresAtMs = START_MS + 10_000;
  assert.equal(settle(deferred, { expiresAtMs }).nextAttemptAtMs, expiresAtMs);
  const { result, reason, category, nextAttemptAtMs, outcome, smtp } = settle(deferred, {
    expiresAtMs,
    atMs: expiresAtMs,
  });
  assert.deepEqual([result, reason, nextAttemptAtMs, outcome], ["failed", "expired", null, "deferred"]);
  assert.deepEqual([category, smtp], ["greylisted", said(451)]);
});

test("what expires without words shows the last ones that were said", () => {
  const recipients = [
    {
      ...{ position: 0, email: "ann@a.example", attempts: 3, reason: "temporarily_refused" },
      ...{ category: "mailbox_full" as const, smtp: said(450) },
    },
  ];
  const { reason, smtp } = settle(wordless, { recipients, expiresAtMs: START_MS });
  assert.deepEqual([reason, smtp], ["expired", said(450)]);
  assert.equal(settle(wordless, { recipients }).result, "pending");
});

test("what is not tried because its time is over keeps the category of its last obstacle, or has none", () => {
  const recipient = { position: 0, email: "ann@a.example", attempts: 3, reason: "host_refused", smtp: null };
  for (const category of ["reputation", null] as const) {
    const settled = settlementWhenLate({ ...recipient, category });
    assert.deepEqual([settled.result, settled.reason, settled.category], ["failed", "expired", category]);
  }
});

test("what may have arrived is unknown, not failed, when its time is over before it is tried again", () => {
  const recipient = { position: 0, email: "ann@a.example", attempts: 1, category: "other" as const, smtp: null };
  for (const reason of ["interrupted_after_final_dot", "no_reply_to_final_dot", "restored_from_backup"]) {
    const settled = settlementWhenLate({ ...recipient, reason });
    assert.deepEqual([settled.result, settled.reason, settled.nextAttemptAtMs], ["unknown", reason, null]);
  }
});

test("expiry changes no other outcome", () => {
  for (const outcome of [delivered, failed, unknown]) {
    assert.equal(settle(outcome, { expiresAtMs: START_MS - 1 }).result, outcome.type);
  }
});

test("UNKNOWN_POLICY=retry tries again until the maximum age, then leaves it unknown", () => {
  const policy: DeliveryPolicy = { ...POLICY, unknownPolicy: "retry" };
  const { result, outcome, nextAttemptAtMs } = settle(unknown, { policy });
  assert.deepEqual([result, outcome, nextAttemptAtMs], ["pending", "unknown", START_MS + MINUTE_MS]);
  const late = settle(unknown, { policy, expiresAtMs: START_MS });
  assert.deepEqual([late.result, late.nextAttemptAtMs], ["unknown", null]);
});

test("from the sender's own limit on nothing is tried: the recipient expires", async () => {
  const { spool, clock, underWay } = setUp();
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
  assert.equal(clock.now(), deadlineMs, "none fits any more, so it is failed at the deadline");
  const ends = spool.settled.map(({ settlements: [s] }) => [s?.result, s?.reason, s?.untried, s?.smtp?.code]);
  assert.deepEqual(ends[0], ["failed", "expired", true, undefined]);
  assert.deepEqual(ends.at(-1), ["failed", "expired", true, 451]);
  assert.equal(ends.length, 8);
});

test("no attempt begins when the look-up of the destination has taken until the deadline", async () => {
  let found = (_: string): void => {};
  const destinationOf = () =>
    new Promise<string>((resolve) => {
      found = resolve;
    });
  const { spool, clock, underWay } = setUp({}, destinationOf);
  spool.arrive("a.example", { deadlineMs: START_MS + 10_000, expiresAtMs: START_MS + 10_000 });
  await quiet();
  await clock.advance(10_000);
  found("mx.a.example");
  await quiet();
  assert.equal(underWay.length, 0);
  assert.equal(spool.settled[0]?.settlements[0]?.reason, "expired");
});

test("UNKNOWN_POLICY=retry leaves it unknown where the sender's own limit allows no other attempt", () => {
  const policy: DeliveryPolicy = { ...POLICY, unknownPolicy: "retry" };
  const deadlineMs = START_MS + 3000;
  assert.equal(settle(unknown, { policy, deadlineMs, expiresAtMs: deadlineMs }).result, "unknown");
  assert.equal(settle(unknown, { policy, deadlineMs: START_MS + HOUR_MS }).result, "pending");
});

test("a domain whose mail goes elsewhere by now takes no place at the destination where it went before", async () => {
  const hosts = new Map([["moving.example", PROVIDER]]);
  const { spool, underWay, courier, domains } = setUp({}, async (domain) => hosts.get(domain) ?? PROVIDER);
  spool.put("moving.example");
  courier.wake();
  await quiet();
  await underWay[0]?.end();
  hosts.set("moving.example", "*.elsewhere.example");
  for (let count = 0; count < 3; count += 1) spool.put("moving.example");
  courier.wake();
  await quiet();
  assert.deepEqual(domains(), ["moving.example", "moving.example"], "the window of its own destination");
  for (const domain of ["a.example", "b.example"]) spool.put(domain);
  courier.wake();
  await quiet();
  assert.deepEqual(domains().slice(2), ["a.example", "b.example"]);
});

test("mail whose domain is slow to look up holds no place: other mail to the same provider goes on", async () => {
  let isSlow = false;
  const waiting: (() => void)[] = [];
  const destinationOf = (domain: string) =>
    new Promise<string>((resolve) => {
      if (isSlow && domain === "slow.example") waiting.push(() => resolve(PROVIDER));
      else resolve(PROVIDER);
    });
  const { spool, clock, underWay, courier, domains } = setUp({ attemptsMax: 20 }, destinationOf);
  // Both domains are known as the provider's once their mail has found it full.
  for (let count = 0; count < 2; count += 1) for (const name of ["slow", "other"]) spool.put(`${name}.example`);
  courier.wake();
  await quiet();
  while (underWay.length > 0) await underWay[0]?.end();
  assert.equal(spool.settled.length, 4);

  isSlow = true;
  for (let count = 0; count < 10; count += 1) spool.put("slow.example");
  for (let count = 0; count < 4; count += 1) spool.put("other.example");
  courier.wake();
  await quiet();
  assert.deepEqual([courier.attempts, waiting.length], [WINDOW, WINDOW], "it counts as the provider's at first");
  await clock.advance(1000);
  assert.deepEqual(domains(), ["other.example", "other.example"]);
  while (underWay.length > 0) await underWay[0]?.end();
  assert.equal(spool.settled.length, 8);
  assert.equal(waiting.length, WINDOW, "no more of it is claimed than the provider has room for");

  isSlow = false;
  for (const finish of waiting) finish();
  await quiet();
  while (underWay.length > 0) await underWay[0]?.end();
  assert.equal(spool.settled.length, 18);
});
