/** Whose bytes are parsed when, and whose connection is cut for the bytes that it would hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FeedScheduler, type Scheduled } from "../../../src/http/overload/feed-scheduler.ts";

const MB = 1024 * 1024;

const feed = (owner: string, isKnown: boolean, serve = (): void => {}): Scheduled => ({ owner, isKnown, serve });

test("connections without a valid key share a part of the turn, whatever their address; accounts have their own", async () => {
  const scheduler = new FeedScheduler();
  const [stranger, newcomer] = [feed("address 192.0.2.1", false), feed("address 192.0.2.2", false)];
  const [busy, other] = [feed("acc_busy", true), feed("acc_other", true)];
  scheduler.spend(stranger, 6);
  assert.deepEqual(
    [stranger, newcomer, busy, other].map((each) => scheduler.isSpent(each)),
    [true, true, false, false],
  );
  scheduler.spend(busy, 21);
  assert.deepEqual(
    [busy, other].map((each) => scheduler.isSpent(each)),
    [true, false],
  );
  await nextTurn();
  assert.deepEqual(
    [stranger, newcomer, busy].map((each) => scheduler.isSpent(each)),
    [false, false, false],
  );
});

test("a newcomer's address is served among the first, however many connections of another wait", async () => {
  const scheduler = new FeedScheduler();
  const served: string[] = [];
  for (let i = 0; i < 1000; i += 1) scheduler.add(feed("address 192.0.2.1", false, () => served.push("flood")));
  scheduler.add(feed("address 192.0.2.2", false, () => served.push("newcomer")));
  scheduler.add(feed("acc_1", true, () => served.push("account")));
  await nextTurn();
  assert.deepEqual(served.slice(0, 3), ["flood", "newcomer", "account"]);
  assert.ok(served.length < 20, `${served.length} were served in one turn`);
});

test("where many bytes wait, strangers with more than a short request are cut first, then everybody", () => {
  const scheduler = new FeedScheduler();
  const cut = (heldBytes: number): boolean[] => {
    scheduler.heldBytes = heldBytes;
    const [stranger, known] = [feed("address 192.0.2.1", false), feed("acc_1", true)];
    return [
      scheduler.holdsTooMuch(stranger, 64 * 1024),
      scheduler.holdsTooMuch(stranger, 5000),
      scheduler.holdsTooMuch(known, 64 * 1024),
    ];
  };
  assert.deepEqual(cut(1 * MB), [false, false, false]);
  assert.deepEqual(cut(9 * MB), [true, false, false]);
  assert.deepEqual(cut(33 * MB), [true, true, true]);
});
