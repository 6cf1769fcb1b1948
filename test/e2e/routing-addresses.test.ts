/** Which addresses of a host are tried, and which are never connected to. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pollUntil, send, triesOf } from "../support/api-client.ts";
import { apiTarget, freeAddress, publish, startExchanger, startPeer } from "../support/peers.ts";
import { startScriptedSmtp } from "../support/scripted-smtp.ts";
import { startWorld, type World } from "../support/world.ts";
import { resultAndReason, runScenarios, type Scenario, sendTo, to } from "./smtp-scenarios.ts";

const scenarios: Record<string, Scenario> = {
  "many dead addresses of the first hosts do not hide the last host": async (t, world) => {
    const domain = "crowded.example";
    const dead = () => Array.from({ length: 10 }, freeAddress);
    const last = await startPeer(t, world);
    publish(world, domain, dead(), dead(), [last.host]);
    const recipient = await sendTo(world, domain);
    assert.deepEqual([recipient.result, recipient.attempts, recipient.smtp?.ip], ["delivered", 1, last.host]);
  },

  "an address family without a peer does not stop the other": async (t, world) => {
    const last = await startPeer(t, world);
    world.zone.set("no-six.example", "MX", ["10 mx.no-six.example", "20 last.no-six.example"]);
    world.zone.set("mx.no-six.example", "AAAA", ["ff01::1", "::1"]);
    world.zone.set("last.no-six.example", "A", [last.host]);
    assert.deepEqual((await sendTo(world, "no-six.example")).smtp?.ip, last.host);

    const sixth = await startScriptedSmtp({ host: "::1", port: Number(world.env.SMTP_PORT) });
    t.after(() => sixth.close());
    world.zone.set("no-four.example", "MX", ["10 mx.no-four.example"]);
    world.zone.set("mx.no-four.example", "A", [freeAddress()]);
    world.zone.set("mx.no-four.example", "AAAA", ["::1"]);
    const recipient = await sendTo(world, "no-four.example");
    assert.deepEqual([recipient.result, recipient.smtp?.ip], ["delivered", "::1"]);

    world.zone.set("mx.four-in-trouble.example", "AAAA", ["::1"]);
    world.zone.set("four-in-trouble.example", "MX", ["10 mx.four-in-trouble.example"]);
    world.zone.fault("mx.four-in-trouble.example", "servfail", "A");
    assert.equal((await sendTo(world, "four-in-trouble.example")).smtp?.ip, "::1");
  },

  "skips IPv6 if no sending address has a reverse name, and the attempt records it": async (t, world) => {
    const domain = "six-only.example";
    const peer = await startPeer(t, world);
    world.zone.set(domain, "MX", [`10 mx.${domain}`]);
    world.zone.set(`mx.${domain}`, "AAAA", ["2606:4700::1111"]);
    const waiting = await sendTo(world, domain);
    assert.deepEqual(resultAndReason(waiting), ["pending", "connection_failed"]);
    const [tried, ...more] = triesOf(waiting);
    assert.deepEqual([tried?.stage, tried?.ip, more], ["connect", null, []]);
    assert.match(tried?.error ?? "", /only IPv6 addresses.*no IPv6 sending address.*reverse name/);

    publish(world, "six-too.example", [peer.host]);
    world.zone.set("mx1.six-too.example", "AAAA", ["2606:4700::1111"]);
    const other = await sendTo(world, "six-too.example");
    assert.deepEqual([other.result, triesOf(other).map(({ ip }) => ip)], ["delivered", [peer.host]]);
  },

  "tries at most sixteen addresses per attempt, shared between the hosts": async (_, world) => {
    const domain = "sixteen.example";
    publish(world, domain, ...Array.from({ length: 8 }, () => [freeAddress(), freeAddress(), freeAddress()]));
    const recipient = await sendTo(world, domain);
    assert.deepEqual(resultAndReason(recipient), ["pending", "connection_failed"]);
    assert.deepEqual(
      triesOf(recipient).map((attempt) => attempt.mx),
      Array.from({ length: 16 }, (_, index) => `mx${Math.floor(index / 2) + 1}.${domain}`),
    );
  },

  "of very many exchangers without addresses, looks up few, whatever the number of recipients": async (_, world) => {
    const domain = "hollow.example";
    const names = Array.from({ length: 500 }, (_, index) => `mx${index}.${domain}`);
    world.zone.set(
      domain,
      "MX",
      names.map((name, index) => `${index} ${name}`),
    );
    const recipients = Array.from({ length: 50 }, (_, index) => `u${index}@${domain}`);
    const target = apiTarget(world);
    const report = await pollUntil(target, await send(target, to(...recipients)), ({ attempts }) => attempts > 0);
    for (const recipient of report.recipients) {
      assert.deepEqual(resultAndReason(recipient), ["pending", "host_without_address"]);
      const hosts = triesOf(recipient).map(({ mx }) => mx);
      assert.deepEqual([hosts.length, hosts.slice(0, 5)], [8, names.slice(0, 5)]);
    }
    const asked = new Set(world.zone.queries.map(({ name }) => name).filter((name) => name.endsWith(`.${domain}`)));
    assert.ok(asked.size < 12, `${asked.size} names were looked up`);
    assert.ok(JSON.stringify(report).length < 200_000);
  },

  "a failed lookup of IPv6 addresses does not stop IPv4": async (t, world) => {
    const domain = "one-family.example";
    const peer = await startExchanger(t, world, { domain });
    for (const fault of ["servfail", "refused"] as const) {
      world.zone.fault(`mx1.${domain}`, fault, "AAAA");
      assert.equal((await sendTo(world, domain)).result, "delivered", fault);
    }
    assert.equal(peer.transactions.length, 2);
  },
};

test("routing to addresses", { concurrency: true }, async (t) => {
  await runScenarios(t, await startWorld(t), scenarios);
});

test("without SMTP_ALLOW_PRIVATE, never connects to a private address", async (t) => {
  const world = await startWorld(t, { SMTP_ALLOW_PRIVATE: "false" });
  await t.test("addresses of a mail exchanger's name: loopback, private, link-local, metadata", (sub) =>
    privateByMx(sub, world),
  );
  await t.test("addresses of a domain without MX, or of an alias's target", (sub) => privateByAlias(sub, world));
});

async function privateByMx(t: TestContext, world: World): Promise<void> {
  const domain = "inside.example";
  const peer = await startPeer(t, world);
  world.zone.set(domain, "MX", [`10 mx.${domain}`]);
  world.zone.set(`mx.${domain}`, "A", [peer.host, "10.0.0.1", "169.254.169.254", "0.0.0.0"]);
  world.zone.set(`mx.${domain}`, "AAAA", ["::1", `::ffff:${peer.host}`, "fe80::1", "fd00:ec2::254"]);
  const recipient = await sendTo(world, domain);
  assert.deepEqual(resultAndReason(recipient), ["pending", "address_refused"]);
  const tries = triesOf(recipient);
  assert.equal(tries.length, 8);
  for (const { error } of tries) assert.match(error ?? "", /not public \(.+\); see SMTP_ALLOW_PRIVATE/);
  assert.equal(peer.connections, 0);
}

async function privateByAlias(t: TestContext, world: World): Promise<void> {
  const peer = await startPeer(t, world);
  world.zone.set("bare-inside.example", "A", [peer.host]);
  world.zone.set("alias-inside.example", "MX", ["10 mx.alias-inside.example"]);
  world.zone.set("mx.alias-inside.example", "CNAME", ["bare-inside.example"]);
  for (const domain of ["bare-inside.example", "alias-inside.example"]) {
    assert.deepEqual(resultAndReason(await sendTo(world, domain)), ["pending", "address_refused"], domain);
  }
  assert.equal(peer.connections, 0);
}
