/** Which sends are rejected when more is sent than can be stored, and when. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptBackpressure } from "../../../src/app/send/accept-backpressure.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";

const LIMITS = { waitingMax: 4, burstMax: 8, burstMs: 1000 };

interface Scene {
  clock: FakeClock;
  backpressure: AcceptBackpressure;
  /** Adds `count` waiting sends of an account. */
  wait: (accountId: string, count: number) => void;
  /** Stores all waiting sends. */
  commit: () => Promise<void>;
}

function scene(): Scene {
  const clock = fakeClock();
  const backpressure = new AcceptBackpressure(clock, LIMITS);
  let waiting: (() => void)[] = [];
  let ended: Promise<void>[] = [];
  return {
    clock,
    backpressure,
    wait(accountId, count) {
      for (let i = 0; i < count; i += 1)
        ended.push(backpressure.wait(accountId, () => new Promise<void>((resolve) => waiting.push(resolve))));
    },
    async commit() {
      for (const store of waiting) store();
      await Promise.all(ended);
      [waiting, ended] = [[], []];
    },
  };
}

test("a burst may wait, sends in a lasting overload may not, and stored sends no longer count", async () => {
  const { clock, backpressure, wait, commit } = scene();
  wait("a", 3);
  await clock.advance(60_000);
  assert.equal(backpressure.rejects("a"), false, "below the limit, however long it takes");
  wait("a", 2);
  assert.equal(backpressure.rejects("a"), false, "a burst begins");
  await clock.advance(1000);
  assert.equal(backpressure.rejects("a"), false, "the burst may still last");
  await clock.advance(1);
  assert.equal(backpressure.rejects("a"), true, "the overload lasts");
  await commit();
  assert.equal(backpressure.rejects("a"), false);
});

test("an overload that returns immediately is not a new burst; after a second below the limit it is", async () => {
  const { clock, backpressure, wait, commit } = scene();
  wait("a", 4);
  for (const expected of [false, true]) {
    assert.equal(backpressure.rejects("a"), expected);
    await commit();
    wait("a", 4);
    await clock.advance(999);
    assert.equal(backpressure.rejects("a"), expected);
    await clock.advance(2);
  }
  await clock.advance(1001);
  assert.equal(backpressure.rejects("a"), false, "a new burst begins");
});

test("a burst is limited in number", () => {
  const { backpressure, wait } = scene();
  wait("a", 7);
  assert.equal(backpressure.rejects("a"), false);
  wait("a", 1);
  assert.equal(backpressure.rejects("a"), true);
});

test("accounts below their fair share are accepted beside a flood of others, and one share is reserved", () => {
  const { backpressure, wait } = scene();
  wait("a", 8);
  assert.equal(backpressure.rejects("b"), false);
  wait("b", 1);
  assert.equal(backpressure.rejects("b"), false, "1 of 4, shared by 2 accounts and a new one");
  wait("b", 1);
  assert.equal(backpressure.rejects("b"), true);
  assert.equal(backpressure.rejects("c"), false);
  wait("c", 1);
  assert.equal(backpressure.rejects("c"), true, "1 of 4, shared by 3 accounts and a new one");
});

test("an acceptance that fails is no longer counted", async () => {
  const { clock, backpressure } = scene();
  const failing = Array.from({ length: 10 }, () =>
    assert.rejects(
      backpressure.wait("a", () => Promise.reject(new Error("the disk is full"))),
      /full/,
    ),
  );
  assert.equal(backpressure.isFull, true);
  await Promise.all(failing);
  await clock.advance(2000);
  assert.equal(backpressure.isFull, false);
});
