/** Connections: TLS when available, reuse, and closing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pollUntil, send, sendToOne, triesOf } from "../support/api-client.ts";
import { onlyTls } from "../support/legacy-tls.ts";
import { apiTarget, publish, startExchanger, startPeer, until } from "../support/peers.ts";
import type { Script, ScriptedSmtpOptions } from "../support/scripted-smtp.ts";
import { selfSigned } from "../support/self-signed.ts";
import { startWorld } from "../support/world.ts";
import { resultAndReason, runScenarios, type Scenario, startPair, to } from "./smtp-scenarios.ts";

const TLS = selfSigned("mx.example");
const no = () => "550 5.1.1 nobody here";

type FallingBack = Pick<ScriptedSmtpOptions, "tls" | "capabilities" | "script">;

/** Peers whose session ends in one of our fallbacks. */
const FALLBACKS = {
  refused: { tls: TLS, script: { starttls: () => "454 4.7.0 TLS not available" } },
  broken: { capabilities: ["STARTTLS"], script: { starttls: () => "220 go on" } },
  helo: { script: { ehlo: () => "502 5.5.1 what?" } },
} satisfies Record<string, FallingBack>;

/** Peers whose TLS fails without a failed handshake. */
const BREAKING: Record<string, Pick<ScriptedSmtpOptions, "tlsOptions" | "script">> = {
  "client-certificate": { tlsOptions: { requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" } },
  "closed-at-starttls": { script: { starttls: () => ({ drop: true }) } },
  "closed-at-ehlo": { script: { ehlo: (_, { secure }) => (secure ? { drop: true } : undefined) } },
  "rubbish-at-ehlo": { script: { ehlo: (_, { secure }) => (secure ? { raw: "\x15\x03\r\n" } : undefined) } },
  "closed-at-mail": { script: { mail: (_, { secure }) => (secure ? { drop: true } : undefined) } },
};

const connections: Record<string, Scenario> = {
  "uses STARTTLS when offered, repeats EHLO, and sends the message under TLS": async (t, world) => {
    const domain = "tls.example";
    const peer = await startExchanger(t, world, { domain, tls: selfSigned(`mx1.${domain}`) });
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
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

  "sends the host's name (SNI); a certificate that does not verify is accepted and recorded as such": async (
    t,
    world,
  ) => {
    const domain = "sni.example";
    const peer = await startExchanger(t, world, { domain, tls: selfSigned("another.example") });
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.equal(peer.states[0]?.serverName, `mx1.${domain}`);
    const [attempted] = triesOf(recipient);
    assert.deepEqual([recipient.result, attempted?.policy, attempted?.tls?.verified], ["delivered", "none", false]);
    assert.match(attempted?.tls?.cipher ?? "", /^TLS_/);
    assert.equal(attempted?.note, null);
  },

  "after a broken handshake, sends plain text to the same host, and the attempt records it": async (t, world) => {
    const domain = "broken-tls.example";
    const { first, second } = await startPair(t, world, { domain, script: { starttls: () => "220 go on" } });
    await first.close();
    const broken = await startPeer(t, world, {
      capabilities: ["PIPELINING", "STARTTLS"],
      script: { starttls: () => "220 go on" },
    });
    publish(world, domain, [broken.host], [second.host]);
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual([recipient.result, recipient.smtp?.tls, recipient.smtp?.ip], ["delivered", null, broken.host]);
    assert.match(triesOf(recipient)[0]?.note ?? "", /STARTTLS failed .*plain text/);
    assert.deepEqual([broken.transactions.map((tr) => tr.secure), second.connections], [[false], 0]);
  },

  "TLS that breaks after the handshake: plain text to the same host, and a refusal there is not permanent": async (
    t,
    world,
  ) => {
    for (const [name, options] of Object.entries(BREAKING)) {
      const domain = `${name}.example`;
      const rcpt = (argument: string) => (argument.includes("bob") ? "550 5.7.1 no" : undefined);
      const peer = await startExchanger(t, world, {
        domain,
        tls: TLS,
        ...options,
        script: { ...options.script, rcpt },
      });
      const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
      assert.deepEqual([recipient.result, recipient.attempts, recipient.smtp?.tls], ["delivered", 1, null], domain);
      assert.equal(peer.connections, 2, "the same host again, in plain text");
      const tries = triesOf(recipient);
      assert.match(
        tries.at(-1)?.note ?? "",
        /^(STARTTLS failed|TLS broke before the reply to).*in plain text$/,
        domain,
      );
      assert.doesNotMatch(JSON.stringify(tries), /openssl|\.c:\d/, domain);
      const refused = await sendToOne(apiTarget(world), to(`bob@${domain}`));
      assert.deepEqual(resultAndReason(refused), ["pending", "refused_on_fallback"], domain);
    }
  },

  "a greeting of 220 whose last line is 521: the refusal, with its whole text": async (t, world) => {
    const domain = "greets-521.example";
    await startExchanger(t, world, { domain, script: { greeting: () => "220-mx\n521 we take no mail" } });
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual(resultAndReason(recipient), ["pending", "host_refused"]);
    assert.deepEqual([recipient.smtp?.code, recipient.smtp?.message], [521, "mx\nwe take no mail"]);
  },

  "a refusal with two codes after the dot is that of its last line; one that ends with 250 is no acceptance": async (
    t,
    world,
  ) => {
    const dot = (text: string): Script => ({ dot: () => text });
    const refusing = "550-5.7.1 not taken\n554 5.7.1 spam";
    await startExchanger(t, world, { domain: "two-codes.example", script: dot(refusing) });
    const refused = await sendToOne(apiTarget(world), to("ann@two-codes.example"));
    assert.deepEqual(resultAndReason(refused), ["failed", "message_refused"]);
    assert.deepEqual([refused.smtp?.code, refused.smtp?.message], [554, "not taken\nspam"]);
    await startExchanger(t, world, { domain: "unclear.example", script: dot("550-no\n250 yes") });
    const unclear = await sendToOne(apiTarget(world), to("ann@unclear.example"));
    assert.deepEqual(resultAndReason(unclear), ["unknown", "garbled_reply_to_final_dot"]);
  },

  "messages spread over the addresses of a host": async (t, world) => {
    const domain = "spread.example";
    const peers = await Promise.all(Array.from({ length: 8 }, () => startPeer(t, world)));
    publish(
      world,
      domain,
      peers.map(({ host }) => host),
    );
    for (let count = 0; count < 40; count += 1) {
      assert.equal((await sendToOne(apiTarget(world), to(`ann@${domain}`))).result, "delivered");
    }
    // Two addresses or fewer would be drawn once in 10^22 runs.
    assert.ok(peers.filter(({ transactions }) => transactions.length > 0).length > 2);
  },

  "a host that supports at most TLS 1.0 gets the message under it, with the version recorded": async (t, world) => {
    const domain = "old-tls.example";
    const tls = selfSigned(`mx1.${domain}`);
    const peer = await startExchanger(t, world, { domain, tls, tlsOptions: onlyTls("TLSv1") });
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual([recipient.result, recipient.smtp?.tls], ["delivered", "TLSv1"]);
    assert.deepEqual([peer.transactions[0]?.secure, triesOf(recipient)[0]?.note], [true, null]);
  },

  "refused in plain text after failed TLS, or over HELO: pending, whatever the code and the stage": async (
    t,
    world,
  ) => {
    const refusals: [name: string, script: Script][] = [
      ["mail", { mail: () => "554 5.7.10 Encryption needed" }],
      ["rcpt", { rcpt: () => "550 5.1.1 nobody here" }],
      ["data", { data: () => "554 5.7.10 Encryption needed" }],
      ["dot", { dot: () => "554 5.7.10 Encryption needed" }],
    ];
    for (const [fallback, options] of Object.entries<FallingBack>(FALLBACKS)) {
      for (const [step, refusal] of refusals) {
        const domain = `${step}.${fallback}.example`;
        await startExchanger(t, world, { domain, ...options, script: { ...options.script, ...refusal } });
        const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
        assert.deepEqual(resultAndReason(recipient), ["pending", "refused_on_fallback"], domain);
        assert.match(triesOf(recipient)[0]?.note ?? "", /continued (in plain text|with HELO)$/);
      }
    }
  },

  "a capability that the message needs and a fallback lacks: pending": async (t, world) => {
    for (const [fallback, options] of Object.entries<FallingBack>(FALLBACKS)) {
      const domain = `utf8.${fallback}.example`;
      const capabilities = (options.capabilities ?? []).concat("8BITMIME");
      await startExchanger(t, world, { domain, ...options, capabilities });
      const recipient = await sendToOne(apiTarget(world), to(`jörg@${domain}`));
      assert.deepEqual(resultAndReason(recipient), ["pending", "needs_smtputf8"], domain);
    }
  },

  "a reused fallback session is still a fallback": async (t, world) => {
    for (const [fallback, options] of Object.entries<FallingBack>(FALLBACKS)) {
      const domain = `kept.${fallback}.example`;
      const rcpt = (argument: string) => (argument.includes("bob") ? "550 5.7.1 no" : undefined);
      const peer = await startExchanger(t, world, { domain, ...options, script: { ...options.script, rcpt } });
      assert.equal((await sendToOne(apiTarget(world), to(`ann@${domain}`))).result, "delivered");
      const opened = peer.connections;
      const recipient = await sendToOne(apiTarget(world), to(`bob@${domain}`));
      assert.deepEqual(
        [...resultAndReason(recipient), peer.connections],
        ["pending", "refused_on_fallback", opened],
        domain,
      );
    }
  },

  "after a refusal on a fallback, the next host with working TLS decides": async (t, world) => {
    const domain = "next-decides.example";
    const first = await startPeer(t, world, {
      ...FALLBACKS.refused,
      script: { ...FALLBACKS.refused.script, rcpt: no },
    });
    const second = await startPeer(t, world, {
      tls: TLS,
      script: { rcpt: (to) => (/ann/.test(to) ? undefined : no()) },
    });
    publish(world, domain, [first.host], [second.host]);
    assert.equal((await sendToOne(apiTarget(world), to(`ann@${domain}`))).result, "delivered");
    assert.deepEqual(resultAndReason(await sendToOne(apiTarget(world), to(`bob@${domain}`))), [
      "failed",
      "recipient_refused",
    ]);
  },

  "plain text at a host without STARTTLS is not a fallback: a refusal is final": async (t, world) => {
    const domain = "plain.example";
    await startExchanger(t, world, { domain, script: { rcpt: no } });
    assert.deepEqual(resultAndReason(await sendToOne(apiTarget(world), to(`ann@${domain}`))), [
      "failed",
      "recipient_refused",
    ]);
  },

  "several messages share a connection, which ends with QUIT after it was idle": async (t, world) => {
    const domain = "reuse.example";
    const peer = await startExchanger(t, world, { domain });
    for (let count = 0; count < 5; count += 1) await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual([peer.connections, peer.transactions.length], [1, 5]);
    await until("the end of the idle connection", () => peer.open === 0);
    assert.equal(peer.commands.at(-1), "QUIT");
  },

  "open connections that the peer has closed use up no attempt": async (t, world) => {
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
    const all = Array.from({ length: 8 }, (_, i) => sendToOne(apiTarget(world), to(`ann${i}@${domain}`)));
    assert.ok((await Promise.all(all)).every((recipient) => recipient.result === "delivered"));
    const recipient = await sendToOne(apiTarget(world), to(`ann@${domain}`));
    assert.deepEqual([recipient.result, recipient.attempts], ["delivered", 1], JSON.stringify(recipient));
    assert.equal(peer.transactions.length, 9);
  },
};

test("outcomes: connections", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), connections);
});

test("a recipient refused on a fallback is delivered once TLS works again", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  const domain = "mended.example";
  let isBroken = true;
  const script: Script = {
    starttls: () => (isBroken ? "454 4.7.0 TLS not available" : undefined),
    rcpt: (_, { secure }) => (secure ? undefined : "554 5.7.10 Encryption needed"),
  };
  const peer = await startExchanger(t, world, { domain, tls: TLS, script });
  const id = await send(apiTarget(world), to(`ann@${domain}`));
  await pollUntil(apiTarget(world), id, ({ attempts }) => attempts > 0);
  isBroken = false;
  const { recipients } = await pollUntil(apiTarget(world), id, ({ result }) => result !== "pending");
  assert.equal(recipients[0]?.result, "delivered");
  assert.equal(peer.transactions[0]?.secure, true);
});

test("a host that refuses plain text is offered TLS again, however often TLS has failed with it", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  const domain = "strict.example";
  let isBroken = true;
  let refusals = 0;
  const script: Script = {
    starttls: () => (isBroken ? { drop: true, raw: "220 go on\r\n" } : undefined),
    rcpt: (_, { secure }) => {
      if (secure) return undefined;
      refusals += 1;
      return "554 5.7.10 Encryption needed";
    },
  };
  const peer = await startExchanger(t, world, { domain, tls: TLS, script });
  const id = await send(apiTarget(world), to(`ann@${domain}`));
  await until("three refusals in plain text", () => refusals >= 3);
  isBroken = false;
  const { recipients } = await pollUntil(apiTarget(world), id, ({ result }) => result !== "pending");
  assert.equal(recipients[0]?.result, "delivered");
  assert.equal(peer.transactions[0]?.secure, true);
});
