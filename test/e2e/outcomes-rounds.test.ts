/** What several attempts come to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFinal, lookUntil, send } from "../support/front-door.ts";
import { doorOf, startExchanger } from "../support/peers.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { inShort, type Story, tell, to } from "./stories.ts";

const rounds: Record<string, Story> = {
  "four rounds of greylisting, then delivered exactly once": async (t, world) => {
    const domain = "grey.example";
    let refusals = 0;
    const rcpt: Script["rcpt"] = () => (refusals++ < 4 ? "451 4.7.1 greylisted" : undefined);
    const peer = await startExchanger(t, world, { domain, script: { rcpt } });
    const door = doorOf(world);
    const { recipients } = await lookUntil(door, await send(door, to(`ann@${domain}`)), isFinal);
    assert.deepEqual(
      recipients.map((r) => [r.result, r.attempts, r.smtp?.code]),
      [["delivered", 5, 250]],
    );
    assert.equal(peer.transactions.length, 1);
    assert.deepEqual(
      recipients[0]?.events.map((event) => event.type),
      ["accepted", "deferred", "deferred", "deferred", "deferred", "delivered"],
    );
  },

  "expired at the maximum age, with the last real reply as evidence": async (t, world) => {
    const domain = "never.example";
    let rounds = 0;
    // Words in the first two rounds, then none: the evidence must be the last ones that were said.
    const mail: Script["mail"] = () => {
      rounds += 1;
      return rounds <= 2 ? undefined : { drop: true };
    };
    await startExchanger(t, world, { domain, script: { mail, rcpt: () => `450 4.2.${rounds} not now` } });
    const door = doorOf(world);
    const { recipients } = await lookUntil(door, await send(door, to(`ann@${domain}`)), isFinal);
    const [recipient] = recipients;
    assert.deepEqual(recipient && inShort(recipient), ["failed", "expired", 450]);
    assert.equal(recipient?.smtp?.enhanced_code, "4.2.2");
    assert.equal(recipient?.events.at(-1)?.type, "expired");
    assert.equal(recipient?.next_attempt_at, null);
  },

  "UNKNOWN_POLICY=retry sends again, with the same bytes": async (t, world) => {
    const domain = "twice.example";
    let dots = 0;
    const dot: Script["dot"] = () => (dots++ === 0 ? { drop: true } : undefined);
    const peer = await startExchanger(t, world, { domain, script: { dot } });
    const door = doorOf(world);
    const { recipients } = await lookUntil(door, await send(door, to(`ann@${domain}`)), isFinal);
    assert.deepEqual(
      recipients.map((r) => [r.result, r.attempts]),
      [["delivered", 2]],
    );
    assert.deepEqual(
      recipients[0]?.events.map((event) => event.type),
      ["accepted", "unknown", "delivered"],
    );
    assert.equal(peer.transactions.length, 2);
  },
};

test("outcomes: rounds", { concurrency: true }, async (t) => {
  await tell(t, await startWorld(t, { RETRY_SCHEDULE: "1s", RETRY_MAX_AGE: "6s", UNKNOWN_POLICY: "retry" }), rounds);
});
