/** Which hosts get a message, and in what order: real DNS packets and real connections to peers on loopback. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pollUntil, send, sendAndReport, triesOf } from "../support/api-client.ts";
import { apiTarget, freeAddress, publish, startExchanger, startPeer } from "../support/peers.ts";
import { type Script, startScriptedSmtp } from "../support/scripted-smtp.ts";
import { startWorld } from "../support/world.ts";
import { resultAndReason, runScenarios, type Scenario, sendTo, startPair, to } from "./smtp-scenarios.ts";

const scenarios: Record<string, Scenario> = {
  "tries exchangers by preference, whatever their order in the answer": async (t, world) => {
    const domain = "order.example";
    const peers = await Promise.all([30, 10, 20].map(() => startPeer(t, world, { script: { rcpt: () => "450 no" } })));
    const names = ["c", "a", "b"].map((label) => `${label}.${domain}`);
    world.zone.set(domain, "MX", [`30 ${names[0]}`, `10 ${names[1]}`, `20 ${names[2]}`]);
    for (const [i, peer] of peers.entries()) world.zone.set(names[i] ?? "", "A", [peer.host]);
    const recipient = await sendTo(world, domain);
    assert.equal(recipient.result, "pending");
    assert.deepEqual(
      triesOf(recipient).map((attempt) => attempt.mx),
      [`a.${domain}`, `b.${domain}`, `c.${domain}`],
    );
  },

  "distributes messages among exchangers of equal preference": async (t, world) => {
    const domain = "equal.example";
    const one = await startPeer(t, world);
    const two = await startPeer(t, world);
    world.zone.set(domain, "MX", [`10 one.${domain}`, `10 two.${domain}`]);
    world.zone.set(`one.${domain}`, "A", [one.host]);
    world.zone.set(`two.${domain}`, "A", [two.host]);
    // All thirty at the same exchanger would occur by chance once in five hundred million runs.
    await Promise.all(Array.from({ length: 30 }, () => sendTo(world, domain)));
    const shares = [one, two].map((peer) => peer.transactions.length);
    assert.equal(shares.includes(0), false, `${shares}`);
    assert.equal(one.transactions.length + two.transactions.length, 30);
  },

  "tries every exchanger and every address within one attempt": async (t, world) => {
    const domain = "every.example";
    const [dead, deaf] = [freeAddress(), freeAddress()];
    const peer = await startPeer(t, world);
    publish(world, domain, [dead], [deaf, peer.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, recipient.attempts], ["delivered", 1]);
    const tries = triesOf(recipient).map((attempt) => [attempt.mx, attempt.ip, attempt.stage]);
    // The addresses of one host are shuffled.
    const between = tries.length === 3 ? [[`mx2.${domain}`, deaf, "connect"]] : [];
    assert.deepEqual(tries, [
      [`mx1.${domain}`, dead, "connect"],
      ...between,
      [`mx2.${domain}`, peer.host, "final_dot"],
    ]);
  },

  "4xx at one exchanger, 2xx at the next, in one attempt": async (t, world) => {
    const domain = "next.example";
    const first = await startPeer(t, world, { script: { rcpt: () => "451 4.7.1 later" } });
    const second = await startPeer(t, world);
    publish(world, domain, [first.host], [second.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, recipient.attempts, recipient.smtp?.ip], ["delivered", 1, second.host]);
    assert.deepEqual(
      triesOf(recipient).map((attempt) => attempt.reply?.code),
      [451, 250],
    );
  },

  "skips a host that rejects the whole session, with any code": async (t, world) => {
    const openings: [string, Script, string][] = [
      ["greets-554.example", { greeting: () => "554 5.3.2 no mail here" }, "greeting"],
      ["greets-421.example", { greeting: () => "421 4.3.2 too busy" }, "greeting"],
      ["greets-drop.example", { greeting: () => ({ drop: true }) }, "greeting"],
      ["greets-rubbish.example", { greeting: () => ({ raw: "SSH-2.0-OpenSSH\r\n" }) }, "greeting"],
      ["ehlo-450.example", { ehlo: () => "450 4.7.1 not now" }, "ehlo"],
      ["neither.example", { ehlo: () => "502 what", helo: () => "550 5.7.1 not you" }, "ehlo"],
    ];
    for (const [domain, script, stage] of openings) {
      const { first, second } = await startPair(t, world, { domain, script });
      const recipient = await sendTo(world, domain);
      assert.deepEqual([domain, recipient.result, recipient.attempts], [domain, "delivered", 1]);
      assert.deepEqual(
        triesOf(recipient).map((attempt) => [attempt.ip, attempt.stage]),
        [
          [first.host, stage],
          [second.host, "final_dot"],
        ],
      );
    }
  },

  "two addresses that refuse the session or MAIL end an attempt; dead ones do not count": async (t, world) => {
    const refusals: [string, Script][] = [
      ["two-greet.example", { greeting: () => "554 5.3.2 no mail here" }],
      ["two-busy.example", { mail: () => "421 4.3.2 too busy" }],
      ["two-mail.example", { mail: () => "451 4.7.650 later" }],
      ["two-rcpt.example", { rcpt: () => "421 4.7.0 later" }],
    ];
    for (const [domain, script] of refusals) {
      const [first, second] = await Promise.all([1, 2].map(() => startPeer(t, world, { script })));
      const last = await startPeer(t, world);
      publish(world, domain, [freeAddress()], [first?.host ?? "", second?.host ?? ""], [last.host]);
      const recipient = await sendTo(world, domain);
      assert.deepEqual([domain, recipient.result, triesOf(recipient).length], [domain, "pending", 3]);
      assert.equal(last.connections, 0);
    }
  },

  "offers the next exchanger only undecided recipients": async (t, world) => {
    const domain = "undecided.example";
    const rcpt: Script["rcpt"] = (argument) => {
      if (argument.includes("ann@")) return "451 4.7.1 later";
      return argument.includes("cem@") ? "550 5.1.1 nobody here" : undefined;
    };
    const { first, second } = await startPair(t, world, { domain, script: { rcpt } });
    const names = ["ann", "bob", "cem"].map((local) => `${local}@${domain}`);
    const report = await sendAndReport(apiTarget(world), to(...names));
    assert.deepEqual(
      report.recipients.map((r) => [r.result, r.smtp?.ip]),
      [
        ["delivered", second.host],
        ["delivered", first.host],
        ["failed", first.host],
      ],
    );
    assert.deepEqual(
      second.commands.filter((line) => line.startsWith("RCPT")),
      [`RCPT TO:<ann@${domain}>`],
    );
  },

  "a 5xx at the first exchanger decides": async (t, world) => {
    const domain = "settled.example";
    const first = await startPeer(t, world, { script: { rcpt: () => "550 5.1.1 nobody here" } });
    const second = await startPeer(t, world);
    publish(world, domain, [first.host], [second.host]);
    assert.deepEqual(resultAndReason(await sendTo(world, domain)), ["failed", "recipient_refused"]);
    assert.equal(second.connections, 0);
  },

  "a server with our own name, on this host, is an ordinary exchanger and gets its domain's messages": async (
    t,
    world,
  ) => {
    const domain = "same-host.example";
    const greeting = () => "220 mta.shop.example ESMTP Postfix";
    const ehlo = () => "250 mta.shop.example";
    const ours = await startPeer(t, world, { script: { greeting, ehlo } });
    const worse = await startPeer(t, world);
    world.zone.set(domain, "MX", ["10 MTA.shop.Example.", `20 worse.${domain}`]);
    world.zone.set("mta.shop.example", "A", [ours.host]);
    world.zone.set(`worse.${domain}`, "A", [worse.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, recipient.smtp?.mx], ["delivered", "mta.shop.example"]);
    assert.deepEqual([ours.transactions.length, worse.connections], [1, 0]);
  },

  "an exchanger on this host without a listener: the next one, else pending": async (t, world) => {
    const next = await startPeer(t, world);
    publish(world, "only-us.example", [freeAddress()]);
    publish(world, "us-first.example", [freeAddress()], [next.host]);
    assert.deepEqual(resultAndReason(await sendTo(world, "only-us.example")), ["pending", "connection_failed"]);
    assert.deepEqual(resultAndReason(await sendTo(world, "us-first.example")), ["delivered", null]);
  },

  "no host responds: pending, with every try recorded": async (_, world) => {
    const domain = "dead.example";
    publish(world, domain, [freeAddress()], [freeAddress()]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual(resultAndReason(recipient), ["pending", "connection_failed"]);
    assert.equal(triesOf(recipient).length, 2);
    assert.ok(Date.parse(recipient.next_attempt_at ?? "") > Date.now());
  },

  "routes a message to several domains separately for each domain": async (t, world) => {
    const near = await startExchanger(t, world, { domain: "near.example" });
    const far = await startExchanger(t, world, { domain: "xn--bcher-kva.example" });
    const target = apiTarget(world);
    const recipients = ["a@near.example", "b@bücher.example", "c@no-such-domain.example", "d@near.example"];
    const report = await pollUntil(target, await send(target, to(...recipients)), (r) => r.result !== "pending");
    assert.deepEqual(
      report.recipients.map((r) => [r.email, r.result]),
      recipients.map((email) => [email, email.startsWith("c@") ? "failed" : "delivered"]),
    );
    assert.deepEqual(
      near.transactions.map((transaction) => transaction.rcptTo),
      [["a@near.example", "d@near.example"]],
    );
    assert.deepEqual(far.transactions[0]?.rcptTo, ["b@xn--bcher-kva.example"]);
  },
};

test("routing", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), scenarios);
});

test("SINK gets every message, wherever its MX points, and may be private", async (t) => {
  const sink = await startScriptedSmtp();
  t.after(() => sink.close());
  const world = await startWorld(t, { SINK: `localhost:${sink.port}`, SMTP_ALLOW_PRIVATE: "false" });
  const peer = await startPeer(t, world);
  publish(world, "elsewhere.example", [peer.host]);
  const elsewhere = await sendTo(world, "elsewhere.example");
  const nowhere = await sendTo(world, "no-such-domain.example");
  assert.deepEqual([elsewhere.result, elsewhere.smtp?.mx, nowhere.result], ["delivered", "localhost", "delivered"]);
  assert.deepEqual([sink.transactions.length, peer.connections], [2, 0]);
});
