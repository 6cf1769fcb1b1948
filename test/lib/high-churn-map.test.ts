import assert from "node:assert/strict";
import { test } from "node:test";
import { HighChurnMap } from "../../src/lib/high-churn-map.ts";

test("returns an entry once, with the last value set", () => {
  const map = new HighChurnMap<string, number>();
  for (const [i, key] of ["a", "b", "c"].entries()) map.set(key, i);
  map.set("a", 3);
  assert.equal(map.take("b"), 1);
  assert.equal(map.take("b"), undefined);
  assert.equal(map.take("a"), 3);
  assert.equal(map.take("a"), undefined);
  assert.equal(map.take("c"), 2);
});
