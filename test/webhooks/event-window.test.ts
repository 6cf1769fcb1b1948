import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OutboxEvent } from "../../src/spool/port/events.ts";
import { EventWindow } from "../../src/webhooks/event-window.ts";

const fresh = (number: number, orderKey: number, isBlocked = false, isCovered = false) => ({
  event: { number, orderKey } as OutboxEvent,
  isBlocked,
  isCovered,
});
const free = () => false;
const page = (events: ReturnType<typeof fresh>[], throughNumber = events.at(-1)?.event.number ?? 0) => ({
  events,
  throughNumber,
  isEnd: true,
});

describe("event window", () => {
  it("has the position before the first event that is not done, and after them the last event read", () => {
    const window = new EventWindow(4);
    assert.equal(window.position, 4);
    window.add(page([fresh(6, 1), fresh(7, 2), fresh(9, 3)], 12), free);
    assert.equal(window.position, 5);
    window.finish(7);
    assert.equal(window.position, 5);
    window.finish(6);
    assert.equal(window.position, 8);
    window.finish(9);
    assert.equal(window.position, 12);
    assert.equal(window.size, 3);
    window.stored(8);
    assert.equal(window.size, 1);
    window.stored(12);
    assert.equal(window.size, 0);
  });

  it("returns events in order, passing over busy order keys", () => {
    const window = new EventWindow(0);
    window.add(page([fresh(1, 1), fresh(2, 2), fresh(3, 1)]), free);
    const busy = new Set<number>();
    const take = () => {
      const event = window.take((key) => busy.has(key));
      if (event !== null) busy.add(event.orderKey);
      return event?.number ?? null;
    };
    assert.deepEqual([take(), take(), take()], [1, 2, null]);
    assert.equal(
      window.hasNext((key) => busy.has(key)),
      false,
    );
    busy.delete(1);
    assert.equal(take(), 3);
    assert.equal(window.take(free), null);
  });

  it("passes over events that wait or were sent already", () => {
    const window = new EventWindow(0);
    assert.deepEqual(window.add(page([fresh(1, 7, true, true), fresh(2, 8)]), free), []);
    assert.equal(window.take(free)?.number, 2);
    window.finish(2);
    assert.equal(window.position, 2);
  });

  it("keeps none of the events whose order key is held", () => {
    const window = new EventWindow(0);
    const blocked = window.add(page([fresh(1, 7), fresh(2, 8)]), (key) => key === 7);
    assert.deepEqual(blocked, [{ orderKey: 7, number: 1 }]);
    assert.equal(window.take(free)?.number, 2);
  });

  it("keeps none of the events that an earlier one blocks", () => {
    const window = new EventWindow(0);
    assert.deepEqual(window.add(page([fresh(1, 7, true), fresh(2, 8)]), free), [{ orderKey: 7, number: 1 }]);
    assert.equal(window.position, 1);
    window.add(page([fresh(3, 8), fresh(4, 9), fresh(5, 8)]), free);
    assert.equal(window.take(free)?.number, 2);
    assert.deepEqual(window.block(8), [
      { orderKey: 8, number: 3 },
      { orderKey: 8, number: 5 },
    ]);
    assert.equal(window.take(free)?.number, 4);
    assert.equal(window.position, 1);
    window.finish(2);
    assert.equal(window.position, 3);
  });
});
