/** Results over several attempts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFinal, pollUntil, send } from "../support/api-client.ts";
import { apiTarget, startExchanger } from "../support/peers.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { runScenarios, type Scenario, summary, to } from "./smtp-scenarios.ts";

const untilTaken: Record<string, Scenario> = {
  "delivers exactly once after four rounds of greylisting": async (t, world) => {
    const domain = "grey.example";
    let refusals = 0;
    const rcpt: Script["rcpt"] = () => (refusals++ < 4 ? "451 4.7.1 greylisted" : undefined);
    const peer = await startExchanger(t, world, { domain, script: { rcpt } });
    const target = apiTarget(world);
    const { recipients } = await pollUntil(target, await send(target, to(`ann@${domain}`)), isFinal);
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

  "recipients with different numbers of greylisting rounds get the message once each and keep their order": async (
    t,
    world,
  ) => {
    const domain = "each-its-own.example";
    const rounds: Record<string, number> = { ann: 2, bob: 0, cem: 4, dee: 1 };
    const left = { ...rounds };
    const rcpt: Script["rcpt"] = (argument) => {
      const name = argument.slice(1, 4);
      if (left[name] === 0) return undefined;
      left[name] = (left[name] ?? 0) - 1;
      return "451 4.7.1 greylisted";
    };
    const peer = await startExchanger(t, world, { domain, script: { rcpt } });
    const addresses = Object.keys(rounds).map((local) => `${local}@${domain}`);
    const target = apiTarget(world);
    const { recipients } = await pollUntil(target, await send(target, to(...addresses)), isFinal);
    assert.deepEqual(
      recipients.map((r) => [r.email, r.result, r.attempts]),
      Object.entries(rounds).map(([local, count]) => [`${local}@${domain}`, "delivered", count + 1]),
    );
    assert.deepEqual(
      peer.transactions.map((transaction) => transaction.rcptTo),
      ["bob", "dee", "ann", "cem"].map((local) => [`${local}@${domain}`]),
    );
  },

  "UNKNOWN_POLICY=retry sends again, with the same bytes": async (t, world) => {
    const domain = "twice.example";
    let dots = 0;
    const dot: Script["dot"] = () => (dots++ === 0 ? { drop: true } : undefined);
    const peer = await startExchanger(t, world, { domain, script: { dot } });
    const target = apiTarget(world);
    const { recipients } = await pollUntil(target, await send(target, to(`ann@${domain}`)), isFinal);
    assert.deepEqual(
      recipients.map((r) => [r.result, r.attempts]),
      [["delivered", 2]],
    );
    assert.deepEqual(
      recipients[0]?.events.map((event) => event.type),
      ["accepted", "unknown", "delivered"],
    );
    const [first, second, ...more] = peer.transactions.map((transaction) => transaction.raw.toString());
    assert.equal(more.length, 0);
    assert.equal(first, second);
  },
};

const untilExpired: Record<string, Scenario> = {
  "expires at the maximum age, with the last real reply as evidence": async (t, world) => {
    const domain = "never.example";
    let rounds = 0;
    // Replies in the first two rounds, then none: the evidence must be the last reply.
    const mail: Script["mail"] = () => {
      rounds += 1;
      return rounds <= 2 ? undefined : { drop: true };
    };
    await startExchanger(t, world, { domain, script: { mail, rcpt: () => `450 4.2.${rounds} not now` } });
    const target = apiTarget(world);
    const { recipients } = await pollUntil(target, await send(target, to(`ann@${domain}`)), isFinal);
    const [recipient] = recipients;
    assert.deepEqual(recipient && summary(recipient), ["failed", "expired", 450]);
    assert.equal(recipient?.smtp?.enhanced_code, "4.2.2");
    assert.equal(recipient?.events.at(-1)?.type, "expired");
    assert.equal(recipient?.next_attempt_at, null);
  },
};

test("outcomes: rounds", { concurrency: true }, async (t) => {
  const env = { RETRY_SCHEDULE: "1s", UNKNOWN_POLICY: "retry" };
  await Promise.all([
    t.test("until accepted", { concurrency: true }, async (sub) =>
      runScenarios(sub, await startWorld(sub, env), untilTaken),
    ),
    t.test("until expired", { concurrency: true }, async (sub) =>
      runScenarios(sub, await startWorld(sub, { ...env, RETRY_MAX_AGE: "6s" }), untilExpired),
    ),
  ]);
});
