import assert from "node:assert/strict";
import { it } from "node:test";
import { retriedEntry } from "../../../src/spool/records/retried-entry.ts";

it("a retried recipient is due at once, with its attempts so far", () => {
  const entry = { at_ms: 5, type: "retried", attempt: 2, reason: null, tries: [], next_attempt_at_ms: 5 };
  assert.deepEqual(retriedEntry(2, { nowMs: 5 }), entry);
  assert.deepEqual(retriedEntry(2, { nowMs: 5, by: "ann@shop.example" }), { ...entry, by: "ann@shop.example" });
});
