/** Periods in words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { periodText } from "../../src/lib/period-text.ts";

test("a period has the largest unit that divides it", () => {
  const texts: [number, string][] = [
    [30 * 86_400_000, "30 days"],
    [86_400_000, "1 day"],
    [36 * 3_600_000, "36 hours"],
    [90_000, "90 seconds"],
    [60_000, "1 minute"],
    [1500, "1 second"],
  ];
  for (const [periodMs, text] of texts) assert.equal(periodText(periodMs), text);
});
