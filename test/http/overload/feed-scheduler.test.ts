/** Shares of parsing time in one turn of the event loop, and connections that are closed for their waiting bytes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FeedScheduler, type Scheduled } from "../../../src/http/overload/feed-scheduler.ts";

const MB = 1024 * 1024;

const feed = (owner: string, isKnown: boolean, serve = (): void => {}): Scheduled => ({ owner, isKnown, serve });

test("connections without a valid key share one part of the parsing time, whatever their address; each account has its own", async () => {
  const scheduler = new FeedScheduler();
  const [unknown, otherUnknown] = [feed("address 192.0.2.1", false), feed("address 192.0.2.2", false)];
  const [busy, other] = [feed("acc_busy", true), feed("acc_other", true)];
  scheduler.spend(unknown, 6);
  assert.deepEqual(
    [unknown, otherUnknown, busy, other].map((each) => scheduler.isSpent(each)),
    [true, true, false, false],
  );
  scheduler.spend(busy, 21);
  assert.deepEqual(
    [busy, other].map((each) => scheduler.isSpent(each)),
    [true, false],
  );
  await nextTurn();
  assert.deepEqual(
    [unknown, otherUnknown, busy].map((each) => scheduler.isSpent(each)),
    [false, false, false],
  );
});

test("a new address is served among the first, however many connections of another address wait", async () => {
  const scheduler = new FeedScheduler();
  const served: string[] = [];
  for (let i = 0; i < 1000; i += 1) scheduler.add(feed("address 192.0.2.1", false, () => served.push("flood")));
  scheduler.add(feed("address 192.0.2.2", false, () => served.push("new address")));
  scheduler.add(feed("acc_1", true, () => served.push("account")));
  await nextTurn();
  assert.deepEqual(served.slice(0, 3), ["flood", "new address", "account"]);
  assert.ok(served.length < 20, `${served.length} were served in one turn of the event loop`);
});

test("when many bytes wait, connections without a key and with more than a short request are closed first, then all", () => {
  const scheduler = new FeedScheduler();
  const isClosed = (heldBytes: number): boolean[] => {
    scheduler.heldBytes = heldBytes;
    const [unknown, known] = [feed("address 192.0.2.1", false), feed("acc_1", true)];
    return [
      scheduler.holdsTooMuch(unknown, 64 * 1024),
      scheduler.holdsTooMuch(unknown, 5000),
      scheduler.holdsTooMuch(known, 64 * 1024),
    ];
  };
  assert.deepEqual(isClosed(1 * MB), [false, false, false]);
  assert.deepEqual(isClosed(9 * MB), [true, false, false]);
  assert.deepEqual(isClosed(33 * MB), [true, true, true]);
});
