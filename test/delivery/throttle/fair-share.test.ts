/** The share of one account in all attempts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountShares } from "../../../src/delivery/throttle/fair-share.ts";

/** Accounts that begin all the attempts they may, in turn and repeatedly; returns what each has then of `max`. */
function greedy(accounts: string[], max: number): number[] {
  const held = new Map<string, number>();
  let free = max;
  for (let round = 0; round < 20; round += 1) {
    for (const account of accounts) {
      const { perAccount, accountAllowance } = accountShares(held, free);
      const more = Math.min(free, accountAllowance[account] ?? perAccount);
      held.set(account, (held.get(account) ?? 0) + more);
      free -= more;
    }
  }
  return [...held.values()];
}

test("an account may hold as many attempts as remain free", () => {
  assert.deepEqual(greedy(["a"], 500), [250]);
  const [first = 0, second = 0] = greedy(["a", "b"], 500);
  assert.deepEqual([first, second], [250, 125]);
  assert.deepEqual(accountShares(new Map([["a", 250]]), 250), { perAccount: 125, accountAllowance: { a: 0 } });
});

test("a new account finds a slot until the last one is used", () => {
  const held = greedy(["a", "b", "c", "d", "e", "f", "g"], 500);
  assert.ok(held.every((count) => count > 0));
  assert.ok(held.reduce((sum, count) => sum + count, 0) < 500);
  assert.deepEqual(accountShares(new Map([["a", 3]]), 1), { perAccount: 1, accountAllowance: { a: 0 } });
  assert.equal(accountShares(new Map(), 0).perAccount, 0);
});
