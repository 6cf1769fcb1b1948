import assert from "node:assert/strict";
import { it } from "node:test";
import { heldEntry } from "../../../src/spool/records/held-entry.ts";

it("a held recipient is unknown, because it may have been delivered since the backup", () => {
  const entry = heldEntry(1, 5);
  assert.deepEqual(entry, {
    ...{ at_ms: 5, type: "unknown", attempt: 1, reason: "restored_from_backup", category: "other" },
    ...{ tries: [], next_attempt_at_ms: null },
  });
});
