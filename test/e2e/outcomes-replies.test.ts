/** How a peer's replies become results: every text is kept, and each reply affects only the recipients it concerns. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendAndReport, sendToOne } from "../support/api-client.ts";
import { apiTarget, startExchanger } from "../support/peers.ts";
import type { Script, Step } from "../support/scripted-smtp.ts";
import { selfSigned } from "../support/self-signed.ts";
import { startWorld } from "../support/world.ts";
import { runScenarios, type Scenario, summary, to } from "./smtp-scenarios.ts";

const replies: Record<string, Scenario> = {
  "each recipient keeps its own reply to RCPT, whatever the reply to the final dot": async (t, world) => {
    const rcpt: Script["rcpt"] = (argument) => {
      if (argument.includes("full")) return "450 4.2.2 mailbox full";
      return argument.includes("nobody") ? "550 5.1.1 no such user" : undefined;
    };
    const endings: [string, Script["dot"], unknown[]][] = [
      ["taken.example", undefined, ["delivered", null, 250]],
      ["later.example", () => "451 4.3.0 try later", ["pending", "temporarily_refused", 451]],
      ["refused.example", () => "554 5.6.0 not this", ["failed", "message_refused", 554]],
      ["cut.example", () => ({ drop: true }), ["unknown", "connection_lost_after_final_dot", null]],
    ];
    for (const [domain, dot, ann] of endings) {
      const peer = await startExchanger(t, world, { domain, script: { rcpt, ...(dot ? { dot } : {}) } });
      const report = await sendAndReport(apiTarget(world), to(`full@${domain}`, `ann@${domain}`, `nobody@${domain}`));
      assert.deepEqual(report.recipients.map(summary), [
        ["pending", "temporarily_refused", 450],
        ann,
        ["failed", "recipient_refused", 550],
      ]);
      assert.deepEqual(
        peer.transactions.map((transaction) => transaction.rcptTo),
        [[`ann@${domain}`]],
      );
    }
  },

  "an accepted recipient shows the host, its address and its reply": async (t, world) => {
    const domain = "words.example";
    const peer = await startExchanger(t, world, { domain, script: { dot: () => "250 2.0.0 Ok: queued as 4XyZ" } });
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual(recipient.smtp, {
      code: 250,
      enhanced_code: "2.0.0",
      message: "Ok: queued as 4XyZ",
      mx: `mx1.${domain}`,
      ip: peer.host,
      tls: null,
    });
  },

  "ignores an enhanced code whose class differs from the reply's": async (t, world) => {
    const domain = "enhanced.example";
    await startExchanger(t, world, { domain, script: { rcpt: () => "550 4.7.1 contradictory" } });
    const { result, smtp } = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual([result, smtp?.code, smtp?.enhanced_code], ["failed", 550, null]);
    assert.match(smtp?.message ?? "", /contradictory/);
  },

  "keeps all lines of a reply, with invalid UTF-8 replaced": async (t, world) => {
    const domain = "lines.example";
    const raw = Buffer.concat([
      Buffer.from("550-5.7.1 first line\r\n550-5.7.1 größer\r\n550 5.7.1 bad "),
      Buffer.of(0xff),
      Buffer.from(" byte\r\n"),
    ]);
    await startExchanger(t, world, { domain, script: { rcpt: () => ({ raw }) } });
    const { result, smtp } = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.equal(result, "failed");
    assert.equal(smtp?.message, "first line\ngrößer\nbad \ufffd byte");
    assert.equal(smtp?.enhanced_code, "5.7.1");
  },

  "keeps up to 4 KiB of a long reply, cut between characters and marked": async (t, world) => {
    const domain = "wordy.example";
    const line = "ü".repeat(500);
    const raw = `${`550-5.7.1 ${line}\r\n`.repeat(150)}550 5.7.1 the end\r\n`;
    await startExchanger(t, world, { domain, script: { rcpt: () => ({ raw }) } });
    const { result, smtp } = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    const bytes = Buffer.byteLength(smtp?.message ?? "");
    assert.deepEqual([result, smtp?.code, smtp?.enhanced_code], ["failed", 550, "5.7.1"]);
    assert.ok(bytes > 4090 && bytes <= 4096, `${bytes} bytes`);
    assert.match(smtp?.message ?? "", /^(ü{500}\n)+ü*…$/);
  },

  "a 421 at any stage leaves no recipient undecided": async (t, world) => {
    const text = "A line of a long letter.\n".repeat(100_000);
    const tls = selfSigned("mx.example");
    for (const stage of ["greeting", "ehlo", "starttls", "mail", "rcpt", "data", "content", "dot"] as const) {
      const domain = `busy-${stage}.example`;
      const script: Script = { [stage]: () => "421 4.3.2 too busy" };
      await startExchanger(t, world, { domain, script, ...(stage === "starttls" ? { tls } : {}) });
      const report = await sendAndReport(apiTarget(world), { ...to(`ann@${domain}`, `bob@${domain}`), text });
      for (const recipient of report.recipients) {
        assert.deepEqual([stage, recipient.result, recipient.smtp?.code], [stage, "pending", 421]);
        assert.ok(Date.parse(recipient.next_attempt_at ?? "") > Date.now());
      }
    }
  },

  "a recipient that makes the host disconnect at RCPT does not delay the others": async (t, world) => {
    const steps: Record<string, Step> = { 421: "421 4.2.1 not for this one", drop: { drop: true } };
    for (const [name, step] of Object.entries(steps)) {
      const domain = `only-${name}.example`;
      const rcpt: Script["rcpt"] = (argument) => (argument.includes("bob@") ? step : undefined);
      const peer = await startExchanger(t, world, { domain, script: { rcpt } });
      const names = ["ann", "bob", "cem", "dee"];
      const report = await sendAndReport(apiTarget(world), to(...names.map((local) => `${local}@${domain}`)));
      assert.deepEqual(
        report.recipients.map((r) => [r.result, r.attempts]),
        [
          ["delivered", 1],
          ["pending", 1],
          ["delivered", 1],
          ["delivered", 1],
        ],
        name,
      );
      assert.equal(report.recipients[1]?.smtp?.code, name === "421" ? 421 : undefined);
      assert.deepEqual(
        peer.transactions.map((transaction) => transaction.rcptTo.length),
        [3],
      );
    }
  },

  "records a 421 right after the reply to EHLO as such": async (t, world) => {
    const domain = "closing.example";
    const raw = "250 peer.test\r\n421 4.3.2 closing\r\n";
    await startExchanger(t, world, { domain, script: { ehlo: () => ({ raw }) } });
    assert.deepEqual(summary(await sendToOne(apiTarget(world), to(`ann@${domain}`))), [
      "pending",
      "temporarily_refused",
      421,
    ]);
  },

  "a 554 greeting concerns the host, not the recipient": async (t, world) => {
    const domain = "greeting.example";
    await startExchanger(t, world, { domain, script: { greeting: () => "554 5.3.2 go away" } });
    assert.deepEqual(summary(await sendToOne(apiTarget(world), to(`ann@${domain}`))), ["pending", "host_refused", 554]);
  },

  "a 354 without an accepted recipient gets an empty message and delivers to no recipient": async (t, world) => {
    const domain = "nobody.example";
    const script: Script = { rcpt: () => "450 4.2.0 not now", data: () => "354 go on" };
    const peer = await startExchanger(t, world, { domain, script });
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual(summary(recipient), ["pending", "temporarily_refused", 450]);
    assert.deepEqual(
      peer.transactions.map((transaction) => transaction.raw.toString()),
      [".\r\n"],
    );
  },

  "falls back to HELO if EHLO is refused": async (t, world) => {
    const domain = "old.example";
    const peer = await startExchanger(t, world, { domain, script: { ehlo: () => "502 5.5.1 what?" } });
    assert.equal((await sendToOne(apiTarget(world), to(`ann@${domain}`))).result, "delivered");
    assert.deepEqual(peer.commands.slice(0, 3), [
      "EHLO mta.shop.example",
      "HELO mta.shop.example",
      "MAIL FROM:<hello@shop.example>",
    ]);
  },
};

test("outcomes: replies", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), replies);
});
