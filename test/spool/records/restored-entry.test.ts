import assert from "node:assert/strict";
import { it } from "node:test";
import { restoredEntry } from "../../../src/spool/records/restored-entry.ts";

it("a recipient that waited in a backup is unknown, because it may have been delivered since the backup", () => {
  const entry = restoredEntry(1, 5);
  assert.deepEqual(entry, {
    at_ms: 5,
    type: "unknown",
    attempt: 1,
    reason: "restored_from_backup",
    category: "other",
    tries: [],
    next_attempt_at_ms: null,
  });
});
