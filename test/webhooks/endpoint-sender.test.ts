import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createLog } from "../../src/lib/log.ts";
import type { SqliteStore } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { EndpointSender } from "../../src/webhooks/endpoint-sender.ts";
import { PostSlots } from "../../src/webhooks/post-slots.ts";
import { settleAll, settleMessage } from "../support/attempts.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { allEvents, FakePoster, newEndpoint, openTestSpool, until } from "../support/fake-poster.ts";
import { newMessage, recipientsAt, settlement } from "../support/messages.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface World {
  spool: SqliteStore;
  clock: FakeClock;
  poster: FakePoster;
  disabled: number;
  mayStore: boolean;
  /** As `until`, while time passes. */
  until: typeof until;
  /** A sender for the endpoint as it is stored now. */
  start(): Promise<EndpointSender>;
}

async function world(t: TestContext, changes: Partial<typeof newEndpoint> = {}): Promise<World> {
  const spool = await openTestSpool(t);
  await spool.createEndpoint({ ...newEndpoint, ...changes });
  const made: World = {
    spool,
    clock: fakeClock(1_000_000),
    poster: new FakePoster(),
    disabled: 0,
    mayStore: true,
    until: (holds, what) =>
      until(async () => {
        await made.clock.advance(1);
        return holds();
      }, what),
    async start() {
      const [endpoint] = await spool.endpoints(null);
      const sender = new EndpointSender(endpoint ?? assert.fail(), {
        queue: spool,
        poster: made.poster,
        slots: new PostSlots(),
        clock: made.clock,
        log: createLog("silent"),
        random: () => 0.5,
        secrets: () => ["whsec_none"],
        mayStore: () => made.mayStore,
        attempted() {},
        disabled() {
          made.disabled += 1;
        },
      });
      const leave = spool.onEvents(() => sender.wake());
      t.after(leave);
      sender.wake();
      return sender;
    },
  };
  return made;
}

/** Accepts messages, each then delivered: two events each. */
async function sendMessages(spool: SqliteStore, count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, () => newMessage());
  for (const message of messages) await spool.accept(message);
  await settleAll(spool, 2, [settlement(0, "delivered")]);
  return messages.map(({ id }) => id);
}

const endpointOf = async ({ spool }: World) => (await spool.endpoints(null))[0] ?? assert.fail();

/** Whether each message's events were first received in the order of their sequence. */
async function assertOrdered({ spool, poster }: World): Promise<void> {
  const events = new Map((await allEvents(spool)).map((event) => [event.id, event]));
  const next = new Map<string | null, number>();
  for (const id of new Set(poster.received)) {
    const { messageId, sequence } = events.get(id) ?? assert.fail(`${id} is not in the outbox`);
    assert.equal(sequence, (next.get(messageId) ?? 0) + 1, `${messageId}: out of order`);
    next.set(messageId, sequence ?? 0);
  }
}

async function assertAllReceived(w: World): Promise<void> {
  const events = await allEvents(w.spool);
  assert.deepEqual(new Set(w.poster.received), new Set(events.map(({ id }) => id)));
  await assertOrdered(w);
}

describe("endpoint sender", () => {
  it("sends every event once, those of a message in order, and stores the position and each attempt", async (t) => {
    const w = await world(t);
    w.poster.status = () => 204;
    await w.start();
    await sendMessages(w.spool, 100);
    await w.until(() => w.poster.received.length === 200, "200 events");
    await assertAllReceived(w);
    assert.ok(w.poster.atOnceMax > 1 && w.poster.atOnceMax <= 8, `${w.poster.atOnceMax} at once`);
    const last = (await allEvents(w.spool)).at(-1)?.number ?? 0;
    await w.until(async () => (await endpointOf(w)).position === last, "the position is stored");
    const attempts = await w.spool.attempts({
      endpointId: "end_1",
      beforeNumber: null,
      failedOnly: false,
      limit: 1000,
    });
    assert.equal(attempts.length, 200);
    assert.ok(attempts.every(({ result, attempt }) => result === "sent" && attempt === 1));
  });

  it("sends the same bytes under the event's id with each attempt", async (t) => {
    const w = await world(t);
    await w.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post");
    w.poster.posts[0]?.respond(500);
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 1, "the retry is stored");
    await w.clock.advance(5000);
    await w.until(() => w.poster.posts.length === 2, "the second post");
    const [first, second] = w.poster.posts.map(({ request }) => request);
    assert.deepEqual([first?.id, first?.body], [second?.id, second?.body]);
    assert.notEqual(first?.atMs, second?.atMs);
  });

  it("holds back only the later events of a message whose event failed", async (t) => {
    const w = await world(t);
    const stuck = newMessage({ recipients: recipientsAt("a.example", 3) });
    w.poster.status = ({ message_id }) => (message_id === stuck.id ? 500 : 200);
    await w.start();
    await w.spool.accept(stuck);
    for (const position of [0, 1, 2]) await settleMessage(w.spool, stuck.id, 2, [settlement(position, "delivered")]);
    await sendMessages(w.spool, 50);
    await w.until(() => w.poster.received.length === 100, "all events of the other messages");
    assert.equal(w.poster.answered.filter(({ status }) => status === 500).length, 1);
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 1, "the retry is stored");
    w.poster.status = () => 200;
    await w.clock.advance(5000);
    await w.until(() => w.poster.received.length === 104, "the held events");
    await assertAllReceived(w);
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 0, "nothing waits");
  });

  it("holds back an event that was read before the failure of an earlier one was stored", async (t) => {
    const w = await world(t);
    const gate = holdSettlements(t, w);
    await w.start();
    const message = newMessage();
    await w.spool.accept(message);
    await w.until(() => w.poster.posts.length === 1, "the first event");
    w.poster.posts[0]?.respond(500);
    await w.until(() => gate.held === 1, "the failure is about to be stored");
    await settleMessage(w.spool, message.id, 2, [settlement(0, "delivered")]);
    // Its post shows that the event before it was read.
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 2, "an event of another message");
    gate.open();
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 1, "the retry is stored");
    w.poster.posts[1]?.respond(200);
    w.poster.status = () => 200;
    await w.clock.advance(5000);
    await w.until(() => w.poster.received.length === 3, "all events");
    await assertAllReceived(w);
  });

  it("holds back an event that was read before an earlier one was stored as waiting", async (t) => {
    const w = await world(t);
    await w.start();
    const message = newMessage({ recipients: recipientsAt("a.example", 2) });
    await w.spool.accept(message);
    await w.until(() => w.poster.posts.length === 1, "the first event");
    w.poster.posts[0]?.respond(500);
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 1, "the retry is stored");
    const gate = holdSettlements(t, w);
    await w.clock.advance(5000);
    await w.until(() => w.poster.posts.length === 2, "the second attempt");
    w.poster.posts[1]?.respond(200);
    await w.until(() => gate.held === 1, "the success is about to be stored");
    await settleMessage(w.spool, message.id, 2, [settlement(0, "delivered")]);
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 3, "an event of another message");
    gate.openOne();
    await w.until(() => gate.held === 1, "that the second event waits is about to be stored");
    await settleMessage(w.spool, message.id, 3, [settlement(1, "delivered")]);
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 4, "an event of a third message");
    w.poster.status = () => 200;
    gate.open();
    for (const { respond } of w.poster.posts.slice(2)) respond(200);
    await w.until(() => w.poster.received.length === 5, "all events");
    await assertAllReceived(w);
  });

  it("reads due retries again only after a commit if all of those that it reads are under way", async (t) => {
    const w = await world(t);
    let answers = 0;
    // Never ten failures in a row, after which attempts would be made one by one.
    w.poster.status = () => [500, 200][answers++ % 2] ?? null;
    await w.start();
    for (let i = 0; i < 40; i += 1) await w.spool.accept(newMessage());
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 20, "20 retries");
    const gate = holdSettlements(t, w);
    const reads = countReads(w);
    w.poster.status = null;
    await w.clock.advance(HOUR_MS);
    await w.until(() => w.poster.posts.length === 8, "eight posts");
    for (const post of w.poster.posts.slice()) post.respond(200);
    await w.until(() => w.poster.posts.length === 16, "eight more posts");
    w.poster.posts[8]?.respond(200);
    // All reads that the response leads to have ended.
    await new Promise(setImmediate);
    assert.ok(reads.count < 10, `${reads.count} reads`);
    for (const post of w.poster.posts.slice(9)) post.respond(200);
    gate.open();
    w.poster.status = () => 200;
    await w.until(() => new Set(w.poster.received).size === 40, "all events");
  });

  it("settles once that the events of order keys are gone, however many they are", async (t) => {
    const w = await world(t);
    const settled: number[] = [];
    const settleWebhooks = w.spool.settleWebhooks.bind(w.spool);
    w.spool.settleWebhooks = async (results) => {
      await settleWebhooks(results);
      settled.push(...results.gone);
    };
    const keys = Array.from({ length: 40 }, (_, i) => i + 1);
    w.spool.dueRetries = async (_id, _nowMs, limit) => {
      const left = keys.filter((key) => !settled.includes(key));
      return { retries: [], gone: left.slice(0, limit), nextDueMs: left.length > limit ? 0 : null, count: left.length };
    };
    const reads = countReads(w);
    await w.start();
    await w.until(() => settled.length >= 40, "all are settled");
    assert.deepEqual(settled, keys);
    assert.ok(reads.count < 10, `${reads.count} reads`);
  });

  it("sends a replayed event after the later one of its message that was under way", async (t) => {
    const w = await world(t);
    const sender = await w.start();
    const message = newMessage();
    await w.spool.accept(message);
    await w.until(() => w.poster.posts.length === 1, "the first event");
    w.poster.posts[0]?.respond(200);
    const [first = assert.fail()] = await allEvents(w.spool);
    await w.until(async () => (await endpointOf(w)).position === first.number, "the position is stored");
    await settleMessage(w.spool, message.id, 2, [settlement(0, "delivered")]);
    await w.until(() => w.poster.posts.length === 2, "the second event");
    const reads = countReads(w);
    const change = { type: "replay_one", eventNumber: first.number, atMs: 0 } as const;
    await w.spool.changeEndpoint({ accountId: "acc_default", endpointId: "end_1", change });
    sender.wakeRetries();
    await w.until(() => reads.count === 1, "the replay is read");
    w.poster.posts[1]?.respond(200);
    await w.until(() => w.poster.posts.length === 3, "the replay");
    assert.equal(w.poster.posts[2]?.event.sequence, 1);
  });

  it("lets other work run between reads that find nothing to send", async (t) => {
    const w = await world(t, { types: ["recipient.failed"] });
    for (let i = 0; i < 60; i += 1) await w.spool.accept(newMessage());
    const { freshEvents } = w.spool;
    let [pages, iterations] = [0, 0];
    w.spool.freshEvents = async (...query) => {
      pages += 1;
      const page = await freshEvents.apply(w.spool, query);
      return { ...page, isEnd: pages > 100 };
    };
    const count = (): void => {
      iterations += 1;
      if (pages <= 100) setImmediate(count);
    };
    count();
    await w.start();
    await w.until(() => pages > 100, "a hundred reads");
    assert.ok(iterations >= 100, `${iterations} iterations`);
  });

  it("attempts an event that alone fails ten times by the schedule, then gives it up and goes on behind it", async (t) => {
    const w = await world(t);
    const message = newMessage();
    w.poster.status = ({ type, message_id }) => (message_id === message.id && type === "message.accepted" ? 500 : 200);
    await w.start();
    await w.spool.accept(message);
    await settleMessage(w.spool, message.id, 2, [settlement(0, "delivered")]);
    const log = () => w.spool.attempts({ ...LOG, messageId: message.id });
    for (let attempt = 1; attempt < 10; attempt += 1) {
      await w.until(async () => (await log()).length === attempt, `attempt ${attempt} is stored`);
      const [{ nextAttemptAtMs } = assert.fail()] = await log();
      await w.clock.advance((nextAttemptAtMs ?? assert.fail()) - w.clock.now() - 1000);
      // Shows that the endpoint works.
      await w.spool.accept(newMessage());
      await w.until(() => w.poster.received.length === attempt, "the event of another message");
      assert.equal((await log()).length, attempt);
      await w.clock.advance(1000);
    }
    await w.until(async () => (await log()).length === 11, "the later event");
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 0, "nothing waits");
    assert.deepEqual(
      (await log()).map(({ result, attempt }) => [result, attempt]),
      [["sent", 1], ["given_up", 10], ...[9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => ["deferred", n])],
    );
  });

  it("gives up nothing while the endpoint is down, and has ten new attempts when it is resumed", async (t) => {
    const w = await world(t);
    w.poster.status = () => 500;
    const first = await w.start();
    await w.spool.accept(newMessage());
    for (let hour = 0; hour < 100; hour += 1) {
      await w.clock.advance(HOUR_MS);
      await settledNow(w);
    }
    const [newest] = await w.spool.attempts(LOG);
    assert.equal(newest?.result, "deferred");
    assert.ok((newest?.attempt ?? 0) > 10, `attempt ${newest?.attempt}`);
    await first.stop();
    await w.spool.changeEndpoint({ accountId: "acc_default", endpointId: "end_1", change: { type: "resume" } });
    await w.start();
    await w.until(async () => (await w.spool.attempts({ ...LOG, limit: 1 }))[0]?.attempt === 1, "a first attempt");
    w.poster.status = () => 200;
    await w.clock.advance(5000);
    await w.until(() => w.poster.received.length === 1, "the event");
  });

  it("treats a redirect, an error without a response and a 410 as failures; 410 disables the endpoint", async (t) => {
    const w = await world(t);
    await w.start();
    for (let i = 0; i < 4; i += 1) await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 4, "four posts");
    const [redirect, reset, gone, late] = w.poster.posts;
    redirect?.respond(301);
    reset?.respond(null);
    await w.until(async () => (await w.spool.waitingAt("end_1")).retries === 2, "two retries");
    gone?.respond(410);
    late?.respond(200);
    await w.until(() => w.disabled === 1, "disabled");
    assert.equal((await endpointOf(w)).disabled?.reason, "gone");
    await w.spool.accept(newMessage());
    await w.clock.advance(10 * MINUTE_MS);
    assert.equal(w.poster.posts.length, 4);
  });

  it("is disabled after five days without a success", async (t) => {
    const w = await world(t);
    w.poster.status = () => 500;
    await w.start();
    for (let day = 0; day < 6 && w.disabled === 0; day += 1) {
      await w.spool.accept(newMessage());
      for (let hour = 0; hour < 24; hour += 1) {
        await w.clock.advance(HOUR_MS);
        await settledNow(w);
      }
    }
    await w.until(() => w.disabled === 1, "disabled");
    const { disabled, failingSinceMs } = await endpointOf(w);
    assert.equal(disabled?.reason, "failing");
    assert.ok((disabled?.atMs ?? 0) - (failingSinceMs ?? 0) >= 5 * 24 * HOUR_MS);
  });

  it("probes an endpoint that is down once a minute, and sends everything once it works", async (t) => {
    const w = await world(t);
    w.poster.status = () => 503;
    await w.start();
    await sendMessages(w.spool, 500);
    await w.until(() => w.poster.answered.length >= 10, "ten failures");
    await settledNow(w);
    const before = w.poster.answered.length;
    assert.ok(before <= 20, `${before} attempts`);
    w.poster.atOnceMax = 0;
    for (let minute = 0; minute < 10; minute += 1) {
      await w.clock.advance(MINUTE_MS);
      await settledNow(w);
    }
    // A probe a minute, and the second and third attempts at what failed before.
    assert.ok(w.poster.answered.length - before <= 10 + 3 * before, `${w.poster.answered.length} attempts`);
    assert.equal(w.poster.atOnceMax, 1);
    w.poster.status = () => 200;
    await w.clock.advance(MINUTE_MS);
    await w.until(() => new Set(w.poster.received).size === 1000, "all events");
    await assertAllReceived(w);
  });

  it("goes on after a crash: what was sent since the stored position is sent again, in order", async (t) => {
    const w = await world(t);
    w.poster.status = ({ sequence }) => (sequence === 2 ? 500 : 200);
    const first = await w.start();
    await sendMessages(w.spool, 30);
    await w.until(() => w.poster.received.length > 10, "some events");
    await first.stop();
    w.poster.status = () => 200;
    await w.start();
    await w.clock.advance(5000);
    await w.until(() => new Set(w.poster.received).size === 60, "all events");
    await assertAllReceived(w);
  });

  it("begins nothing after a stop, and stores the results of what was under way", async (t) => {
    const w = await world(t);
    const sender = await w.start();
    for (let i = 0; i < 20; i += 1) await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 8, "eight posts");
    const stopped = sender.stop();
    for (const post of w.poster.posts) post.respond(200);
    await stopped;
    assert.equal(w.poster.posts.length, 8);
    assert.equal((await w.spool.attempts(LOG)).length, 8);
    assert.equal((await endpointOf(w)).position, (await allEvents(w.spool))[7]?.number);
  });

  it("stores nothing of what was under way once another process may have sent it", async (t) => {
    const w = await world(t);
    const sender = await w.start();
    for (let i = 0; i < 8; i += 1) await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 8, "eight posts");
    const stopped = sender.stop();
    for (const post of w.poster.posts.slice(0, 4)) post.respond(200);
    await w.until(async () => (await w.spool.attempts(LOG)).length === 4, "four results");
    w.mayStore = false;
    for (const post of w.poster.posts.slice(4)) post.respond(null);
    await stopped;
    await w.clock.advance(60_000);
    assert.equal((await w.spool.attempts(LOG)).length, 4);
    assert.equal((await endpointOf(w)).position, (await allEvents(w.spool))[3]?.number);
  });

  it("sends what the filter selects, and stores the position over the rest", async (t) => {
    const w = await world(t, { types: ["recipient.failed"] });
    w.poster.status = () => 200;
    await w.start();
    await sendMessages(w.spool, 20);
    const failed = newMessage();
    await w.spool.accept(failed);
    await settleMessage(w.spool, failed.id, 2, [settlement(0, "failed")]);
    await sendMessages(w.spool, 20);
    await w.until(() => w.poster.received.length === 1, "the one event");
    const last = (await allEvents(w.spool)).at(-1)?.number;
    for (let i = 0; i < 10; i += 1) await w.clock.advance(1000);
    await w.until(async () => (await endpointOf(w)).position === last, "the position is stored");
    assert.equal(w.poster.received.length, 1);
  });

  it("keeps results until the spool can store them", async (t) => {
    const w = await world(t);
    w.poster.status = () => 200;
    const settle = w.spool.settleWebhooks.bind(w.spool);
    let failures = 3;
    t.mock.method(w.spool, "settleWebhooks", (...args: Parameters<typeof settle>) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error("disk full")) : settle(...args);
    });
    await w.start();
    await sendMessages(w.spool, 5);
    await w.until(() => w.poster.received.length === 10, "ten events");
    for (let i = 0; i < 5; i += 1) await w.clock.advance(1000);
    await w.until(async () => (await w.spool.attempts(LOG)).length === 10, "all results are stored");
    assert.equal(new Set(w.poster.received).size, w.poster.received.length);
  });
});

/** Counts the reads of due retries. A sender that reads without end gets an error. */
function countReads({ spool }: World): { count: number } {
  const reads = { count: 0 };
  const dueRetries = spool.dueRetries.bind(spool);
  spool.dueRetries = async (...query) => {
    reads.count += 1;
    if (reads.count > 1000) throw new Error("too many reads");
    return dueRetries(...query);
  };
  return reads;
}

/** Holds back the transactions that store results. */
function holdSettlements(t: TestContext, { spool }: World) {
  const settle = spool.settleWebhooks.bind(spool);
  const waiting: (() => void)[] = [];
  let isOpen = false;
  t.mock.method(spool, "settleWebhooks", async (...args: Parameters<typeof settle>) => {
    if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
    return settle(...args);
  });
  return {
    get held() {
      return waiting.length;
    },
    openOne: () => waiting.shift()?.(),
    open() {
      isOpen = true;
      for (const proceed of waiting.splice(0)) proceed();
    },
  };
}

const LOG = { endpointId: "end_1", beforeNumber: null, failedOnly: false, limit: 1000 };

/** Waits until no attempt is under way and every result is stored. */
async function settledNow({ spool, poster }: World): Promise<void> {
  await until(
    async () =>
      poster.atOnce === 0 && (await spool.attempts({ ...LOG, limit: 10_000 })).length === poster.answered.length,
    "all results are stored",
  );
}
