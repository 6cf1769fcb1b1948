/** What one flood may take, and what is left for the others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "koa";
import { ConcurrencyLimiter, reserveMemory } from "../../../src/http/overload/concurrency-limiter.ts";
import { Problem } from "../../../src/http/response/problems.ts";

const ROOM = { requests: 4, bytes: 1000 };

interface Held {
  ctx: Context;
  ended: Promise<unknown>;
  end: () => void;
}

/** A send that is under way until `end`. */
function hold(admission: ConcurrencyLimiter, accountId: string): Held {
  const ctx = { state: {} } as Context;
  let end = (): void => {};
  const ended = admission.run(ctx, accountId, () => new Promise<void>((resolve) => (end = resolve)));
  return { ctx, ended, end: () => end() };
}

async function codeOf(refused: Promise<unknown>): Promise<string> {
  const problem = await refused.then(
    () => null,
    (error) => error,
  );
  assert.ok(problem instanceof Problem && (problem.extras.retryAfterS ?? 0) >= 1, String(problem));
  return problem.code;
}

test("an account has half the room, all together the whole, and what ends makes room again", async () => {
  const admission = new ConcurrencyLimiter(ROOM);
  const held = ["a", "a", "b", "b"].map((account) => hold(admission, account));
  assert.equal(await codeOf(hold(admission, "c").ended), "engine_unavailable");
  held[2]?.end();
  await held[2]?.ended;
  assert.equal(await codeOf(hold(admission, "a").ended), "rate_limit_exceeded");
  const other = hold(admission, "c");
  for (const { end } of [...held, other]) end();
  await Promise.all([...held, other].map(({ ended }) => ended));
  await admission.run({ state: {} } as Context, "a", async () => {});
});

test("bytes of bodies count while their sends are under way", async () => {
  const admission = new ConcurrencyLimiter(ROOM);
  const [one, other, third] = [hold(admission, "a"), hold(admission, "b"), hold(admission, "b")];
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

test("a send that fails gives its room back", async () => {
  const admission = new ConcurrencyLimiter({ requests: 2, bytes: 10 });
  for (let i = 0; i < 5; i += 1) {
    const ctx = { state: {} } as Context;
    await assert.rejects(
      admission.run(ctx, "a", async () => {
        reserveMemory(ctx, 5);
        throw new Error("refused");
      }),
      /refused/,
    );
  }
});
