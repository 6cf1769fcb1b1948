/**
 * Peers that violate the protocol: only a complete, well-formed reply at the right stage is an acceptance.
 * test/delivery/timers.test.ts tests the timeouts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { triesOf } from "../support/api-client.ts";
import { startExchanger } from "../support/peers.ts";
import type { Hook, Script, Step } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { runScenarios, type Scenario, sendTo, startPair, summary } from "./smtp-scenarios.ts";

/** Replies that look like a 250, by their defect. */
const NO_ACCEPTANCE: Record<string, string | Buffer> = {
  words: "+OK whatever\r\n",
  "four-digits": "2500 2.0.0 queued\r\n",
  "no-space": "250_queued\r\n",
  "space-before": " 250 queued\r\n",
  "wrong-class": "150 queued\r\n",
  "no-digits": "OK 250 queued\r\n",
  "two-codes": "550-not\r\n250 or queued\r\n",
  "no-code-below": "250-queued\r\nas 4XyZ\r\n",
  "over-long": `250 ${"x".repeat(5000)}\r\n`,
  "over-long-without-end": `250 ${"x".repeat(5000)}`,
  "two-hundred-and-one-lines": `${"250-2.0.0 queued\r\n".repeat(200)}250 2.0.0 queued\r\n`,
  binary: Buffer.from("fffe3235302000ff0d0a", "hex"),
  "of-another-kind": "354 go on\r\n",
};

const CUT_SHORT: Record<string, string> = {
  "in-the-code": "25",
  "before-its-end": "250 2.0.0 queued",
  "after-its-cr": "250 2.0.0 queued\r",
  "between-lines": "250-2.0.0 queued\r\n",
};

const once = (step: Step): Hook => {
  let said = false;
  return () => {
    if (said) return { silent: true };
    said = true;
    return step;
  };
};

const scenarios: Record<string, Scenario> = {
  "a malformed reply to the final dot is no acceptance: unknown, and no other host gets the message": async (
    t,
    world,
  ) => {
    for (const [name, raw] of Object.entries(NO_ACCEPTANCE)) {
      const domain = `dot-${name}.example`;
      const { first, second } = await startPair(t, world, { domain, script: { dot: () => ({ raw }) } });
      const recipient = await sendTo(world, domain);
      assert.deepEqual(summary(recipient), ["unknown", "garbled_reply_to_final_dot", null], name);
      assert.deepEqual([first.transactions.length, second.connections], [1, 0], name);
    }
  },

  "a partial reply to the final dot is no acceptance: unknown, and no other host gets the message": async (
    t,
    world,
  ) => {
    for (const [name, raw] of Object.entries(CUT_SHORT)) {
      const domain = `half-${name}.example`;
      const { second } = await startPair(t, world, { domain, script: { dot: () => ({ drop: true, raw }) } });
      const recipient = await sendTo(world, domain);
      assert.deepEqual(summary(recipient), ["unknown", "connection_lost_after_final_dot", null], name);
      assert.equal(second.connections, 0, name);
    }
  },

  "a malformed reply before the final dot is no acceptance: no dot, and the next host is tried": async (t, world) => {
    for (const stage of ["mail", "rcpt", "data"] as const) {
      for (const [name, raw] of Object.entries(NO_ACCEPTANCE)) {
        if (stage === "data" && name === "of-another-kind") continue;
        const domain = `${stage}-${name}.example`;
        const { first, second } = await startPair(t, world, { domain, script: { [stage]: once({ raw }) } });
        const recipient = await sendTo(world, domain);
        assert.deepEqual([domain, recipient.result, recipient.smtp?.ip], [domain, "delivered", second.host]);
        assert.deepEqual([first.transactions.length, second.transactions.length], [0, 1], domain);
        assert.equal(triesOf(recipient)[0]?.stage, stage);
      }
    }
  },

  "a 250 that arrives too early is no reply to the final dot or to any other command": async (t, world) => {
    const early: Record<string, Script> = {
      "behind-greeting": { greeting: () => ({ raw: "220 hi\r\n250 2.0.0 queued\r\n" }) },
      "behind-mail": { mail: () => ({ raw: "250 ok\r\n250 ok\r\n" }) },
      "behind-rcpt": { rcpt: () => ({ raw: "250 ok\r\n250 2.0.0 queued\r\n" }) },
      "instead-of-354": { data: () => "250 2.0.0 queued" },
      "behind-354": { data: () => ({ raw: "354 go on\r\n250 2.0.0 queued\r\n" }) },
    };
    for (const [name, script] of Object.entries(early)) {
      const domain = `${name}.example`;
      const { first, second } = await startPair(t, world, { domain, script });
      const recipient = await sendTo(world, domain);
      assert.deepEqual([domain, recipient.result, recipient.smtp?.ip], [domain, "delivered", second.host]);
      assert.deepEqual([first.transactions.length, second.transactions.length], [0, 1], domain);
    }
  },

  "a reply is the same however it is split into packets, with any number of lines": async (t, world) => {
    const whole = `${"250-2.0.0 queued\r\n".repeat(199)}250 2.0.0 as 4XyZ\r\n`;
    const dots: Record<string, Step> = {
      "byte-by-byte": { raw: "250-2.0.0 queued\r\n250 2.0.0 as 4XyZ\r\n", byteByByte: true },
      "many-lines": { raw: whole },
      "bare-lf": { raw: "250-2.0.0 queued\n250 2.0.0 as 4XyZ\n" },
    };
    for (const [name, step] of Object.entries(dots)) {
      const domain = `${name}.example`;
      await startExchanger(t, world, { domain, script: { dot: () => step } });
      const { result, smtp } = await sendTo(world, domain);
      assert.deepEqual([name, result, smtp?.code, smtp?.enhanced_code], [name, "delivered", 250, "2.0.0"]);
      assert.match(smtp?.message ?? "", /^queued\n(queued\n)*as 4XyZ$/);
    }
  },
};

test("outcomes: malformed replies", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), scenarios);
});
