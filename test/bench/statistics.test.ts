import assert from "node:assert/strict";
import { test } from "node:test";
import { median, quantile, spread } from "../../bench/statistics.ts";

test("computes the median of odd and even numbers of values", () => {
  assert.equal(median([5, 1, 3]), 3);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([7]), 7);
});

test("a quantile is one of the values, at most the greatest", () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.equal(quantile(values, 0.5), 51);
  assert.equal(quantile(values, 0.99), 100);
  assert.equal(quantile([1, 2], 1), 2);
});

test("a spread keeps the order of its values", () => {
  assert.deepEqual(spread([3, 1, 2]), { median: 2, least: 1, greatest: 3, values: [3, 1, 2] });
});
