/** Who is turned away when more is sent than can be stored, and when. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptBackpressure } from "../../src/app/accept-backpressure.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";

const LIMITS = { waitingMax: 4, burstMax: 8, burstMs: 1000 };

interface Scene {
  clock: FakeClock;
  crowd: AcceptBackpressure;
  /** So many of an account wait from now on. */
  wait: (accountId: string, count: number) => void;
  /** All that wait are stored. */
  commit: () => Promise<void>;
}

function scene(): Scene {
  const clock = fakeClock();
  const crowd = new AcceptBackpressure(clock, LIMITS);
  let waiting: (() => void)[] = [];
  let ended: Promise<void>[] = [];
  return {
    clock,
    crowd,
    wait(accountId, count) {
      for (let i = 0; i < count; i += 1)
        ended.push(crowd.wait(accountId, () => new Promise<void>((resolve) => waiting.push(resolve))));
    },
    async commit() {
      for (const store of waiting) store();
      await Promise.all(ended);
      [waiting, ended] = [[], []];
    },
  };
}

test("a burst may wait, a crowd that stays may not, and what is stored makes room", async () => {
  const { clock, crowd, wait, commit } = scene();
  wait("a", 3);
  await clock.advance(60_000);
  assert.equal(crowd.rejects("a"), false, "there is room, however long it takes");
  wait("a", 2);
  assert.equal(crowd.rejects("a"), false, "a burst begins");
  await clock.advance(1000);
  assert.equal(crowd.rejects("a"), false, "it has not been for long yet");
  await clock.advance(1);
  assert.equal(crowd.rejects("a"), true, "it stays");
  await commit();
  assert.equal(crowd.rejects("a"), false);
});

test("a crowd that comes again at once is no new burst; after a calm second it is", async () => {
  const { clock, crowd, wait, commit } = scene();
  wait("a", 4);
  for (const expected of [false, true]) {
    assert.equal(crowd.rejects("a"), expected);
    await commit();
    wait("a", 4);
    await clock.advance(999);
    assert.equal(crowd.rejects("a"), expected);
    await clock.advance(2);
  }
  await clock.advance(1001);
  assert.equal(crowd.rejects("a"), false, "a burst begins anew");
});

test("a burst has its bound", () => {
  const { crowd, wait } = scene();
  wait("a", 7);
  assert.equal(crowd.rejects("a"), false);
  wait("a", 1);
  assert.equal(crowd.rejects("a"), true);
});

test("accounts with less than an equal part are taken beside a flood of others, and one part is left free", () => {
  const { crowd, wait } = scene();
  wait("a", 8);
  assert.equal(crowd.rejects("b"), false);
  wait("b", 1);
  assert.equal(crowd.rejects("b"), false, "1 of 4 places among 2 accounts and a newcomer");
  wait("b", 1);
  assert.equal(crowd.rejects("b"), true);
  assert.equal(crowd.rejects("c"), false);
  wait("c", 1);
  assert.equal(crowd.rejects("c"), true, "1 of 4 places among 3 accounts and a newcomer");
});

test("an acceptance that fails is no longer counted", async () => {
  const { clock, crowd } = scene();
  const failing = Array.from({ length: 10 }, () =>
    assert.rejects(
      crowd.wait("a", () => Promise.reject(new Error("the disk is full"))),
      /full/,
    ),
  );
  assert.equal(crowd.isFull, true);
  await Promise.all(failing);
  await clock.advance(2000);
  assert.equal(crowd.isFull, false);
});
