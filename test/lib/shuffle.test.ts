import assert from "node:assert/strict";
import { test } from "node:test";
import { Prng } from "../../simulate/prng.ts";
import { shuffled } from "../../src/lib/shuffle.ts";

test("every order of three is drawn about equally often, and the argument is unchanged", () => {
  const prng = new Prng(7);
  const items = ["a", "b", "c"];
  const drawn = new Map<string, number>();
  for (let count = 0; count < 6_000; count += 1) {
    const order = shuffled(items, prng.next).join("");
    drawn.set(order, (drawn.get(order) ?? 0) + 1);
  }
  assert.deepEqual([...drawn.keys()].sort(), ["abc", "acb", "bac", "bca", "cab", "cba"]);
  for (const times of drawn.values()) assert.ok(times > 850 && times < 1_150, String(times));
  assert.deepEqual(items, ["a", "b", "c"]);
  assert.deepEqual(shuffled([], Math.random), []);
});
