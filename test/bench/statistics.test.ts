import assert from "node:assert/strict";
import { test } from "node:test";
import { median, quantile, spread } from "../../bench/statistics.ts";

test("the median of an odd and an even number of values", () => {
  assert.equal(median([5, 1, 3]), 3);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([7]), 7);
});

test("a quantile is one of the values, the greatest at most", () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.equal(quantile(values, 0.5), 51);
  assert.equal(quantile(values, 0.99), 100);
  assert.equal(quantile([1, 2], 1), 2);
});

test("a spread leaves the values in their order", () => {
  assert.deepEqual(spread([3, 1, 2]), { median: 2, least: 1, greatest: 3, values: [3, 1, 2] });
});
