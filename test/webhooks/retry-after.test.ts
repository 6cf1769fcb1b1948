import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs } from "../../src/webhooks/retry-after.ts";

const NOW_MS = Date.UTC(1994, 10, 6, 8, 49, 37);
const DAY_MS = 86_400_000;

const CASES: [string | undefined, number | null][] = [
  [undefined, null],
  ["0", 0],
  ["120", 120_000],
  ["86400", DAY_MS],
  ["86401", DAY_MS],
  ["9".repeat(400), DAY_MS],
  ["Sun, 06 Nov 1994 08:50:37 GMT", 60_000],
  ["Sunday, 06-Nov-94 08:50:37 GMT", 60_000],
  ["Sun, 06 Nov 1994 08:49:30 GMT", 0],
  ["Fri, 31 Dec 9999 23:59:59 GMT", DAY_MS],
  ["Sun, 99 Nov 1994 08:50:37 GMT", null],
  ["1994-11-06T08:50:37Z", null],
  ["", null],
  ["-1", null],
  ["1.5", null],
  ["1e3", null],
  ["soon", null],
];

for (const [value, expected] of CASES) {
  test(`Retry-After: ${value?.slice(0, 40)}`, () => assert.equal(retryAfterMs(value, NOW_MS), expected));
}
