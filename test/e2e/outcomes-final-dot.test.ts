/** Results after the final dot, and which recipients may be retried without it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { attempted, isFinal, pollUntil, send, sendAndReport, sendToOne, triesOf } from "../support/api-client.ts";
import { apiTarget, startExchanger } from "../support/peers.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { runScenarios, type Scenario, startPair, summary, to } from "./smtp-scenarios.ts";

const finalDot: Record<string, Scenario> = {
  "without a clear reply to the final dot: unknown, and no other host gets the message": async (t, world) => {
    const endings: [string, Script["dot"], string][] = [
      ["dot-cut.example", () => ({ drop: true }), "connection_lost_after_final_dot"],
      ["dot-garbled.example", () => ({ raw: "+OK whatever\r\n" }), "garbled_reply_to_final_dot"],
    ];
    for (const [domain, dot, reason] of endings) {
      const { first, second } = await startPair(t, world, { domain, script: { ...(dot ? { dot } : {}) } });
      const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
      assert.deepEqual(summary(recipient), ["unknown", reason, null], domain);
      assert.deepEqual([first.transactions.length, second.connections], [1, 0], domain);
      assert.equal(recipient.next_attempt_at, null);
      const [evidence] = triesOf(recipient);
      assert.deepEqual([evidence?.mx, evidence?.ip, evidence?.stage], [`mx1.${domain}`, first.host, "final_dot"]);
    }
  },

  "an unknown recipient is not offered to the next exchanger together with a deferred one": async (t, world) => {
    const domain = "unknown.example";
    const script: Script = {
      rcpt: (argument) => (argument.includes("ann@") ? "451 4.7.1 later" : undefined),
      dot: () => ({ drop: true }),
    };
    const { second } = await startPair(t, world, { domain, script });
    const report = await sendAndReport(apiTarget(world), to(`ann@${domain}`, `bob@${domain}`));
    assert.deepEqual(report.recipients.map(summary), [
      ["delivered", null, 250],
      ["unknown", "connection_lost_after_final_dot", null],
    ]);
    assert.deepEqual(
      second.transactions.map((transaction) => transaction.rcptTo),
      [[`ann@${domain}`]],
    );
  },

  "a refusal of the final dot decides the attempt": async (t, world) => {
    for (const [code, result] of [
      ["451", "pending"],
      ["554", "failed"],
    ] as const) {
      const domain = `dot-${code}.example`;
      const { second } = await startPair(t, world, { domain, script: { dot: () => `${code} no` } });
      const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
      assert.deepEqual([recipient.result, recipient.smtp?.code], [result, Number(code)]);
      assert.equal(second.connections, 0);
    }
  },

  "disconnected before the final dot: the next exchanger gets the message": async (t, world) => {
    const scripts: [string, Script][] = [
      ["cut-mail.example", { mail: () => ({ drop: true }) }],
      ["cut-rcpt.example", { rcpt: () => ({ drop: true }) }],
      ["cut-data.example", { data: () => ({ drop: true }) }],
      ["cut-content.example", { content: () => ({ drop: true }) }],
      ["early-content.example", { content: () => ({ drop: true, raw: "451 4.3.0 disk full\r\n" }) }],
    ];
    for (const [domain, script] of scripts) {
      const { first, second } = await startPair(t, world, { domain, script });
      const text = "A line of a long letter.\n".repeat(100_000);
      const recipient = await sendToOne(apiTarget(world), { ...to(`ann@${domain}`), text });
      assert.deepEqual([domain, recipient.result], [domain, "delivered"]);
      assert.deepEqual([first.transactions.length, second.transactions.length], [0, 1], domain);
      assert.deepEqual(
        triesOf(recipient).map((attempt) => attempt.mx),
        [`mx1.${domain}`, `mx2.${domain}`],
      );
    }
  },

  "a missing reply to the final dot is no delivery, and an earlier attempt's result does not explain it": async (
    t,
    world,
  ) => {
    const domain = "second-time.example";
    let rounds = 0;
    const script: Script = {
      rcpt: () => (rounds++ === 0 ? "450 4.2.0 not now" : undefined),
      dot: () => ({ drop: true }),
    };
    await startExchanger(t, world, { domain, script });
    const target = apiTarget(world);
    const id = await send(target, to(`ann@${domain}`));
    await pollUntil(target, id, attempted);
    const accountId = (await world.service.registry.accountNamed("default"))?.id ?? "";
    await world.service.spool.retry({ accountId, messageId: id, nowMs: Date.now() });
    const { recipients } = await pollUntil(target, id, isFinal);
    assert.deepEqual(recipients.map(summary), [["unknown", "connection_lost_after_final_dot", null]]);
  },
};

test("outcomes: final dot", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), finalDot);
});
