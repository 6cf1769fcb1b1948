/** The attempt after which a recipient may have the message, from stored entries of its history. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { obstacleAttempt } from "../../../src/spool/records/obstacle-attempt.ts";
import { restoredEntry } from "../../../src/spool/records/restored-entry.ts";
import { finalDotAt } from "../../support/messages.ts";

const REASON = "no_reply_to_final_dot";

const entry = (parts: object): string =>
  JSON.stringify({ at_ms: 5, type: "unknown", reason: REASON, tries: [finalDotAt("mx.a.example")], ...parts });

it("is the newest one whose final dot left the reason, whatever came after it", () => {
  const later = [
    entry({ type: "cancelled", tries: [], at_ms: 9 }),
    entry({ type: "bounced", at_ms: 8 }),
    // The end of a deadline, without an attempt and after a deferral.
    entry({ tries: [], at_ms: 7 }),
    entry({ tries: [{ ...finalDotAt("mx.b.example"), stage: "connect" }], at_ms: 6 }),
  ];
  const found = obstacleAttempt([...later, entry({}), entry({ at_ms: 1 })], REASON);
  assert.deepEqual(found, { attempt: { atMs: 5, mx: "mx.a.example" } });
  assert.deepEqual(obstacleAttempt([entry({ type: "recovered" })], REASON), found);
});

it("has no server after a restore, and is absent where nothing is readable", () => {
  const restored = JSON.stringify(restoredEntry(0, 5));
  assert.deepEqual(obstacleAttempt([restored], "restored_from_backup"), { attempt: { atMs: 5, mx: null } });
  const damaged = ["", "{", "null", entry({ at_ms: "5" }), entry({ reason: "other" }), entry({ type: "deferred" })];
  assert.deepEqual(obstacleAttempt([...damaged, entry({ tries: [null] })], REASON), {});
});
