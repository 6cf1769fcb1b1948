/** The limits on concurrent requests and their memory: of one account, and of all together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "koa";
import { ConcurrencyLimiter, reserveMemory } from "../../../src/http/overload/concurrency-limiter.ts";
import { Problem } from "../../../src/http/response/problems.ts";

const LIMITS = { requests: 4, bytes: 1000 };

interface RunningSend {
  ctx: Context;
  ended: Promise<unknown>;
  end: () => void;
}

/** Starts a send that runs until `end`. */
function startSend(limiter: ConcurrencyLimiter, accountId: string): RunningSend {
  const ctx = { state: {} } as Context;
  let end = (): void => {};
  const ended = limiter.run(ctx, accountId, () => new Promise<void>((resolve) => (end = resolve)));
  return { ctx, ended, end: () => end() };
}

async function codeOf(rejected: Promise<unknown>): Promise<string> {
  const problem = await rejected.then(
    () => null,
    (error) => error,
  );
  assert.ok(problem instanceof Problem && (problem.extras.retryAfterS ?? 0) >= 1, String(problem));
  return problem.code;
}

test("an account may use half of the limit, all accounts together the whole, and finished requests free it", async () => {
  const limiter = new ConcurrencyLimiter(LIMITS);
  const running = ["a", "a", "b", "b"].map((account) => startSend(limiter, account));
  assert.equal(await codeOf(startSend(limiter, "c").ended), "engine_unavailable");
  running[2]?.end();
  await running[2]?.ended;
  assert.equal(await codeOf(startSend(limiter, "a").ended), "rate_limit_exceeded");
  const other = startSend(limiter, "c");
  for (const { end } of [...running, other]) end();
  await Promise.all([...running, other].map(({ ended }) => ended));
  await limiter.run({ state: {} } as Context, "a", async () => {});
});

test("the bytes of bodies count while their sends run", async () => {
  const limiter = new ConcurrencyLimiter(LIMITS);
  const [one, other, third] = [startSend(limiter, "a"), startSend(limiter, "b"), startSend(limiter, "b")];
  reserveMemory(one.ctx, 500);
  assert.throws(() => reserveMemory(one.ctx, 1), { code: "rate_limit_exceeded" });
  reserveMemory(other.ctx, 400);
  reserveMemory(third.ctx, 100);
  assert.throws(() => reserveMemory(third.ctx, 1), { code: "engine_unavailable" });
  one.end();
  await one.ended;
  assert.throws(() => reserveMemory(third.ctx, 1), { code: "rate_limit_exceeded" });
  other.end();
  await other.ended;
  reserveMemory(third.ctx, 400);
  third.end();
  await third.ended;
});

test("a send that fails frees its part of the limit", async () => {
  const limiter = new ConcurrencyLimiter({ requests: 2, bytes: 10 });
  for (let i = 0; i < 5; i += 1) {
    const ctx = { state: {} } as Context;
    await assert.rejects(
      limiter.run(ctx, "a", async () => {
        reserveMemory(ctx, 5);
        throw new Error("refused");
      }),
      /refused/,
    );
  }
});
