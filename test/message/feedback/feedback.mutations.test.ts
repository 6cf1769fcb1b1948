/** Damaged and hostile messages are read without an exception. `npm run torture -- --only feedback` runs a million of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Prng } from "../../../simulate/prng.ts";
import { readFeedback } from "../../../src/message/feedback/feedback.ts";
import { feedbackSamples, mutated } from "../../support/feedback-mutations.ts";

const RUNS = 2000;
const TEXT_LENGTH_MAX = 1000;

test("every damaged message has a meaning whose texts are bounded", () => {
  const samples = feedbackSamples();
  const prng = new Prng(23);
  const seen = new Set<string>();
  for (let run = 0; run < RUNS; run += 1) {
    const feedback = readFeedback(mutated(samples, prng));
    seen.add(feedback.type);
    if (feedback.type !== "bounced") continue;
    assert.ok(feedback.bounces.length > 0 && feedback.bounces.length <= 200, `${feedback.bounces.length} bounces`);
    for (const { recipient, diagnostic, permanent, blamesAddress } of feedback.bounces) {
      assert.ok(diagnostic.length <= TEXT_LENGTH_MAX, `run ${run}: ${diagnostic.length} characters`);
      assert.ok((recipient ?? "").length <= TEXT_LENGTH_MAX, `run ${run}: ${recipient?.length} characters`);
      assert.ok(permanent || !blamesAddress, `run ${run}: blames for a temporary failure`);
    }
  }
  assert.deepEqual([...seen].sort(), ["bounced", "complained", "ignored"]);
});
