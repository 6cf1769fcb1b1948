/** The feed of events: what a client that follows it sees, also through a restart, and after its events were deleted. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isFinal, pollUntil, send } from "../support/api-client.ts";
import { apiTarget } from "../support/peers.ts";
import { startSecondService } from "../support/second-service.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { otherAccountsKey } from "./refusals.ts";

const FEED = "/api/sending/events";

interface Event {
  id: string;
  type: string;
  sequence: number;
  message_id: string;
  recipient: { email: string; result: string } | null;
}

interface Page {
  events: Event[];
  next: string;
}

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

const ask = (url: string, key: string, query: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}${FEED}${query}`, { headers: { Authorization: `Bearer ${key}` }, ...(signal ? { signal } : {}) });

async function page(url: string, key: string, query = ""): Promise<Page> {
  const answer = await ask(url, key, query);
  assert.equal(answer.status, 200);
  return (await answer.json()) as Page;
}

/** A client that stores the cursor of each page, and asks again after each response and each lost connection. */
class Follower {
  readonly events: Event[] = [];
  #next = "";
  #url: string;
  readonly #key: string;
  readonly #stop = new AbortController();

  constructor(t: TestContext, url: string, key: string) {
    this.#url = url;
    this.#key = key;
    t.after(() => this.#stop.abort());
    void this.#follow();
  }

  moveTo(url: string): void {
    this.#url = url;
  }

  /** The test's time limit ends a condition that never becomes true. */
  async until(isTrue: (events: Event[]) => boolean): Promise<void> {
    while (!isTrue(this.events)) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const answer = await this.#ask().catch(() => null);
      if (answer === null) continue;
      this.events.push(...answer.events);
      this.#next = answer.next;
    }
  }

  async #ask(): Promise<Page | null> {
    const after = this.#next === "" ? "" : `&after=${this.#next}`;
    const answer = await ask(this.#url, this.#key, `?limit=3&wait=60${after}`, this.#stop.signal);
    return answer.status === 200 ? ((await answer.json()) as Page) : null;
  }
}

const typesOf = (events: Event[], messageId: string): string[] =>
  events.filter((event) => event.message_id === messageId).map(({ type }) => type);

/** The events are distinct, and those of each message are complete and in order. */
function assertWhole(events: Event[]): void {
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, "no event twice");
  const counted = new Map<string, number>();
  for (const { message_id: id, sequence } of events) {
    assert.equal(sequence, (counted.get(id) ?? 0) + 1, id);
    counted.set(id, sequence);
  }
}

test("a client that follows the feed through a restart misses nothing and sees nothing twice", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t);
  const follower = new Follower(t, world.service.url, world.key);
  const sendTo = (target: { url: string }, to: string[]) => send({ ...target, key: world.key }, sendBody({ to }));
  const before = await Promise.all(
    Array.from({ length: 5 }, () => sendTo(world.service, [at("delivered"), at("5xx-550")])),
  );
  await follower.until((events) => events.some(({ message_id: id }) => id === before[0]));
  const pending = await sendTo(world.service, [at("4xx-451")]);
  await follower.until((events) => typesOf(events, pending).includes("recipient.deferred"));
  await world.service.stop();

  const service = await startSecondService(t, world.env);
  follower.moveTo(service.url);
  const after = await Promise.all(Array.from({ length: 5 }, () => sendTo(service, [at("delivered")])));
  const isWhole = (id: string): boolean => typesOf(follower.events, id).length === (before.includes(id) ? 3 : 2);
  await follower.until(() => [...before, ...after].every(isWhole));

  assertWhole(follower.events);
  for (const id of before) {
    const [first, ...others] = typesOf(follower.events, id);
    assert.equal(first, "message.accepted");
    assert.deepEqual(others.toSorted(), ["recipient.delivered", "recipient.failed"]);
  }
  for (const id of after) assert.deepEqual(typesOf(follower.events, id), ["message.accepted", "recipient.delivered"]);
  const { events } = await page(service.url, world.key, "?limit=100");
  assert.deepEqual(
    events.map(({ id }) => id),
    follower.events.map(({ id }) => id),
    "another reader sees the same",
  );
});

test("a key sees the events of its own messages only", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { url } = world.service;
  const [second, other] = [await world.newKey(), await otherAccountsKey(world)];
  const keys = [world.key, second.key];
  const ids = await Promise.all(keys.map((key) => send({ url, key }, sendBody())));
  for (const [i, key] of keys.entries()) await pollUntil({ url, key }, ids[i] ?? "", isFinal);

  for (const [i, key] of keys.entries()) {
    const { events, next } = await page(url, key);
    assert.deepEqual(
      events.map(({ type, message_id: id, recipient }) => [type, id, recipient?.result ?? null]),
      [
        ["message.accepted", ids[i], null],
        ["recipient.delivered", ids[i], "delivered"],
      ],
    );
    assert.deepEqual((await page(url, key, `?after=${next}`)).events, []);
  }
  assert.deepEqual((await page(url, other.key)).events, []);
});

test("a cursor expires with the events after it, and a client begins again", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const { url } = world.service;
  const { next: start } = await page(url, world.key);
  await pollUntil(apiTarget(world), await send(apiTarget(world), sendBody()), isFinal);
  const { next: end, events } = await page(url, world.key);
  assert.equal(events.length, 2);
  await deleteFinalMessages(world);

  const problem = await problemOf(await ask(url, world.key, `?after=${start}`), 410, "cursor_expired");
  assert.match(problem.detail, /RETENTION_RESULTS/);
  assert.deepEqual((await page(url, world.key, `?after=${end}`)).events, [], "nothing after it was deleted");
  const id = await send(apiTarget(world), sendBody({ to: at("4xx-451") }));
  const again = await page(url, world.key);
  assert.deepEqual([again.events[0]?.message_id, again.events[0]?.type], [id, "message.accepted"]);
  assert.deepEqual((await page(url, world.key, `?after=${end}`)).events[0], again.events[0]);
});

/** What a retention pass does at the end of RETENTION_RESULTS. */
async function deleteFinalMessages({ service: { spool } }: World): Promise<void> {
  const nowMs = Date.now() + 1000;
  const step = { nowMs, contentsBeforeMs: nowMs, resultsBeforeMs: nowMs, limit: 100 };
  assert.equal((await spool.applyRetention(step)).messages, 1);
}
