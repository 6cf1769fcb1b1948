import assert from "node:assert/strict";
import { it } from "node:test";
import { quotaDay } from "../../../src/spool/records/quota-day.ts";

it("begins a day at midnight UTC", () => {
  const midnightMs = Date.UTC(2024, 1, 29);
  assert.equal(quotaDay(midnightMs), midnightMs / 86_400_000);
  assert.equal(quotaDay(midnightMs + 86_399_999), quotaDay(midnightMs));
  assert.equal(quotaDay(midnightMs - 1), quotaDay(midnightMs) - 1);
});
