import assert from "node:assert/strict";
import { it } from "node:test";
import { WEEK_MS, weekOf } from "../../src/lib/week.ts";

it("weeks begin on Monday, 0:00 UTC", () => {
  const monday = Date.UTC(2026, 2, 2);
  for (const atMs of [monday, monday + 1, monday + WEEK_MS - 1]) assert.equal(weekOf(atMs), monday);
  assert.equal(weekOf(monday - 1), monday - WEEK_MS);
  assert.equal(weekOf(0), Date.UTC(1969, 11, 29));
});
