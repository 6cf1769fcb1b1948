/** Long sends: those of a known length wait for all their memory, the others reserve it as they go. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { Context } from "koa";
import { reserveMemory } from "../../../src/http/overload/concurrency-limiter.ts";
import { LongSendLimiter, waitForMemory } from "../../../src/http/overload/long-send-limiter.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";

const KB = 1024;

const contextOf = (length?: number): Context =>
  ({
    state: {},
    req: { socket: { destroyed: false }, headers: {} },
    res: new EventEmitter(),
    request: { length },
  }) as Context;

/** An account's share is the memory of one body of 100 KB: three times that, and 64 KB. */
function newLimiter(clock = fakeClock()): LongSendLimiter {
  const waiting = { ownerMax: 10, totalMax: 10 };
  return new LongSendLimiter({ requests: 20, bytes: 2 * 364 * KB, waiting, waitMs: 30_000 }, clock);
}

interface Send {
  ctx: Context;
  ended: Promise<unknown>;
  end: () => void;
  isAdmitted: () => boolean;
}

/** Starts a send that runs until `end` once it has its memory. */
function start(limiter: LongSendLimiter, accountId: string, length?: number): Send {
  const ctx = contextOf(length);
  let end = (): void => {};
  let isAdmitted = false;
  const ended = limiter.run(ctx, accountId, async () => {
    await waitForMemory(ctx);
    isAdmitted = true;
    await new Promise<void>((resolve) => (end = resolve));
  });
  return { ctx, ended, end: () => end(), isAdmitted: () => isAdmitted };
}

test("a send that has waited can use all its memory, and no more than there is", async () => {
  const limiter = newLimiter();
  const send = start(limiter, "a", 100 * KB);
  await quiet();
  reserveMemory(send.ctx, 300 * KB);
  reserveMemory(send.ctx, 64 * KB);
  assert.throws(() => reserveMemory(send.ctx, 1), { code: "rate_limit_exceeded" });
  send.end();
  await send.ended;
});

test("the next send of an account begins when the one before has ended", async () => {
  const limiter = newLimiter();
  const [first, second] = [start(limiter, "a", 100 * KB), start(limiter, "a", 100 * KB)];
  await quiet();
  assert.deepEqual([first.isAdmitted(), second.isAdmitted()], [true, false]);
  first.end();
  await first.ended;
  await quiet();
  assert.equal(second.isAdmitted(), true);
  second.end();
  await second.ended;
});

test("a send of unknown length does not wait, and is rejected where there is no memory", async () => {
  const limiter = newLimiter();
  const known = start(limiter, "a", 100 * KB);
  const unknown = start(limiter, "a");
  await quiet();
  assert.equal(unknown.isAdmitted(), true);
  assert.throws(() => reserveMemory(unknown.ctx, 1), { code: "rate_limit_exceeded" });
  known.end();
  await known.ended;
  reserveMemory(unknown.ctx, 364 * KB);
  unknown.end();
  await unknown.ended;
});

test("a send that fails frees its memory, and so does one that leaves while it waits", async () => {
  const limiter = newLimiter();
  const failing = contextOf(100 * KB);
  const failed = limiter.run(failing, "a", async () => {
    await waitForMemory(failing);
    throw new Error("refused");
  });
  await assert.rejects(failed, /refused/);
  const first = start(limiter, "a", 100 * KB);
  const leaving = start(limiter, "a", 100 * KB);
  const last = start(limiter, "a", 100 * KB);
  const rejected = assert.rejects(leaving.ended, { code: "invalid_request" });
  await quiet();
  leaving.ctx.res.emit("close");
  await rejected;
  first.end();
  await first.ended;
  await quiet();
  assert.equal(last.isAdmitted(), true);
  last.end();
  await last.ended;
});

test("a stop rejects the sends that wait", async () => {
  const limiter = newLimiter();
  const first = start(limiter, "a", 100 * KB);
  const waiting = start(limiter, "a", 100 * KB);
  const rejected = assert.rejects(waiting.ended, { code: "engine_unavailable" });
  await quiet();
  limiter.clear();
  await rejected;
  await quiet();
  first.end();
  await first.ended;
});

test("a send whose body has not begun to arrive reserves no memory and holds up no other", async () => {
  const clock = fakeClock();
  const limiter = newLimiter(clock);
  const slow = start(limiter, "a", 100 * KB);
  const req = slow.ctx.req as { readableLength: number };
  req.readableLength = 100;
  await quiet();
  const other = start(limiter, "a", 100 * KB);
  await quiet();
  assert.deepEqual([slow.isAdmitted(), other.isAdmitted()], [false, true]);
  other.end();
  await other.ended;
  req.readableLength = 8 * KB;
  await clock.advance(1000);
  await quiet();
  assert.equal(slow.isAdmitted(), true);
  slow.end();
  await slow.ended;
});
