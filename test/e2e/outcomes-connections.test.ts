/** Connections: TLS as it can be had, reuse, and their end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sendToOne, triesOf } from "../support/front-door.ts";
import { doorOf, publish, startExchanger, startPeer, until } from "../support/peers.ts";
import type { Script } from "../support/scripted-smtp.ts";
import { selfSigned } from "../support/self-signed.ts";
import { startWorld } from "../support/world.ts";
import { type Story, startPair, tell, to } from "./stories.ts";

const connections: Record<string, Story> = {
  "STARTTLS when offered, then EHLO again, and the message under TLS": async (t, world) => {
    const domain = "tls.example";
    const peer = await startExchanger(t, world, { domain, tls: selfSigned(`mx1.${domain}`) });
    const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.equal(recipient.result, "delivered");
    assert.match(recipient.smtp?.tls ?? "", /^TLSv1\.[23]$/);
    assert.deepEqual(
      peer.transactions.map((tr) => tr.secure),
      [true],
    );
    assert.deepEqual(
      peer.commands.slice(0, 3).map((command) => command.split(" ")[0]),
      ["EHLO", "STARTTLS", "EHLO"],
    );
  },

  "the host's name is sent (SNI); a certificate that does not verify serves all the same, and is recorded so": async (
    t,
    world,
  ) => {
    const domain = "sni.example";
    const peer = await startExchanger(t, world, { domain, tls: selfSigned("another.example") });
    const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.equal(peer.states[0]?.serverName, `mx1.${domain}`);
    const [attempted] = triesOf(recipient);
    assert.deepEqual([recipient.result, attempted?.policy, attempted?.tls?.verified], ["delivered", "none", false]);
    assert.match(attempted?.tls?.cipher ?? "", /^TLS_/);
    assert.equal(attempted?.note, null);
  },

  "a broken handshake: plain text on the same host, and the attempt says so": async (t, world) => {
    const domain = "broken-tls.example";
    const { first, second } = await startPair(t, world, { domain, script: { starttls: () => "220 go on" } });
    await first.close();
    const broken = await startPeer(t, world, {
      capabilities: ["PIPELINING", "STARTTLS"],
      script: { starttls: () => "220 go on" },
    });
    publish(world, domain, [broken.host], [second.host]);
    const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.deepEqual([recipient.result, recipient.smtp?.tls, recipient.smtp?.ip], ["delivered", null, broken.host]);
    assert.match(triesOf(recipient)[0]?.note ?? "", /STARTTLS failed .*plain text/);
    assert.deepEqual([broken.transactions.map((tr) => tr.secure), second.connections], [[false], 0]);
  },

  "several messages share a connection, which ends with QUIT when it has been idle": async (t, world) => {
    const domain = "reuse.example";
    const peer = await startExchanger(t, world, { domain });
    for (let count = 0; count < 5; count += 1) await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.deepEqual([peer.connections, peer.transactions.length], [1, 5]);
    await until("the idle connection's end", () => peer.open === 0);
    assert.equal(peer.commands.at(-1), "QUIT");
  },

  "kept connections that the peer will not use again cost no attempt": async (t, world) => {
    const domain = "once.example";
    const used = new Set<number>();
    const script: Script = {
      mail: (_, state) => {
        if (used.has(state.connection)) return "421 4.7.0 one message a connection";
        used.add(state.connection);
        return undefined;
      },
      dot: () => delay(100, "250 2.0.0 queued"),
    };
    const peer = await startExchanger(t, world, { domain, script });
    const all = Array.from({ length: 8 }, (_, i) => sendToOne(doorOf(world), to(`ann${i}@${domain}`)));
    assert.ok((await Promise.all(all)).every((recipient) => recipient.result === "delivered"));
    const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.deepEqual([recipient.result, recipient.attempts], ["delivered", 1], JSON.stringify(recipient));
    assert.equal(peer.transactions.length, 9);
  },
};

test("outcomes: connections", { concurrency: true }, async (t) => {
  await tell(t, await startWorld(t), connections);
});
