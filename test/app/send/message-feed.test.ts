/** Where a feed of messages begins: after the newest event, also where older events were deleted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FeedStore, MessageFeed } from "../../../src/app/send/message-feed.ts";
import type { EventPage, EventQuery, OutboxEvent } from "../../../src/spool/port/events.ts";

/** A store with the events of these numbers; those up to `deletedThrough` were deleted. Counts its reads. */
function storeWith(numbers: readonly number[], deletedThrough = 0) {
  const asked: (number | null)[] = [];
  const events = async ({ afterNumber, limit }: EventQuery): Promise<EventPage | "expired"> => {
    asked.push(afterNumber);
    const newest = Math.max(deletedThrough, ...numbers);
    if (afterNumber !== null && (afterNumber < deletedThrough || afterNumber > newest)) return "expired";
    const later = numbers.filter((number) => number > (afterNumber ?? 0));
    const page = later.slice(0, limit);
    return {
      events: page.map((number) => ({ number, messageId: `msg_${number}` }) as OutboxEvent),
      throughNumber: page.at(-1) ?? afterNumber ?? 0,
      isEnd: later.length <= limit,
    };
  };
  const store: FeedStore = {
    events,
    report: async () => null,
    reports: { find: () => Promise.reject(new Error("unused")) },
  };
  return { store, asked };
}

const numbersFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

const CASES: [name: string, numbers: number[], deletedThrough: number, newest: number][] = [
  ["no event", [], 0, 0],
  ["one event", [1], 0, 1],
  ["many events", numbersFrom(1, 1000), 0, 1000],
  ["events after those that were deleted", numbersFrom(1001, 11), 1000, 1011],
  ["one event after those that were deleted", [70_001], 70_000, 70_001],
  ["numbers that jump ahead", [1, 2, 3, 5_000_000, 5_000_001], 0, 5_000_001],
];

for (const [name, numbers, deletedThrough, newest] of CASES) {
  test(`begins after the newest of ${name}, in few reads`, async () => {
    const { store, asked } = storeWith(numbers, deletedThrough);
    const feed = await MessageFeed.begin(store, { accountId: "acc_1" } as Parameters<typeof MessageFeed.begin>[1]);
    assert.ok(asked.length < 60, `${asked.length} reads`);
    asked.length = 0;
    assert.deepEqual(await feed.next(), { messages: [], isEnd: true });
    assert.deepEqual(asked, [newest]);
  });
}
