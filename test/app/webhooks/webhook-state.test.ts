/** The state of an endpoint in one word. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { endpointState } from "../../../src/app/webhooks/webhook-state.ts";

it("is the one that a user must act on first", () => {
  const disabled = { atMs: 3, reason: "gone" as const, notifiedAtMs: null };
  assert.equal(endpointState({ disabled, pausedAtMs: 2, failingSinceMs: 1 }), "disabled");
  assert.equal(endpointState({ disabled: null, pausedAtMs: 2, failingSinceMs: 1 }), "paused");
  assert.equal(endpointState({ disabled: null, pausedAtMs: null, failingSinceMs: 1 }), "failing");
  assert.equal(endpointState({ disabled: null, pausedAtMs: null, failingSinceMs: null }), "active");
});
