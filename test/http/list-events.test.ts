/** The feed: its pages and cursors, and how it waits. The spool's reads are played; the clock is the test's. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import type { Context } from "koa";
import { createFeed } from "../../src/http/list-events.ts";
import { LongPolls } from "../../src/http/long-poll.ts";
import type { Problem } from "../../src/http/response/problems.ts";
import type { ApiKey } from "../../src/spool/port/api-keys.ts";
import type { EventListener, EventPage, EventQuery, Events, OutboxEvent } from "../../src/spool/port/events.ts";
import { fakeClock, quiet } from "../support/fake-clock.ts";

const KEY = {
  id: "key_a",
  accountId: "acc_a",
  permissions: ["send", "read"],
  domains: null,
  test: false,
} as unknown as ApiKey;

/** Events with the numbers 1, 2, 3 and so on. */
class FakeEvents implements Events {
  readonly queries: EventQuery[] = [];
  isExpired = false;
  /** The number of events that one read looks at. */
  rowsPerRead = 10;
  /** The time that one read takes, and all have taken. */
  readMs = 0;
  readsMs = 0;
  readonly #stored: OutboxEvent[] = [];
  readonly #listeners = new Set<EventListener>();

  get count(): number {
    return this.#stored.length;
  }

  add(parts: Partial<OutboxEvent> = {}): void {
    const number = this.#stored.length + 1;
    this.#stored.push({
      id: `evt_${number}`,
      number,
      accountId: KEY.accountId,
      keyId: KEY.id,
      atMs: 1000 * number,
      type: "message.accepted",
      sequence: 1,
      messageId: `msg_${number}`,
      orderKey: number,
      domain: "shop.example",
      recipient: null,
      tags: [],
      metadata: {},
      test: false,
      ...parts,
    });
    for (const listener of this.#listeners) listener(new Set([KEY.accountId]));
  }

  async events(query: EventQuery): Promise<EventPage | "expired"> {
    this.queries.push(query);
    this.readsMs += this.readMs;
    const { afterNumber, filter, limit } = query;
    if (this.isExpired && afterNumber !== null) return "expired";
    const events: OutboxEvent[] = [];
    let throughNumber = afterNumber ?? 0;
    const rows = this.#stored.slice(throughNumber, throughNumber + this.rowsPerRead);
    for (const row of rows) {
      throughNumber = row.number;
      if (filter.keys?.includes(row.keyId ?? "") ?? true) events.push(row);
      if (events.length === limit) return { events, throughNumber, isEnd: false };
    }
    return { events, throughNumber, isEnd: rows.length < this.rowsPerRead };
  }

  onEvents(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

interface Answer {
  events: { id: string; type: string; sequence: number }[];
  next: string;
}

function startFeed() {
  const spool = new FakeEvents();
  const clock = fakeClock();
  const readsClock = { ...clock, monotonicMs: () => clock.monotonicMs() + spool.readsMs };
  const end = new AbortController();
  const polls = new LongPolls({ clock, longPollsEnd: end.signal });
  const feed = createFeed({ spool, polls, clock: readsClock });
  const ask = async (query: Record<string, string> = {}): Promise<Answer> => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false });
    const ctx = { query, req: { socket }, state: {} } as unknown as Context;
    await feed(ctx, KEY);
    assert.equal(ctx.type, "application/json");
    return JSON.parse(ctx.body as string) as Answer;
  };
  return { spool, clock, end, ask };
}

/** Waits until `count` reads were made. Returns the number of reads in each iteration of the event loop. */
async function readsByIteration({ queries }: FakeEvents, count: number): Promise<number[]> {
  const counts: number[] = [];
  for (let seen = 0; seen < count; ) {
    const before = queries.length;
    await nextIteration();
    counts.push(queries.length - before);
    seen += queries.length - before;
  }
  return counts;
}

const idsOf = ({ events }: Answer): string[] => events.map(({ id }) => id);
const idsFrom = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => `evt_${first + i}`);

test("the pages contain each event once, oldest first", async () => {
  const { spool, ask } = startFeed();
  for (let i = 0; i < 130; i += 1) spool.add();
  const first = await ask();
  assert.deepEqual(idsOf(first), idsFrom(1, 20), "20 by default");
  const second = await ask({ after: first.next, limit: "100" });
  assert.deepEqual(idsOf(second), idsFrom(21, 120));
  const third = await ask({ after: second.next });
  assert.deepEqual(idsOf(third), idsFrom(121, 130));
  const last = await ask({ after: third.next });
  assert.deepEqual(last, { events: [], next: third.next });
  spool.add();
  assert.deepEqual(idsOf(await ask({ after: last.next })), ["evt_131"]);
});

test("an event is shown as event-view.ts has it", async () => {
  const { spool, ask } = startFeed();
  const smtp = { code: 250, enhanced_code: "2.0.0", message: "OK", mx: "mx.b.example", ip: "192.0.2.1", tls: null };
  const recipient = {
    email: "a@b.example",
    result: "delivered",
    reason: null,
    category: null,
    attempts: 1,
    smtp,
  } as const;
  spool.add({ type: "recipient.delivered", sequence: 2, recipient, tags: ["a"], metadata: { order: "1" } });
  assert.deepEqual((await ask()).events, [
    {
      id: "evt_1",
      type: "recipient.delivered",
      at: "1970-01-01T00:00:01.000Z",
      sequence: 2,
      message_id: "msg_1",
      domain: "shop.example",
      recipient: { ...recipient, receiver: "b.example" },
      tags: ["a"],
      metadata: { order: "1" },
      test: false,
    },
  ]);
});

test("only events of the key's messages are read, and `next` passes those of others", async () => {
  const { spool, ask } = startFeed();
  for (let i = 0; i < 45; i += 1) spool.add({ keyId: "key_b" });
  const { events, next } = await ask();
  assert.deepEqual(events, []);
  assert.equal(spool.queries.length, 5, "reads on while events follow");
  for (const { accountId, filter, withDomains } of spool.queries) {
    assert.deepEqual(
      { accountId, filter, withDomains },
      {
        accountId: KEY.accountId,
        filter: { types: null, keys: [KEY.id], domains: null },
        withDomains: false,
      },
    );
  }
  spool.add();
  assert.deepEqual(idsOf(await ask({ after: next })), ["evt_46"]);
  assert.equal(spool.queries.at(-1)?.afterNumber, 45);
});

test("one request makes a limited number of reads, and its `next` continues there", async () => {
  const { spool, ask } = startFeed();
  for (let i = 0; i < 1000; i += 1) spool.add({ keyId: "key_b" });
  spool.add();
  const { events, next } = await ask();
  assert.deepEqual([events, spool.queries.length], [[], 20]);
  let answer: Answer = { events, next };
  for (let i = 0; answer.events.length === 0 && i < 10; i += 1) answer = await ask({ after: answer.next });
  assert.deepEqual(idsOf(answer), ["evt_1001"]);
});

test("a page ends early where its events are large", async () => {
  const { spool, ask } = startFeed();
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`name${i}`, "\u{1f4e6}".repeat(500)]));
  for (let i = 0; i < 30; i += 1) spool.add({ metadata });
  const eventBytes = Buffer.byteLength(JSON.stringify(metadata));
  const seen: string[] = [];
  let query: Record<string, string> = { limit: "100" };
  while (seen.length < spool.count) {
    const page = await ask(query);
    const pageBytes = page.events.length * eventBytes;
    assert.ok(page.events.length > 0 && pageBytes < 512 * 1024 + eventBytes, `${pageBytes} bytes`);
    seen.push(...idsOf(page));
    query = { limit: "100", after: page.next };
  }
  assert.deepEqual(seen, idsFrom(1, 30));
});

test("a malformed parameter is named", async () => {
  const { ask } = startFeed();
  const queries: [string, string][] = [
    ...["", "p", "x1", "pA", "p-1", "p1.5", `p${"z".repeat(11)}`, "evt_1"].map((after): [string, string] => [
      "after",
      after,
    ]),
    ...["0", "101", "x"].map((limit): [string, string] => ["limit", limit]),
    ...["61", "-1"].map((wait): [string, string] => ["wait", wait]),
    ["type", "message.accepted"],
  ];
  for (const [name, value] of queries) {
    await assert.rejects(ask({ [name]: value }), ({ code, extras }: Problem) => {
      assert.deepEqual([code, extras.errors?.map(({ field }) => field)], ["invalid_request", [name]], value);
      return true;
    });
  }
});

test("a cursor whose events were deleted is gone, and the detail says how to continue", async () => {
  const { spool, ask } = startFeed();
  spool.add();
  const { next } = await ask();
  spool.isExpired = true;
  await assert.rejects(ask({ after: next }), ({ status, code, message }: Problem) => {
    assert.deepEqual([status, code], [410, "cursor_expired"]);
    assert.match(message, /RETENTION_RESULTS.*without the parameter after/);
    return true;
  });
  assert.deepEqual(idsOf(await ask()), ["evt_1"]);
});

test("a request waits for the key's next event", async () => {
  const { spool, clock, ask } = startFeed();
  const held = ask({ wait: "30" });
  await clock.advance(1000);
  spool.add({ keyId: "key_b" });
  await clock.advance(1000);
  assert.deepEqual(clock.dueMs.length, 1, "it still waits");
  spool.add();
  const answer = await held;
  assert.deepEqual(idsOf(answer), ["evt_2"]);
  assert.deepEqual(clock.dueMs, []);

  const empty = ask({ wait: "30", after: answer.next });
  await clock.advance(30_000);
  assert.deepEqual(await empty, { events: [], next: answer.next });
});

test("an event is not missed that is committed before the request waits", async () => {
  const { spool, ask } = startFeed();
  const read = spool.events.bind(spool);
  spool.events = async (query) => {
    const page = await read(query);
    // Committed after the read, before the endpoint knows its result.
    if (spool.count === 0) spool.add();
    return page;
  };
  assert.deepEqual(idsOf(await ask({ wait: "30" })), ["evt_1"]);
});

test("a request responds at once if there are events, or the service stops", async () => {
  const { spool, end, ask } = startFeed();
  const held = ask({ wait: "30" });
  await quiet();
  end.abort();
  const { events, next } = await held;
  assert.deepEqual(events, []);
  spool.add();
  assert.deepEqual(idsOf(await ask({ wait: "30", after: next })), ["evt_1"]);
});

test("a waiting request reads on where many events are of other keys", async () => {
  const { spool, clock, ask } = startFeed();
  for (let i = 0; i < 1000; i += 1) spool.add({ keyId: "key_b" });
  spool.add();
  const held = ask({ wait: "30" });
  for (let i = 0; i < 10; i += 1) await clock.advance(100);
  assert.deepEqual(idsOf(await held), ["evt_1001"]);
});

test("an account's waiting requests look at most a hundred times a second together", async () => {
  const { spool, clock, ask } = startFeed();
  spool.rowsPerRead = 500;
  const held = Array.from({ length: 100 }, () => ask({ wait: "10" }));
  await quiet();
  spool.queries.length = 0;
  for (let ms = 0; ms < 2000; ms += 10) {
    spool.add({ keyId: "key_b" });
    await clock.advance(10);
  }
  assert.ok(spool.queries.length >= 100 && spool.queries.length <= 300, `${spool.queries.length} reads in 2 s`);
  await clock.advance(8000);
  for (const { events } of await Promise.all(held)) assert.deepEqual(events, []);
});

test("a commit leads to a look of each waiting request, a few in one iteration of the event loop", {
  timeout: 10_000,
}, async () => {
  const { spool, clock, ask } = startFeed();
  spool.readMs = 1;
  const held = Array.from({ length: 100 }, () => ask({ wait: "60" }));
  const first = await readsByIteration(spool, 200);
  assert.ok(Math.max(...first) <= 3, `the first read of each, and the one as it begins to wait: ${first}`);
  await clock.advance(2000);

  const before = spool.queries.length;
  spool.add({ keyId: "key_b" });
  assert.equal(spool.queries.length, before, "none in the tick of the commit");
  const looks = await readsByIteration(spool, 100);
  assert.ok(Math.max(...looks) <= 3, `${looks}`);
  await clock.advance(2000);
  assert.equal(spool.queries.length, before + 100, "each looks once");

  spool.readMs = 5;
  spool.add();
  const slow = await readsByIteration(spool, 100);
  assert.equal(Math.max(...slow), 1);
  for (const answer of await Promise.all(held)) assert.deepEqual(idsOf(answer), ["evt_2"]);
});

test("an event that is committed while looks wait for their turn is in their answers", {
  timeout: 10_000,
}, async () => {
  const { spool, clock, ask } = startFeed();
  spool.readMs = 5;
  const held = Array.from({ length: 20 }, () => ask({ wait: "60" }));
  await readsByIteration(spool, 40);
  await clock.advance(2000);
  spool.add({ keyId: "key_b" });
  await readsByIteration(spool, 10);
  spool.add();
  await readsByIteration(spool, 10);
  await clock.advance(2000);
  const answers = await Promise.all(held);
  for (const answer of answers) assert.deepEqual(idsOf(answer), ["evt_2"]);
});

test("a single request is read for in the next iteration", async () => {
  const { spool, ask } = startFeed();
  const answer = ask();
  assert.deepEqual(await readsByIteration(spool, 1), [1]);
  await answer;
});

const isLimit = ({ status, code, extras }: Problem): boolean =>
  status === 429 && code === "rate_limit_exceeded" && (extras.retryAfterS ?? 0) > 0;

test("an account holds a limited number of requests, and may read beside them", async () => {
  const { spool, clock, end, ask } = startFeed();
  const held = Array.from({ length: 100 }, () => ask({ wait: "60" }));
  await quiet();
  await assert.rejects(ask({ wait: "60" }), isLimit);
  assert.deepEqual(idsOf(await ask()), []);
  spool.add();
  assert.deepEqual(idsOf(await ask({ wait: "60" })), ["evt_1"], "it is not held");
  await clock.advance(2000);
  await Promise.all(held);
  const next = ask({ after: "p1", wait: "60" });
  await quiet();
  end.abort();
  assert.deepEqual(idsOf(await next), []);
});

test("a limited number of an account's requests wait for a read", async () => {
  const { ask } = startFeed();
  const asked = Array.from({ length: 200 }, () => ask());
  await assert.rejects(ask(), isLimit);
  await Promise.all(asked);
  await ask();
});
