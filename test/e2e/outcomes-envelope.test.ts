/** The SMTP envelope within the peer's limits: which recipients share a transaction, and what a host cannot accept. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { headerField } from "../../src/testing/sink/header.ts";
import { sendAndReport, sendToOne, triesOf } from "../support/api-client.ts";
import { apiTarget, startExchanger } from "../support/peers.ts";
import type { Script, Step } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { runScenarios, type Scenario, sendTo, summary, to } from "./smtp-scenarios.ts";

const envelope: Record<string, Scenario> = {
  "recipients of one message at one destination share one transaction": async (t, world) => {
    for (const [name, capabilities] of Object.entries({ pipelined: ["PIPELINING"], stepwise: [] })) {
      const domain = `shared-${name}.example`;
      const peer = await startExchanger(t, world, { domain, capabilities });
      const recipients = Array.from({ length: 50 }, (_, index) => `user${index}@${domain}`);
      const report = await sendAndReport(apiTarget(world), to(...recipients));
      assert.ok(report.recipients.every((r) => r.result === "delivered" && r.attempts === 1));
      assert.deepEqual(
        peer.transactions.map((tr) => tr.rcptTo),
        [recipients],
      );
    }
  },

  "recipient domains with the same mail host get a transaction each": async (t, world) => {
    const peer = await startExchanger(t, world, { domain: "one-of-two.example" });
    world.zone.set("two-of-two.example", "MX", ["10 mx1.one-of-two.example"]);
    const recipients = ["ann@one-of-two.example", "bob@two-of-two.example", "cem@one-of-two.example"];
    const report = await sendAndReport(apiTarget(world), to(...recipients));
    assert.ok(report.recipients.every((r) => r.result === "delivered" && r.attempts === 1));
    assert.deepEqual(peer.transactions.map((tr) => tr.rcptTo).toSorted(), [
      ["ann@one-of-two.example", "cem@one-of-two.example"],
      ["bob@two-of-two.example"],
    ]);
  },

  "452 or 552 within the envelope: the rest follows in further transactions on the same connection": async (
    t,
    world,
  ) => {
    for (const code of ["452", "552"]) {
      const domain = `two-at-a-time-${code}.example`;
      const rcpt: Script["rcpt"] = (_, state) => (state.rcptTo.length >= 2 ? `${code} 4.5.3 too many` : undefined);
      const peer = await startExchanger(t, world, { domain, script: { rcpt } });
      const recipients = ["a", "b", "c", "d", "e"].map((local) => `${local}@${domain}`);
      const report = await sendAndReport(apiTarget(world), to(...recipients));
      assert.deepEqual(
        report.recipients.map((r) => [r.result, r.attempts]),
        recipients.map(() => ["delivered", 1]),
      );
      assert.deepEqual(
        peer.transactions.map((tr) => tr.rcptTo),
        [recipients.slice(0, 2), recipients.slice(2, 4), recipients.slice(4)],
      );
      assert.equal(peer.connections, 1);
    }
  },

  "552 for one full mailbox fails that recipient after a transaction of its own": async (t, world) => {
    const domain = "one-is-full.example";
    const rcpt: Script["rcpt"] = (argument) => (argument.includes("full@") ? "552 5.2.2 mailbox full" : undefined);
    const peer = await startExchanger(t, world, { domain, script: { rcpt } });
    const report = await sendAndReport(apiTarget(world), to(`ann@${domain}`, `full@${domain}`, `bob@${domain}`));
    assert.deepEqual(report.recipients.map(summary), [
      ["delivered", null, 250],
      ["failed", "recipient_refused", 552],
      ["delivered", null, 250],
    ]);
    assert.deepEqual(peer.transactions.flatMap((tr) => tr.rcptTo).toSorted(), [`ann@${domain}`, `bob@${domain}`]);
  },

  "452 for the first recipient concerns only that recipient": async (t, world) => {
    const domain = "over-quota.example";
    const rcpt: Script["rcpt"] = (argument) => (argument.includes("full") ? "452 4.2.2 over quota" : undefined);
    await startExchanger(t, world, { domain, script: { rcpt } });
    const report = await sendAndReport(apiTarget(world), to(`full@${domain}`, `ann@${domain}`));
    assert.deepEqual(report.recipients.map(summary), [
      ["pending", "temporarily_refused", 452],
      ["delivered", null, 250],
    ]);
  },

  "respects LIMITS RCPTMAX": async (t, world) => {
    const domain = "rcptmax.example";
    const peer = await startExchanger(t, world, { domain, capabilities: ["PIPELINING", "LIMITS RCPTMAX=2 MAILMAX=2"] });
    const recipients = ["a", "b", "c", "d", "e"].map((local) => `${local}@${domain}`);
    const report = await sendAndReport(apiTarget(world), to(...recipients));
    assert.ok(report.recipients.every((r) => r.result === "delivered" && r.attempts === 1));
    assert.deepEqual(
      peer.transactions.map((tr) => [tr.connection, tr.rcptTo.length]),
      [
        [0, 2],
        [0, 2],
        [1, 1],
      ],
    );
  },

  "a message over the peer's SIZE fails (5.3.4) without MAIL": async (t, world) => {
    const domain = "small.example";
    const peer = await startExchanger(t, world, { domain, capabilities: ["SIZE 600"] });
    const recipient = await sendToOne(apiTarget(world), { ...to(`ann@${domain}`), text: "x".repeat(600) });
    assert.deepEqual(summary(recipient), ["failed", "message_too_large", null]);
    assert.deepEqual(
      peer.commands.filter((command) => /^(MAIL|DATA)/.test(command)),
      [],
    );
  },

  "a non-ASCII local part needs SMTPUTF8 at the peer (else 5.6.7), declared next to BODY=8BITMIME": async (
    t,
    world,
  ) => {
    const without = await startExchanger(t, world, { domain: "ascii.example", capabilities: ["8BITMIME"] });
    const refused = await sendToOne(apiTarget(world), to("grüße@ascii.example"));
    assert.deepEqual(summary(refused), ["failed", "needs_smtputf8", null]);
    assert.match(triesOf(refused)[0]?.error ?? "", /5\.6\.7/);
    const sender = await sendToOne(apiTarget(world), { ...to("ann@ascii.example"), from: "grüße@shop.example" });
    assert.deepEqual(summary(sender), ["failed", "needs_smtputf8", null]);
    assert.deepEqual(
      without.commands.filter((command) => command.startsWith("MAIL")),
      [],
    );
    const peer = await startExchanger(t, world, { domain: "utf8.example" });
    const accepted = await sendToOne(apiTarget(world), to("grüße@utf8.example"));
    assert.equal(accepted.result, "delivered");
    assert.match(peer.transactions[0]?.mail ?? "", / BODY=8BITMIME .*SMTPUTF8| SMTPUTF8 .*BODY=8BITMIME/);
    assert.deepEqual(peer.transactions[0]?.rcptTo, ["grüße@utf8.example"]);
  },

  "8-bit header fields fail without 8BITMIME at the peer, without MAIL": async (t, world) => {
    const domain = "seven-bit.example";
    const peer = await startExchanger(t, world, { domain, capabilities: ["SMTPUTF8"] });
    assert.deepEqual(summary(await sendTo(world, domain)), ["delivered", null, 250], "bodies are always 7-bit");
    const refused = await sendToOne(apiTarget(world), to(`grüße@${domain}`));
    assert.deepEqual(summary(refused), ["failed", "needs_8bitmime", null]);
    assert.equal(peer.commands.filter((command) => command.startsWith("MAIL")).length, 1);
  },

  "an internationalized domain is sent as A-labels, in envelope and header, and needs no extension": async (
    t,
    world,
  ) => {
    const peer = await startExchanger(t, world, { domain: "xn--grn-ioa.example", capabilities: [] });
    const recipient = await sendToOne(apiTarget(world), to("Grün <Ann@GRÜN.example>"));
    assert.deepEqual([recipient.result, recipient.smtp?.mx], ["delivered", "mx1.xn--grn-ioa.example"]);
    const [{ mail, rcptTo, message } = { mail: "", rcptTo: [], message: Buffer.alloc(0) }] = peer.transactions;
    assert.deepEqual([mail, rcptTo], ["<hello@shop.example>", ["Ann@xn--grn-ioa.example"]]);
    assert.match(headerField(message, "To") ?? "", /<Ann@xn--grn-ioa\.example>$/);
  },

  "with PIPELINING, MAIL, RCPT and DATA are sent together, and each reply matches its command": async (t, world) => {
    const domain = "at-once.example";
    // Does not reply before DATA has arrived: a client that waits for each reply would wait forever.
    const held: Step[] = [];
    const hold = (step: string) => () => {
      held.push(step);
      return { silent: true } as const;
    };
    const script: Script = {
      mail: hold("250 ok"),
      rcpt: (argument) => hold(argument.includes("bob@") ? "550 5.1.1 nobody" : "250 ok")(),
      data: () => ({ raw: `${[...held.splice(0), "354 go on"].join("\r\n")}\r\n` }),
    };
    await startExchanger(t, world, { domain, script });
    const report = await sendAndReport(apiTarget(world), to(`ann@${domain}`, `bob@${domain}`, `cem@${domain}`));
    assert.deepEqual(report.recipients.map(summary), [
      ["delivered", null, 250],
      ["failed", "recipient_refused", 550],
      ["delivered", null, 250],
    ]);
  },

  "without PIPELINING, sends one command at a time": async (t, world) => {
    const domain = "stepwise.example";
    const peer = await startExchanger(t, world, { domain, capabilities: ["8BITMIME"] });
    const report = await sendAndReport(apiTarget(world), to(`a@${domain}`, `b@${domain}`));
    assert.ok(report.recipients.every((r) => r.result === "delivered"));
    assert.equal(peer.pipelined, false);
    assert.match(peer.commands.find((command) => command.startsWith("MAIL")) ?? "", /^MAIL FROM:<[^ ]+>$/);
  },
};

test("outcomes: envelope", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), envelope);
});
