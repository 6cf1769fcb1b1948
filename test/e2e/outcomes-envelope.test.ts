/** The envelope within the peer's limits: who shares a transaction, and what a host cannot take. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sendAndLook, sendToOne } from "../support/front-door.ts";
import { doorOf, startExchanger } from "../support/peers.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { inShort, type Story, tell, to } from "./stories.ts";

const envelope: Record<string, Story> = {
  "452 in mid-envelope: the rest in further transactions": async (t, world) => {
    const domain = "two-at-a-time.example";
    const rcpt: Script["rcpt"] = (_, state) => (state.rcptTo.length >= 2 ? "452 4.5.3 too many" : undefined);
    const peer = await startExchanger(t, world, { domain, script: { rcpt } });
    const recipients = ["a", "b", "c", "d", "e"].map((local) => `${local}@${domain}`);
    const looked = await sendAndLook(doorOf(world), to(...recipients));
    assert.deepEqual(
      looked.recipients.map((r) => [r.result, r.attempts]),
      recipients.map(() => ["delivered", 1]),
    );
    assert.deepEqual(
      peer.transactions.map((tr) => tr.rcptTo),
      [recipients.slice(0, 2), recipients.slice(2, 4), recipients.slice(4)],
    );
    assert.equal(peer.connections, 1);
  },

  "452 to the first recipient is that recipient's own": async (t, world) => {
    const domain = "over-quota.example";
    const rcpt: Script["rcpt"] = (argument) => (argument.includes("full") ? "452 4.2.2 over quota" : undefined);
    await startExchanger(t, world, { domain, script: { rcpt } });
    const looked = await sendAndLook(doorOf(world), to(`full@${domain}`, `ann@${domain}`));
    assert.deepEqual(looked.recipients.map(inShort), [
      ["pending", "temporarily_refused", 452],
      ["delivered", null, 250],
    ]);
  },

  "LIMITS RCPTMAX is kept to": async (t, world) => {
    const domain = "rcptmax.example";
    const peer = await startExchanger(t, world, { domain, capabilities: ["PIPELINING", "LIMITS RCPTMAX=2 MAILMAX=2"] });
    const recipients = ["a", "b", "c", "d", "e"].map((local) => `${local}@${domain}`);
    const looked = await sendAndLook(doorOf(world), to(...recipients));
    assert.ok(looked.recipients.every((r) => r.result === "delivered" && r.attempts === 1));
    assert.deepEqual(
      peer.transactions.map((tr) => [tr.connection, tr.rcptTo.length]),
      [
        [0, 2],
        [0, 2],
        [1, 1],
      ],
    );
  },

  "larger than SIZE: failed, and no MAIL": async (t, world) => {
    const domain = "small.example";
    const peer = await startExchanger(t, world, { domain, capabilities: ["SIZE 600"] });
    const recipient = await sendToOne(doorOf(world), { ...to(`ann@${domain}`), text: "x".repeat(600) });
    assert.deepEqual(inShort(recipient), ["failed", "message_too_large", null]);
    assert.deepEqual(
      peer.commands.filter((command) => /^(MAIL|DATA)/.test(command)),
      [],
    );
  },

  "SMTPUTF8 needed and absent: failed; offered: declared": async (t, world) => {
    const without = await startExchanger(t, world, { domain: "ascii.example", capabilities: ["8BITMIME"] });
    const refused = await sendToOne(doorOf(world), to("grüße@ascii.example"));
    assert.deepEqual(inShort(refused), ["failed", "needs_smtputf8", null]);
    assert.deepEqual(
      without.commands.filter((command) => command.startsWith("MAIL")),
      [],
    );
    const peer = await startExchanger(t, world, { domain: "utf8.example" });
    const taken = await sendToOne(doorOf(world), to("grüße@utf8.example"));
    assert.equal(taken.result, "delivered");
    assert.match(peer.transactions[0]?.mail ?? "", / BODY=8BITMIME .*SMTPUTF8| SMTPUTF8 .*BODY=8BITMIME/);
    assert.deepEqual(peer.transactions[0]?.rcptTo, ["grüße@utf8.example"]);
  },

  "no PIPELINING: one command at a time": async (t, world) => {
    const domain = "stepwise.example";
    const peer = await startExchanger(t, world, { domain, capabilities: ["8BITMIME"] });
    const looked = await sendAndLook(doorOf(world), to(`a@${domain}`, `b@${domain}`));
    assert.ok(looked.recipients.every((r) => r.result === "delivered"));
    assert.equal(peer.pipelined, false);
    assert.match(peer.commands.find((command) => command.startsWith("MAIL")) ?? "", /^MAIL FROM:<[^ ]+>$/);
  },
};

test("outcomes: envelope", { concurrency: true }, async (t) => {
  await tell(t, await startWorld(t), envelope);
});
