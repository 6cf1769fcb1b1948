/** When a held request looks, and what ends it. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { Context } from "koa";
import { LongPolls, type Look } from "../../src/http/long-poll.ts";
import { type FakeClock, fakeClock, quiet } from "../support/fake-clock.ts";

const WAIT_S = 30;
const PAUSE_MS = 100;

interface Held {
  clock: FakeClock;
  socket: EventEmitter;
  /** Ends the long polls of the service. */
  stop(): void;
  /** What the next looks return; the last one repeats. */
  results: (Look | Error)[];
  /** The times of the looks since the start. */
  looksMs: number[];
  isWatched(): boolean;
  change(): void;
  /** `ended`, or the message of the error. */
  outcome(): string | null;
}

interface HoldOptions extends Pick<Held, "results"> {
  isStopping: boolean;
}

/** A request that is held for something that looks do not find. */
function hold({ isStopping = false, results = ["nothing"] }: Partial<HoldOptions> = {}): Held {
  const clock = fakeClock();
  const startMs = clock.monotonicMs();
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const end = new AbortController();
  if (isStopping) end.abort();
  const looksMs: number[] = [];
  const watchers = new Set<() => void>();
  let outcome: string | null = null;
  const polls = new LongPolls({ clock, longPollsEnd: end.signal });
  const held = polls.hold({ req: { socket }, state: {} } as unknown as Context, {
    accountId: "acc_a",
    waitS: WAIT_S,
    watch(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    async look() {
      looksMs.push(clock.monotonicMs() - startMs);
      const result = (results.length > 1 ? results.shift() : results[0]) ?? assert.fail();
      if (result instanceof Error) throw result;
      return result;
    },
    pauseMs: () => PAUSE_MS,
  });
  held.then(
    () => {
      outcome = "ended";
    },
    (error: Error) => {
      outcome = error.message;
    },
  );
  return {
    clock,
    socket,
    results,
    looksMs,
    stop: () => end.abort(),
    isWatched: () => watchers.size > 0,
    change() {
      for (const changed of watchers) changed();
    },
    outcome: () => outcome,
  };
}

/** Nothing is left of the request: no timer, no listener, no watch. */
function assertFreed({ clock, socket, isWatched }: Held): void {
  assert.deepEqual([clock.dueMs, socket.listenerCount("close"), isWatched()], [[], 0, false]);
}

test("a held request looks at once, then after changes, with a pause after each look", async () => {
  const held = hold();
  await quiet();
  assert.deepEqual(held.looksMs, [0]);
  for (let i = 0; i < 5; i += 1) held.change();
  await held.clock.advance(PAUSE_MS - 1);
  assert.deepEqual(held.looksMs, [0]);
  await held.clock.advance(1);
  assert.deepEqual(held.looksMs, [0, 100], "the five changes are looked at together");
  await held.clock.advance(1000);
  assert.deepEqual(held.looksMs, [0, 100], "nothing has changed");
  held.results[0] = "found";
  held.change();
  await quiet();
  assert.deepEqual(held.looksMs, [0, 100, 1100]);
  assert.equal(held.outcome(), "ended");
  assertFreed(held);
});

test("a change during a look leads to another look", async () => {
  const held = hold();
  held.change();
  await held.clock.advance(PAUSE_MS);
  assert.deepEqual(held.looksMs, [0, 100]);
});

test("a look that leaves more to look at is followed by another without a change", async () => {
  const held = hold({ results: ["again", "again", "nothing"] });
  await held.clock.advance(1000);
  assert.deepEqual(held.looksMs, [0, 100, 200]);
});

test("a held request ends with its time, its connection, or the service", async () => {
  const ends: Record<string, (held: Held) => unknown> = {
    time: ({ clock }) => clock.advance(1000 * WAIT_S),
    connection: ({ socket }) => socket.emit("close"),
    service: ({ stop }) => stop(),
  };
  for (const [name, end] of Object.entries(ends)) {
    const held = hold();
    await held.clock.advance(1000 * WAIT_S - 1);
    assert.equal(held.outcome(), null, name);
    await end(held);
    await quiet();
    assert.equal(held.outcome(), "ended", name);
    assertFreed(held);
    assert.deepEqual(held.looksMs, [0], name);
  }
});

test("a request is not held while the service stops", async () => {
  const held = hold({ isStopping: true });
  await quiet();
  assert.equal(held.outcome(), "ended");
  assertFreed(held);
});

test("the error of a look rejects", async () => {
  const held = hold();
  held.results[0] = new Error("the spool is closed");
  await held.clock.advance(PAUSE_MS);
  held.change();
  await quiet();
  assert.equal(held.outcome(), "the spool is closed");
  assertFreed(held);
});

test("a look that fails after the end changes nothing", async () => {
  const held = hold({ results: [new Error("the spool is closed")] });
  held.socket.emit("close");
  await quiet();
  assert.equal(held.outcome(), "ended");
});
