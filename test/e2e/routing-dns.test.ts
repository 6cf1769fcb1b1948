/** The result of each DNS answer, with a real zone server and its faults. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { lookUp, pollUntil, send, triesOf } from "../support/api-client.ts";
import { apiTarget, freeAddress, publish, startExchanger, startPeer } from "../support/peers.ts";
import { startWorld, type World } from "../support/world.ts";
import { resultAndReason, runScenarios, type Scenario, sendTo, to } from "./smtp-scenarios.ts";

/** The types queried for a name. */
const asked = (world: World, name: string) =>
  world.zone.queries.filter((query) => query.name === name).map((query) => query.type);

const scenarios: Record<string, Scenario> = {
  "NXDOMAIN: permanently failed (5.1.2)": async (_, world) => {
    const recipient = await sendTo(world, "no-such-domain.example");
    assert.deepEqual(resultAndReason(recipient), ["failed", "domain_not_found"]);
    assert.match(triesOf(recipient)[0]?.error ?? "", /5\.1\.2/);
  },

  "SERVFAIL and REFUSED: pending, without a fallback to A": async (t, world) => {
    for (const fault of ["servfail", "refused"] as const) {
      const domain = `${fault}.example`;
      const peer = await startPeer(t, world);
      world.zone.set(domain, "A", [peer.host]);
      world.zone.fault(domain, fault, "MX");
      assert.deepEqual(resultAndReason(await sendTo(world, domain)), ["pending", "dns_trouble"]);
      assert.deepEqual(new Set(asked(world, domain)), new Set(["MX"]), "no address was queried");
      assert.equal(peer.connections, 0);
    }
  },

  "SERVFAIL for an exchanger's address: the next one gets the message; without a next one, pending": async (
    t,
    world,
  ) => {
    const peer = await startPeer(t, world);
    publish(world, "partly.example", [freeAddress()], [peer.host]);
    world.zone.fault("mx1.partly.example", "servfail");
    assert.equal((await sendTo(world, "partly.example")).result, "delivered");
    publish(world, "wholly.example", [freeAddress()]);
    world.zone.fault("mx1.wholly.example", "servfail");
    assert.deepEqual(resultAndReason(await sendTo(world, "wholly.example")), ["pending", "host_without_address"]);
  },

  "a silent name server delays only its own domain's messages, and a lost packet costs no attempt": async (
    t,
    world,
  ) => {
    const domain = "silent.example";
    await startExchanger(t, world, { domain });
    await startExchanger(t, world, { domain: "talks.example" });
    world.zone.fault(domain, "silent");
    const target = apiTarget(world);
    const id = await send(target, to(`ann@${domain}`));
    assert.equal((await sendTo(world, "talks.example")).result, "delivered");
    assert.deepEqual(
      (await lookUp(target, id)).recipients.map((r) => [r.result, r.attempts]),
      [["pending", 0]],
    );
    world.zone.fault(domain, null);
    const { recipients } = await pollUntil(target, id, (r) => r.attempts > 0);
    assert.deepEqual(
      recipients.map((r) => [r.result, r.attempts]),
      [["delivered", 1]],
    );
  },

  "without MX, uses the domain's own address": async (t, world) => {
    const peer = await startPeer(t, world);
    world.zone.set("bare.example", "A", [peer.host]);
    const recipient = await sendTo(world, "bare.example");
    assert.deepEqual([recipient.result, recipient.smtp?.mx], ["delivered", "bare.example"]);
  },

  "an MX that leads nowhere never falls back to the domain's own address": async (t, world) => {
    const peer = await startPeer(t, world);
    world.zone.set("text.nowhere.example", "TXT", ["neither A nor AAAA"]);
    const exchangers = ["absent.nowhere.example", "127.0.0.1", "text.nowhere.example"];
    for (const [index, exchanger] of exchangers.entries()) {
      const domain = `to-nowhere-${index}.example`;
      world.zone.set(domain, "A", [peer.host]);
      world.zone.set(domain, "MX", [`10 ${exchanger}`]);
      assert.deepEqual(resultAndReason(await sendTo(world, domain)), ["pending", "host_without_address"], exchanger);
    }
    assert.equal(peer.connections, 0);
  },

  "a null MX alone: permanently failed (5.1.10), without an address query": async (t, world) => {
    const domain = "null-mx.example";
    const peer = await startPeer(t, world);
    world.zone.set(domain, "MX", ["0 ."]);
    world.zone.set(domain, "A", [peer.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual(resultAndReason(recipient), ["failed", "null_mx"]);
    assert.match(triesOf(recipient)[0]?.error ?? "", /5\.1\.10/);
    assert.equal(peer.connections, 0);
    assert.deepEqual(asked(world, domain), ["MX"]);
    assert.deepEqual(asked(world, ""), []);
  },

  "ignores a null MX next to other MX records": async (t, world) => {
    const domain = "null-and-more.example";
    const peer = await startPeer(t, world);
    world.zone.set(domain, "MX", ["0 .", `10 mx.${domain}`]);
    world.zone.set(`mx.${domain}`, "A", [peer.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, triesOf(recipient).length], ["delivered", 1]);
  },

  "follows CNAMEs of the domain and of its exchanger; a loop is an error": async (t, world) => {
    const peer = await startPeer(t, world);
    world.zone.set("alias.example", "CNAME", ["real.example"]);
    world.zone.set("real.example", "MX", ["10 mx-alias.example"]);
    world.zone.set("mx-alias.example", "CNAME", ["mx-real.example"]);
    world.zone.set("mx-real.example", "A", [peer.host]);
    assert.equal((await sendTo(world, "alias.example")).result, "delivered");
    assert.deepEqual(peer.transactions[0]?.rcptTo, ["ann@alias.example"]);
    world.zone.set("round.example", "CNAME", ["about.example"]);
    world.zone.set("about.example", "CNAME", ["round.example"]);
    assert.deepEqual(resultAndReason(await sendTo(world, "round.example")), ["pending", "dns_trouble"]);
  },
};

test("routing by DNS", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), scenarios);
});

test("follows aliases for eight steps; a longer chain or a loop is a temporary error", async (t) => {
  const zone = await startZoneServer({ bareCname: true });
  t.after(() => zone.close());
  const world = await startWorld(t, { DNS_SERVERS: zone.address });
  const peer = await startPeer(t, world);
  zone.set("end.example", "MX", ["10 mx.end.example"]);
  zone.set("mx.end.example", "A", [peer.host]);
  for (const steps of [8, 9]) {
    for (let step = 0; step < steps; step += 1) {
      const target = step === steps - 1 ? "end.example" : `${step + 1}.of-${steps}.example`;
      zone.set(`${step}.of-${steps}.example`, "CNAME", [target]);
    }
  }
  zone.set("round.example", "CNAME", ["about.example"]);
  zone.set("about.example", "CNAME", ["round.example"]);
  assert.equal((await sendTo(world, "0.of-8.example")).result, "delivered");
  assert.deepEqual(peer.transactions[0]?.rcptTo, ["ann@0.of-8.example"], "the address is unchanged");
  for (const domain of ["0.of-9.example", "round.example"]) {
    assert.deepEqual(resultAndReason(await sendTo(world, domain)), ["pending", "dns_trouble"], domain);
  }
  const questions = zone.queries.filter(({ name }) => name.endsWith(".of-9.example")).length;
  assert.ok(questions <= 100, `${questions} questions`);
});

test("delivers although the first of two DNS servers is broken, in any way", async (t) => {
  const [broken, good] = [await startZoneServer(), await startZoneServer()];
  t.after(() => Promise.all([broken.close(), good.close()]));
  const world = await startWorld(t, { DNS_SERVERS: `${broken.address},${good.address}` });
  const peer = await startPeer(t, world);
  for (const fault of ["refused", "servfail", "notimp", "malformed"] as const) {
    broken.fault("*", fault);
    const domain = `${fault}.example`;
    good.set(domain, "MX", [`10 mx.${domain}`]);
    good.set(`mx.${domain}`, "A", [peer.host]);
    assert.equal((await sendTo(world, domain)).result, "delivered", fault);
  }
  assert.deepEqual(resultAndReason(await sendTo(world, "no-such-domain.example")), ["failed", "domain_not_found"]);
});
