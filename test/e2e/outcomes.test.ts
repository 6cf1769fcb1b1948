/**
 * What a peer's replies, and their absence, come to for each recipient: from a send to the lookup, over real SMTP.
 * Each story has a domain and a peer of its own, so all of them run side by side in two worlds.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import {
  attempted,
  isFinal,
  type LookedRecipient,
  lookUntil,
  send,
  sendAndLook,
  sendToOne,
  triesOf,
} from "../support/front-door.ts";
import { doorOf, publish, startExchanger, startPeer, until } from "../support/peers.ts";
import type { Script, Step } from "../support/scripted-smtp.ts";
import { selfSigned } from "../support/self-signed.ts";
import { letter, startWorld, type World } from "../support/world.ts";

type Story = (t: TestContext, world: World) => Promise<void>;

const stories = (t: TestContext, world: World, told: Record<string, Story>) =>
  Promise.all(Object.entries(told).map(([name, story]) => t.test(name, (sub) => story(sub, world))));

const to = (...recipients: string[]) => letter({ to: recipients });

/** What a recipient came to, short enough to compare. */
const inShort = ({ result, reason, smtp }: LookedRecipient) => [result, reason, smtp?.code ?? null];

const replies: Record<string, Story> = {
  "each recipient keeps its own reply to RCPT, whatever the dot is answered": async (t, world) => {
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
      const looked = await sendAndLook(doorOf(world), to(`full@${domain}`, `ann@${domain}`, `nobody@${domain}`));
      assert.deepEqual(looked.recipients.map(inShort), [
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

  "an accepted recipient shows the host, its address and its words": async (t, world) => {
    const domain = "words.example";
    const peer = await startExchanger(t, world, { domain, script: { dot: () => "250 2.0.0 Ok: queued as 4XyZ" } });
    const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.deepEqual(recipient.smtp, {
      code: 250,
      enhanced_code: "2.0.0",
      message: "Ok: queued as 4XyZ",
      mx: `mx1.${domain}`,
      ip: peer.host,
      tls: null,
    });
  },

  "an enhanced code of another class than the reply's is not believed": async (t, world) => {
    const domain = "enhanced.example";
    await startExchanger(t, world, { domain, script: { rcpt: () => "550 4.7.1 contradictory" } });
    const { result, smtp } = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.deepEqual([result, smtp?.code, smtp?.enhanced_code], ["failed", 550, null]);
    assert.match(smtp?.message ?? "", /contradictory/);
  },

  "a reply of several lines is kept whole, with broken UTF-8 replaced": async (t, world) => {
    const domain = "lines.example";
    const raw = Buffer.concat([
      Buffer.from("550-5.7.1 first line\r\n550-5.7.1 größer\r\n550 5.7.1 bad "),
      Buffer.of(0xff),
      Buffer.from(" byte\r\n"),
    ]);
    await startExchanger(t, world, { domain, script: { rcpt: () => ({ raw }) } });
    const { result, smtp } = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.equal(result, "failed");
    assert.equal(smtp?.message, "first line\ngrößer\nbad \ufffd byte");
    assert.equal(smtp?.enhanced_code, "5.7.1");
  },

  "a 421 at any stage leaves nobody undecided": async (t, world) => {
    for (const stage of ["greeting", "ehlo", "mail", "rcpt", "data", "dot"] as const) {
      const domain = `busy-${stage}.example`;
      await startExchanger(t, world, { domain, script: { [stage]: () => "421 4.3.2 too busy" } });
      const looked = await sendAndLook(doorOf(world), to(`ann@${domain}`, `bob@${domain}`));
      for (const { result, smtp } of looked.recipients)
        assert.deepEqual([stage, result, smtp?.code], [stage, "pending", 421]);
    }
  },

  "who makes the host hang up at RCPT does not hold up the others": async (t, world) => {
    const steps: Record<string, Step> = { 421: "421 4.2.1 not for this one", drop: { drop: true } };
    for (const [name, step] of Object.entries(steps)) {
      const domain = `only-${name}.example`;
      const rcpt: Script["rcpt"] = (argument) => (argument.includes("bob@") ? step : undefined);
      const peer = await startExchanger(t, world, { domain, script: { rcpt } });
      const names = ["ann", "bob", "cem", "dee"];
      const looked = await sendAndLook(doorOf(world), to(...names.map((local) => `${local}@${domain}`)));
      assert.deepEqual(
        looked.recipients.map((r) => [r.result, r.attempts]),
        [
          ["delivered", 1],
          ["pending", 1],
          ["delivered", 1],
          ["delivered", 1],
        ],
        name,
      );
      assert.equal(looked.recipients[1]?.smtp?.code, name === "421" ? 421 : undefined);
      assert.deepEqual(
        peer.transactions.map((transaction) => transaction.rcptTo.length),
        [3],
      );
    }
  },

  "a 421 right behind the reply to EHLO is noted as such": async (t, world) => {
    const domain = "closing.example";
    const raw = "250 peer.test\r\n421 4.3.2 closing\r\n";
    await startExchanger(t, world, { domain, script: { ehlo: () => ({ raw }) } });
    assert.deepEqual(inShort(await sendToOne(doorOf(world), to(`ann@${domain}`))), [
      "pending",
      "temporarily_refused",
      421,
    ]);
  },

  "a greeting of 554 speaks of the host, not of the recipient": async (t, world) => {
    const domain = "greeting.example";
    await startExchanger(t, world, { domain, script: { greeting: () => "554 5.3.2 go away" } });
    assert.deepEqual(inShort(await sendToOne(doorOf(world), to(`ann@${domain}`))), ["pending", "host_refused", 554]);
  },

  "a 354 with nobody accepted gets a lone dot and delivers to nobody": async (t, world) => {
    const domain = "nobody.example";
    const script: Script = { rcpt: () => "450 4.2.0 not now", data: () => "354 go on" };
    const peer = await startExchanger(t, world, { domain, script });
    const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
    assert.deepEqual(inShort(recipient), ["pending", "temporarily_refused", 450]);
    assert.deepEqual(
      peer.transactions.map((transaction) => transaction.raw.toString()),
      [".\r\n"],
    );
  },

  "EHLO refused: HELO": async (t, world) => {
    const domain = "old.example";
    const peer = await startExchanger(t, world, { domain, script: { ehlo: () => "502 5.5.1 what?" } });
    assert.equal((await sendToOne(doorOf(world), to(`ann@${domain}`))).result, "delivered");
    assert.deepEqual(peer.commands.slice(0, 3), [
      "EHLO mta.shop.example",
      "HELO mta.shop.example",
      "MAIL FROM:<hello@shop.example>",
    ]);
  },
};

/** Two exchangers for a domain: the first follows the script, the second takes everything. */
async function pair(t: TestContext, world: World, { domain, script }: { domain: string; script: Script }) {
  const first = await startPeer(t, world, { script });
  const second = await startPeer(t, world);
  publish(world, domain, [first.host], [second.host]);
  return { first, second };
}

const theDot: Record<string, Story> = {
  "no clear reply to the dot: unknown, and nobody else gets it": async (t, world) => {
    const endings: [string, Script["dot"], string][] = [
      ["dot-cut.example", () => ({ drop: true }), "connection_lost_after_final_dot"],
      ["dot-half.example", () => ({ drop: true, raw: "250-2.0.0 queu" }), "connection_lost_after_final_dot"],
      ["dot-garbled.example", () => ({ raw: "+OK whatever\r\n" }), "garbled_reply_to_final_dot"],
      ["dot-354.example", () => "354 go on", "garbled_reply_to_final_dot"],
    ];
    for (const [domain, dot, reason] of endings) {
      const { first, second } = await pair(t, world, { domain, script: { ...(dot ? { dot } : {}) } });
      const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
      assert.deepEqual(inShort(recipient), ["unknown", reason, null], domain);
      assert.deepEqual([first.transactions.length, second.connections], [1, 0], domain);
      assert.equal(recipient.next_attempt_at, null);
      const [evidence] = triesOf(recipient);
      assert.deepEqual([evidence?.mx, evidence?.ip, evidence?.stage], [`mx1.${domain}`, first.host, "final_dot"]);
    }
  },

  "a refusal of the dot is final for the attempt": async (t, world) => {
    for (const [code, result] of [
      ["451", "pending"],
      ["554", "failed"],
    ] as const) {
      const domain = `dot-${code}.example`;
      const { second } = await pair(t, world, { domain, script: { dot: () => `${code} no` } });
      const recipient = await sendToOne(doorOf(world), to(`ann@${domain}`));
      assert.deepEqual([recipient.result, recipient.smtp?.code], [result, Number(code)]);
      assert.equal(second.connections, 0);
    }
  },

  "cut before the dot: the next exchanger gets it": async (t, world) => {
    const scripts: [string, Script][] = [
      ["cut-mail.example", { mail: () => ({ drop: true }) }],
      ["cut-rcpt.example", { rcpt: () => ({ drop: true }) }],
      ["cut-data.example", { data: () => ({ drop: true }) }],
      ["cut-content.example", { content: () => ({ drop: true }) }],
      ["early-content.example", { content: () => ({ drop: true, raw: "451 4.3.0 disk full\r\n" }) }],
    ];
    for (const [domain, script] of scripts) {
      const { first, second } = await pair(t, world, { domain, script });
      const text = "A line of a long letter.\n".repeat(100_000);
      const recipient = await sendToOne(doorOf(world), { ...to(`ann@${domain}`), text });
      assert.deepEqual([domain, recipient.result], [domain, "delivered"]);
      assert.deepEqual([first.transactions.length, second.transactions.length], [0, 1], domain);
      assert.deepEqual(
        triesOf(recipient).map((attempt) => attempt.mx),
        [`mx1.${domain}`, `mx2.${domain}`],
      );
    }
  },

  "no reply to the dot is no delivery, and the outcome of an earlier attempt does not explain it": async (t, world) => {
    const domain = "second-time.example";
    let rounds = 0;
    const script: Script = {
      rcpt: () => (rounds++ === 0 ? "450 4.2.0 not now" : undefined),
      dot: () => ({ drop: true }),
    };
    await startExchanger(t, world, { domain, script });
    const door = doorOf(world);
    const id = await send(door, to(`ann@${domain}`));
    await lookUntil(door, id, attempted);
    const accountId = (await world.service.registry.accountNamed("default"))?.id ?? "";
    await world.service.spool.retry({ accountId, messageId: id, nowMs: Date.now() });
    const { recipients } = await lookUntil(door, id, isFinal);
    assert.deepEqual(recipients.map(inShort), [["unknown", "connection_lost_after_final_dot", null]]);
  },
};

const limits: Record<string, Story> = {
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

const connections: Record<string, Story> = {
  "STARTTLS when offered": async (t, world) => {
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

  "a broken handshake: plain text on the same host, and the attempt says so": async (t, world) => {
    const domain = "broken-tls.example";
    const { first, second } = await pair(t, world, { domain, script: { starttls: () => "220 go on" } });
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

test("outcomes", { concurrency: true }, async (t) => {
  await Promise.all([
    t.test("one attempt", { concurrency: true }, async (sub) => {
      await stories(sub, await startWorld(sub), { ...replies, ...theDot, ...limits, ...connections });
    }),
    t.test("several attempts", { concurrency: true }, async (sub) => {
      const env = { RETRY_SCHEDULE: "1s", RETRY_MAX_AGE: "6s", UNKNOWN_POLICY: "retry" };
      await stories(sub, await startWorld(sub, env), rounds);
    }),
  ]);
});
