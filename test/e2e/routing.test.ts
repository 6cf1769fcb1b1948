/**
 * Where mail goes: real DNS packets from the zone server, real connections to peers on loopback addresses. Each story
 * has a domain of its own, so that all of them run side by side.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type LookedRecipient, look, lookUntil, send, sendToOne, triesOf } from "../support/front-door.ts";
import { doorOf, freeAddress, publish, startExchanger, startPeer } from "../support/peers.ts";
import { startScriptedSmtp } from "../support/scripted-smtp.ts";
import { letter, startWorld, type World } from "../support/world.ts";

type Story = (t: TestContext, world: World) => Promise<void>;

const ann = (domain: string) => letter({ to: `ann@${domain}` });

const sendTo = (world: World, domain: string): Promise<LookedRecipient> => sendToOne(doorOf(world), ann(domain));

/** What a recipient came to, short enough to compare. */
const inShort = ({ result, reason }: LookedRecipient) => [result, reason];

/** The types asked for a name. */
const asked = (world: World, name: string) =>
  world.zone.queries.filter((query) => query.name === name).map((query) => query.type);

const stories: Record<string, Story> = {
  "exchangers are tried by preference, whatever their order in the answer": async (t, world) => {
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

  "exchangers of equal preference share the mail": async (t, world) => {
    const domain = "equal.example";
    const one = await startPeer(t, world);
    const two = await startPeer(t, world);
    world.zone.set(domain, "MX", [`10 one.${domain}`, `10 two.${domain}`]);
    world.zone.set(`one.${domain}`, "A", [one.host]);
    world.zone.set(`two.${domain}`, "A", [two.host]);
    // By chance alone, all thirty at one of them happens once in five hundred million runs.
    await Promise.all(Array.from({ length: 30 }, () => sendTo(world, domain)));
    assert.ok(one.transactions.length > 0 && two.transactions.length > 0);
    assert.equal(one.transactions.length + two.transactions.length, 30);
  },

  "many dead addresses of the first hosts do not hide the last one": async (t, world) => {
    const domain = "crowded.example";
    const dead = () => Array.from({ length: 10 }, freeAddress);
    const last = await startPeer(t, world);
    publish(world, domain, dead(), dead(), [last.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, recipient.attempts, recipient.smtp?.ip], ["delivered", 1, last.host]);
  },

  "every exchanger and every address is tried within one attempt": async (t, world) => {
    const domain = "every.example";
    const [dead, deaf] = [freeAddress(), freeAddress()];
    const peer = await startPeer(t, world);
    publish(world, domain, [dead], [deaf, peer.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, recipient.attempts], ["delivered", 1]);
    assert.deepEqual(
      triesOf(recipient).map((attempt) => [attempt.mx, attempt.ip, attempt.stage]),
      [
        [`mx1.${domain}`, dead, "connect"],
        [`mx2.${domain}`, deaf, "connect"],
        [`mx2.${domain}`, peer.host, "final_dot"],
      ],
    );
  },

  "an IPv6 address without a peer does not stop IPv4, nor the other way round": async (t, world) => {
    const peer = await startPeer(t, world);
    world.zone.set("half.example", "MX", ["10 mx.half.example"]);
    world.zone.set("mx.half.example", "A", [peer.host]);
    world.zone.set("mx.half.example", "AAAA", ["::1"]);
    assert.equal((await sendTo(world, "half.example")).result, "delivered");

    const sixth = await startScriptedSmtp({ host: "::1", port: Number(world.env.SMTP_PORT) });
    t.after(() => sixth.close());
    world.zone.set("other-half.example", "MX", ["10 mx.other-half.example"]);
    world.zone.set("mx.other-half.example", "A", [freeAddress()]);
    world.zone.set("mx.other-half.example", "AAAA", ["::1"]);
    const recipient = await sendTo(world, "other-half.example");
    assert.deepEqual([recipient.result, recipient.smtp?.ip], ["delivered", "::1"]);
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

  "5xx at the first exchanger settles it": async (t, world) => {
    const domain = "settled.example";
    const first = await startPeer(t, world, { script: { rcpt: () => "550 5.1.1 nobody here" } });
    const second = await startPeer(t, world);
    publish(world, domain, [first.host], [second.host]);
    assert.deepEqual(inShort(await sendTo(world, domain)), ["failed", "recipient_refused"]);
    assert.equal(second.connections, 0);
  },

  "nobody answers: pending, with every try told": async (_, world) => {
    const domain = "dead.example";
    publish(world, domain, [freeAddress()], [freeAddress()]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual(inShort(recipient), ["pending", "connection_failed"]);
    assert.equal(triesOf(recipient).length, 2);
    assert.ok(Date.parse(recipient.next_attempt_at ?? "") > Date.now());
  },

  "NXDOMAIN: failed": async (_, world) => {
    assert.deepEqual(inShort(await sendTo(world, "no-such-domain.example")), ["failed", "domain_not_found"]);
  },

  "SERVFAIL and REFUSED: pending, and no guess by A": async (t, world) => {
    for (const fault of ["servfail", "refused"] as const) {
      const domain = `${fault}.example`;
      const peer = await startPeer(t, world);
      world.zone.set(domain, "A", [peer.host]);
      world.zone.fault(domain, fault, "MX");
      assert.deepEqual(inShort(await sendTo(world, domain)), ["pending", "dns_trouble"]);
      assert.equal(peer.connections, 0);
    }
  },

  "SERVFAIL for an exchanger's address: the next one gets it; without a next, pending": async (t, world) => {
    const peer = await startPeer(t, world);
    publish(world, "partly.example", [freeAddress()], [peer.host]);
    world.zone.fault("mx1.partly.example", "servfail");
    assert.equal((await sendTo(world, "partly.example")).result, "delivered");
    publish(world, "wholly.example", [freeAddress()]);
    world.zone.fault("mx1.wholly.example", "servfail");
    assert.deepEqual(inShort(await sendTo(world, "wholly.example")), ["pending", "host_without_address"]);
  },

  "a name server that says nothing holds up only its own domain's mail, and a lost packet costs no attempt": async (
    t,
    world,
  ) => {
    const domain = "silent.example";
    await startExchanger(t, world, { domain });
    await startExchanger(t, world, { domain: "talks.example" });
    world.zone.fault(domain, "silent");
    const door = doorOf(world);
    const id = await send(door, ann(domain));
    assert.equal((await sendTo(world, "talks.example")).result, "delivered");
    assert.deepEqual(
      (await look(door, id)).recipients.map((r) => [r.result, r.attempts]),
      [["pending", 0]],
    );
    world.zone.fault(domain, null);
    const { recipients } = await lookUntil(door, id, (r) => r.attempts > 0);
    assert.deepEqual(
      recipients.map((r) => [r.result, r.attempts]),
      [["delivered", 1]],
    );
  },

  "no MX at all: the domain's own address": async (t, world) => {
    const peer = await startPeer(t, world);
    world.zone.set("bare.example", "A", [peer.host]);
    const recipient = await sendTo(world, "bare.example");
    assert.deepEqual([recipient.result, recipient.smtp?.mx], ["delivered", "bare.example"]);
  },

  "an exchanger without an address: no fall-back to the domain's own": async (t, world) => {
    const domain = "addressless.example";
    const peer = await startPeer(t, world);
    world.zone.set(domain, "A", [peer.host]);
    world.zone.set(domain, "MX", [`10 nowhere.${domain}`]);
    assert.deepEqual(inShort(await sendTo(world, domain)), ["pending", "host_without_address"]);
    assert.equal(peer.connections, 0);
  },

  "a null MX alone: failed, and nobody asks for an address": async (_, world) => {
    const domain = "null-mx.example";
    world.zone.set(domain, "MX", ["0 ."]);
    world.zone.set(domain, "A", ["127.0.0.1"]);
    assert.deepEqual(inShort(await sendTo(world, domain)), ["failed", "null_mx"]);
    assert.deepEqual(asked(world, domain), ["MX"]);
    assert.deepEqual(asked(world, ""), []);
  },

  "a null MX beside others is passed over": async (t, world) => {
    const domain = "null-and-more.example";
    const peer = await startPeer(t, world);
    world.zone.set(domain, "MX", ["0 .", `10 mx.${domain}`]);
    world.zone.set(`mx.${domain}`, "A", [peer.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, triesOf(recipient).length], ["delivered", 1]);
  },

  "CNAMEs are followed, of the domain and of its exchanger; a loop is no answer": async (t, world) => {
    const peer = await startPeer(t, world);
    world.zone.set("alias.example", "CNAME", ["real.example"]);
    world.zone.set("real.example", "MX", ["10 mx-alias.example"]);
    world.zone.set("mx-alias.example", "CNAME", ["mx-real.example"]);
    world.zone.set("mx-real.example", "A", [peer.host]);
    assert.equal((await sendTo(world, "alias.example")).result, "delivered");
    assert.deepEqual(peer.transactions[0]?.rcptTo, ["ann@alias.example"]);
    world.zone.set("round.example", "CNAME", ["about.example"]);
    world.zone.set("about.example", "CNAME", ["round.example"]);
    assert.deepEqual(inShort(await sendTo(world, "round.example")), ["pending", "dns_trouble"]);
  },

  "one message to several domains is routed domain by domain": async (t, world) => {
    const near = await startExchanger(t, world, { domain: "near.example" });
    const far = await startExchanger(t, world, { domain: "xn--bcher-kva.example" });
    const door = doorOf(world);
    const recipients = ["a@near.example", "b@bücher.example", "c@no-such-domain.example", "d@near.example"];
    const looked = await lookUntil(door, await send(door, letter({ to: recipients })), (r) => r.result !== "pending");
    assert.deepEqual(
      looked.recipients.map((r) => [r.email, r.result]),
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
  const world = await startWorld(t);
  await Promise.all(Object.entries(stories).map(([name, story]) => t.test(name, (sub) => story(sub, world))));
});

test("without SMTP_ALLOW_PRIVATE no private address is connected to", async (t) => {
  const world = await startWorld(t, { SMTP_ALLOW_PRIVATE: "false" });
  const domain = "inside.example";
  const peer = await startPeer(t, world);
  world.zone.set(domain, "MX", [`10 mx.${domain}`]);
  world.zone.set(`mx.${domain}`, "A", [peer.host, "10.0.0.1", "169.254.169.254"]);
  world.zone.set(`mx.${domain}`, "AAAA", ["::1", `::ffff:${peer.host}`]);
  const recipient = await sendTo(world, domain);
  assert.deepEqual(inShort(recipient), ["pending", "address_refused"]);
  assert.equal(triesOf(recipient).length, 5);
  assert.match(triesOf(recipient)[0]?.error ?? "", /SMTP_ALLOW_PRIVATE/);
  assert.equal(peer.connections, 0);
});

test("SINK takes every message, wherever its MX points, and may be private", async (t) => {
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
