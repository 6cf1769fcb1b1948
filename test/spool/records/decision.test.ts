import assert from "node:assert/strict";
import { it } from "node:test";
import { cancelledRecipient, resolvedRecipient } from "../../../src/spool/records/decision.ts";

const DECISION = { by: "ann@shop.example", nowMs: 5 };
const ENTRY = { at_ms: 5, by: "ann@shop.example", attempt: 2, tries: [], next_attempt_at_ms: null };
const RECIPIENT = { attempts: 2, reason: "no_reply_to_final_dot", category: "network" } as const;

it("a recipient resolved as failed keeps the category of its last obstacle, a delivered one has none", () => {
  for (const [as, category] of [["failed", "network"] as const, ["delivered", null] as const]) {
    const state = { result: as, reason: "resolved", category };
    const resolved = resolvedRecipient(RECIPIENT, { ...DECISION, as });
    assert.deepEqual(resolved, { ...state, history: { ...ENTRY, ...state, type: "resolved" } });
  }
});

it("a cancelled recipient has failed, unless it may have the message", () => {
  const failed = { result: "failed", reason: "cancelled", category: "greylisted" };
  assert.deepEqual(
    cancelledRecipient({ attempts: 2, reason: "temporarily_refused", category: "greylisted" }, DECISION),
    {
      ...failed,
      history: { ...ENTRY, ...failed, type: "cancelled" },
    },
  );
  const unknown = { result: "unknown", reason: "no_reply_to_final_dot", category: "network" };
  const history = { ...ENTRY, ...unknown, type: "cancelled" };
  assert.deepEqual(cancelledRecipient(RECIPIENT, DECISION), { ...unknown, history });
});
