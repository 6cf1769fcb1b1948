import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createLog } from "../../src/lib/log.ts";
import { Vault, webhookSealName } from "../../src/security/vault.ts";
import type { SqliteStore } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { PAUSE_ENTRY } from "../../src/spool/port/delivery-pause.ts";
import { WEBHOOK_SHARDS, webhookShard } from "../../src/spool/port/duties.ts";
import type { EndpointChange } from "../../src/spool/port/webhooks.ts";
import { WebhookDispatcher } from "../../src/webhooks/dispatcher.ts";
import { settleMessage } from "../support/attempts.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { FakeDuties } from "../support/fake-duties.ts";
import { allEvents, FakePoster, newEndpoint, openTestSpool, until } from "../support/fake-poster.ts";
import { newMessage, settlement } from "../support/messages.ts";

const MINUTE_MS = 60_000;
const LOG = { endpointId: "end_1", beforeNumber: null, failedOnly: false, limit: 10 };

interface World {
  spool: SqliteStore;
  clock: FakeClock;
  poster: FakePoster;
  vault: Vault;
  dispatcher: WebhookDispatcher;
  disabled: number;
  until: typeof until;
  change(change: EndpointChange["change"], endpointId?: string): Promise<boolean>;
}

async function world(t: TestContext, duties?: FakeDuties): Promise<World> {
  const spool = Object.assign(await openTestSpool(t), duties === undefined ? {} : { duties });
  const clock = fakeClock(1_000_000);
  const poster = new FakePoster();
  const vault = new Vault(Buffer.alloc(32, 1));
  const dispatcher = new WebhookDispatcher({
    spool,
    vault,
    poster,
    clock,
    log: createLog("silent"),
    random: () => 0.5,
    attempted() {},
    disabled: () => {
      made.disabled += 1;
    },
  });
  const made: World = {
    spool,
    clock,
    poster,
    vault,
    dispatcher,
    disabled: 0,
    until: (holds, what) =>
      until(async () => {
        await clock.advance(1);
        return holds();
      }, what),
    change: (change, endpointId = "end_1") => spool.changeEndpoint({ accountId: "acc_default", endpointId, change }),
  };
  t.after(async () => {
    const stopped = dispatcher.stop(0);
    await clock.advance(1);
    await stopped;
  });
  return made;
}

const sealed = ({ vault }: World, id: string, secret = `secret of ${id}`) => vault.seal(webhookSealName(id), secret);

const create = (w: World, id = "end_1", parts: Partial<typeof newEndpoint> = {}) =>
  w.spool.createEndpoint({ ...newEndpoint, id, sealedSecret: sealed(w, id), ...parts });

describe("webhook dispatcher", () => {
  it("sends to each endpoint with its own secret, also to one that is created later", async (t) => {
    const w = await world(t);
    await create(w, "end_1", { url: "https://one.example/" });
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post to the first");
    await create(w, "end_2", { url: "https://two.example/" });
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 3, "posts to both");
    assert.deepEqual(w.poster.posts.map(({ request }) => [request.url, ...request.secrets]).toSorted(), [
      ["https://one.example/", "secret of end_1"],
      ["https://one.example/", "secret of end_1"],
      ["https://two.example/", "secret of end_2"],
    ]);
  });

  it("signs with both secrets during a rotation, and with the new one alone after it", async (t) => {
    const w = await world(t);
    await create(w);
    w.dispatcher.start();
    w.poster.status = null;
    const formerUntilMs = w.clock.now() + 10 * MINUTE_MS;
    await w.change({ type: "rotate", sealedSecret: sealed(w, "end_1", "new"), formerUntilMs });
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post");
    await w.clock.advance(10 * MINUTE_MS);
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 2, "another post");
    assert.deepEqual(
      w.poster.posts.map(({ request }) => request.secrets),
      [["new", "secret of end_1"], ["new"]],
    );
  });

  it("sends nothing to a paused endpoint, and what waited once it is resumed", async (t) => {
    const w = await world(t);
    await create(w);
    w.poster.status = () => 200;
    w.dispatcher.start();
    await w.change({ type: "pause", atMs: 1 });
    await w.spool.accept(newMessage());
    await w.clock.advance(2 * MINUTE_MS);
    assert.equal(w.poster.answered.length, 0);
    await w.change({ type: "resume" });
    await w.until(() => w.poster.received.length === 1, "the event");
  });

  it("goes on with the changed URL only after the attempts under way have ended", async (t) => {
    const w = await world(t);
    await create(w);
    w.dispatcher.start();
    const message = newMessage();
    await w.spool.accept(message);
    await w.until(() => w.poster.posts.length === 1, "a post");
    await w.change({ type: "edit", url: "https://new.example/", types: null, keys: null, domains: null });
    await settleMessage(w.spool, message.id, 2, [settlement(0, "delivered")]);
    await w.clock.advance(MINUTE_MS);
    assert.equal(w.poster.posts.length, 1);
    w.poster.posts[0]?.respond(200);
    await w.until(() => w.poster.posts.length >= 2, "the next post");
    assert.ok(w.poster.posts.slice(1).every(({ request }) => request.url === "https://new.example/"));
  });

  it("sends again what is replayed: all events since a time, and one event", async (t) => {
    const w = await world(t);
    await create(w);
    w.poster.status = () => 200;
    w.dispatcher.start();
    for (const createdAtMs of [10, 20, 30]) await w.spool.accept(newMessage({ createdAtMs }));
    await w.until(() => w.poster.received.length === 3, "three events");
    const events = await allEvents(w.spool);
    await w.until(async () => (await w.spool.endpoints(null))[0]?.position === events[2]?.number, "the position");
    await w.change({ type: "replay", sinceMs: 20 });
    await w.until(() => w.poster.received.length === 5, "two of them again");
    assert.deepEqual(
      w.poster.received.slice(3).toSorted(),
      events
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    );
    await w.until(async () => (await w.spool.endpoints(null))[0]?.position === events[2]?.number, "the position");
    await w.change({ type: "replay_one", eventNumber: events[0]?.number ?? 0, atMs: w.clock.now() });
    await w.until(() => w.poster.received.length === 6, "one of them again");
    assert.equal(w.poster.received.at(-1), events[0]?.id);
  });

  it("reports a disabled endpoint once, and sends to it again when it is enabled", async (t) => {
    const w = await world(t);
    await create(w);
    w.poster.status = () => 410;
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.disabled === 1, "disabled");
    await w.spool.accept(newMessage());
    await w.clock.advance(5 * MINUTE_MS);
    assert.deepEqual([w.disabled, w.poster.answered.length], [1, 1]);
    w.poster.status = () => 200;
    await w.change({ type: "resume" });
    await w.until(() => w.poster.received.length === 2, "both events");
  });

  it("sends nothing while a restored spool is paused", async (t) => {
    const w = await world(t);
    await create(w);
    await w.spool.writeValue(PAUSE_ENTRY, JSON.stringify({ backupAtMs: 1, newestSeq: 0 }));
    w.poster.status = () => 200;
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.clock.advance(5 * MINUTE_MS);
    assert.equal(w.poster.answered.length, 0);
    await w.spool.resumeDelivery({ nowMs: 3, waiting: "send" });
    await w.clock.advance(MINUTE_MS);
    await w.until(() => w.poster.received.length === 1, "the event");
  });

  it("sends to the others if an endpoint's secret does not open", async (t) => {
    const w = await world(t);
    await create(w, "end_1", { sealedSecret: Buffer.from("sealed with another key, and long enough for a tag") });
    await create(w, "end_2", { url: "https://two.example/" });
    w.poster.status = () => 200;
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.received.length === 1, "one event");
    await w.clock.advance(2 * MINUTE_MS);
    assert.equal(w.poster.answered.length, 1);
  });

  it("sends with the present secret if the former one does not open", async (t) => {
    const w = await world(t);
    await create(w, "end_1", { sealedSecret: Buffer.from("sealed with another key, and long enough for a tag") });
    const formerUntilMs = w.clock.now() + MINUTE_MS;
    await w.change({ type: "rotate", sealedSecret: sealed(w, "end_1", "new"), formerUntilMs });
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post");
    assert.deepEqual(w.poster.posts[0]?.request.secrets, ["new"]);
  });

  it("does not repeat what was sent because an endpoint is paused and resumed", async (t) => {
    const w = await world(t);
    await create(w);
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post");
    await w.change({ type: "pause", atMs: 1 });
    w.poster.posts[0]?.respond(200);
    await w.until(async () => (await w.spool.attempts(LOG)).length === 1, "the result is stored");
    await w.change({ type: "resume" });
    await w.clock.advance(2 * MINUTE_MS);
    assert.equal(w.poster.posts.length, 1);
  });

  it("is not delayed for other endpoints by one that never responds", async (t) => {
    const w = await world(t);
    await create(w, "end_1", { url: "https://dead.example/" });
    await create(w, "end_2", { url: "https://live.example/" });
    w.dispatcher.start();
    for (let i = 0; i < 50; i += 1) await w.spool.accept(newMessage());
    const live = () => w.poster.posts.filter(({ request }) => request.url.includes("live"));
    for (let i = 0; i < 50; i += 1) {
      await w.until(() => live().length > i, `post ${i}`);
      live()[i]?.respond(200);
    }
    assert.equal(w.poster.received.length, 50);
    assert.equal(w.poster.posts.filter(({ request }) => request.url.includes("dead")).length, 8);
  });

  it("ignores responses that arrive after a stop was over: the attempts are made again", async (t) => {
    const w = await world(t);
    await create(w);
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post");
    const stopped = w.dispatcher.stop(1000);
    await w.clock.advance(1000);
    await stopped;
    w.poster.posts[0]?.respond(null);
    await w.clock.advance(1000);
    assert.deepEqual(await w.spool.attempts(LOG), []);
    assert.equal((await w.spool.endpoints(null))[0]?.position, 0);
  });
});

describe("webhook dispatcher of one of several processes", () => {
  it("sends to the endpoints of its shards only", async (t) => {
    const duties = new FakeDuties();
    const w = await world(t, duties);
    duties.take(...WEBHOOK_SHARDS.filter((shard) => shard !== webhookShard("end_1")));
    const other = Array.from({ length: 20 }, (_, i) => `end_${i + 2}`).find((id) => duties.holds(webhookShard(id)));
    assert.ok(other);
    await create(w);
    await create(w, other, { url: "https://other.example/" });
    w.poster.status = () => 200;
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.received.length === 1, "one event");
    await w.clock.advance(2 * MINUTE_MS);
    assert.equal((await w.spool.attempts({ ...LOG, endpointId: other })).length, 1);
    assert.equal(w.poster.received.length, 1);
    duties.take(webhookShard("end_1"));
    await w.until(() => w.poster.received.length === 2, "the event of the other shard");
  });

  it("begins nothing once the shard is lost, and stores what was under way", async (t) => {
    const duties = new FakeDuties();
    const w = await world(t, duties);
    await create(w);
    duties.take(...WEBHOOK_SHARDS);
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post");
    duties.lose(webhookShard("end_1"));
    await w.spool.accept(newMessage());
    w.poster.posts[0]?.respond(200);
    await w.until(async () => (await w.spool.attempts(LOG)).length === 1, "the result is stored");
    await w.clock.advance(2 * MINUTE_MS);
    assert.equal(w.poster.posts.length, 1);
    duties.take(webhookShard("end_1"));
    await w.until(() => w.poster.posts.length === 2, "the next event");
  });

  it("stores nothing once another process has taken the shard, also if it returns", async (t) => {
    const duties = new FakeDuties();
    const w = await world(t, duties);
    await create(w);
    duties.take(...WEBHOOK_SHARDS);
    w.dispatcher.start();
    await w.spool.accept(newMessage());
    await w.until(() => w.poster.posts.length === 1, "a post");
    duties.lose(webhookShard("end_1"))();
    duties.take(webhookShard("end_1"));
    await w.clock.advance(2 * MINUTE_MS);
    assert.equal(w.poster.posts.length, 1);
    w.poster.posts[0]?.respond(null);
    await w.until(() => w.poster.posts.length === 2, "the event again, as nothing is known of it");
    assert.deepEqual(await w.spool.attempts(LOG), []);
  });
});
