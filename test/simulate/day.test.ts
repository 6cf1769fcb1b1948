/** The model of a day with few messages: how Postrider and a plain Postfix policy send to twelve receivers with limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runDay } from "../../simulate/day.ts";
import { REACTIONS } from "../../simulate/day-receivers.ts";

const MESSAGES = 20_000;
const DAY = { messages: MESSAGES, seed: 1 };
/** Twelve receivers ask for a pause once; those that do not say for how long are probed. */
const PAUSES = 12;
const REFUSED_SHARE_MAX = 0.005;

for (const reaction of REACTIONS) {
  test(`Postrider delivers all within limits, and no less than Postfix's policy, to receivers whose reaction is: ${reaction}`, async () => {
    const [postrider, postfix] = [
      await runDay("postrider", { ...DAY, reaction }),
      await runDay("postfix", { ...DAY, reaction }),
    ];
    const { failed, delivered, deliveredInDay, refusals, receivers } = postrider;
    assert.deepEqual({ failed, delivered }, { failed: 0, delivered: MESSAGES });
    assert.ok(deliveredInDay >= postfix.deliveredInDay, `${deliveredInDay} and ${postfix.deliveredInDay}`);
    assert.ok(refusals >= PAUSES && refusals <= REFUSED_SHARE_MAX * MESSAGES, `${refusals} refusals`);
    const seen = Object.values(receivers);
    assert.deepEqual(
      seen.map(({ excess }) => excess),
      Array(PAUSES).fill(0),
    );
    const blocks = seen.reduce((sum, each) => sum + each.blocks, 0);
    assert.equal(blocks, reaction === "block" ? 1 : 0, "none but the one that comes whatever this server does");
    // The model does refuse who exceeds a limit.
    assert.ok(postfix.refusals > refusals && Object.values(postfix.receivers).some(({ excess }) => excess > 0));
  });
}

test("the same seed gives the same day, and another seed another one", async () => {
  const day = await runDay("postrider", { ...DAY, reaction: "block" });
  assert.deepEqual(await runDay("postrider", { ...DAY, reaction: "block" }), day);
  assert.notDeepEqual(await runDay("postrider", { ...DAY, seed: 2, reaction: "block" }), day);
});
