/**
 * TLS policies through the whole service: the lookup of a message to a host with an MTA-STS policy or a TLSA record.
 */
import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { send, sendToOne, triesOf } from "../support/api-client.ts";
import { apiTarget, publish, startExchanger, startPeer, until } from "../support/peers.ts";
import { selfSigned } from "../support/self-signed.ts";
import { sendBody, startWorld } from "../support/world.ts";

const DAY_MS = 86_400_000;

test("enforces a policy in the spool although DNS does not publish one", async (t) => {
  const world = await startWorld(t);
  const domain = "enforced.example";
  const peer = await startExchanger(t, world, { domain, tls: selfSigned(`mx1.${domain}`) });
  const fetchedAtMs = Date.now();
  const policy = { domain, id: "1", mode: "enforce" as const, fetchedAtMs, expiresAtMs: fetchedAtMs + DAY_MS };
  await world.service.spool.storeStsPolicy({ ...policy, mx: [`mx1.${domain}`] });
  const refused = await sendToOne(apiTarget(world), sendBody({ to: `ann@${domain}` }));
  assert.deepEqual([refused.result, refused.reason], ["pending", "tls_policy_failed"]);
  assert.deepEqual(
    triesOf(refused).map((attempt) => attempt.policy),
    ["mta-sts enforce"],
  );
  publish(world, "elsewhere.example", [peer.host]);
  await world.service.spool.storeStsPolicy({ ...policy, domain: "elsewhere.example", mx: ["mx.elsewhere.example"] });
  const mismatched = await sendToOne(apiTarget(world), sendBody({ to: "ann@elsewhere.example" }));
  assert.deepEqual([mismatched.result, mismatched.reason], ["pending", "mta_sts_mx_mismatch"]);
  assert.deepEqual([peer.transactions.length, peer.connections], [0, 1]);
});

test("a TLSA record validated by a resolver on loopback is enforced; without one, TLS is opportunistic", async (t) => {
  const signed = await startZoneServer({ authenticated: ["signed.example"] });
  t.after(() => signed.close());
  const world = await startWorld(t, { DNS_SERVERS: signed.address });
  const certificate = selfSigned("whatever.example");
  const key = new X509Certificate(certificate.cert).publicKey.export({ type: "spki", format: "der" });
  const peer = await startPeer(t, world, { tls: certificate });
  for (const domain of ["signed.example", "wrong.signed.example", "unsigned.example"]) {
    signed.set(domain, "MX", [`10 mx.${domain}`]);
    signed.set(`mx.${domain}`, "A", [peer.host]);
  }
  const owner = (domain: string) => `_${world.env.SMTP_PORT}._tcp.mx.${domain}`;
  signed.set(owner("signed.example"), "TLSA", [`3 1 1 ${createHash("sha256").update(key).digest("hex")}`]);
  signed.set(owner("wrong.signed.example"), "TLSA", [`3 1 1 ${"00".repeat(32)}`]);
  const reported = async (domain: string) => {
    const recipient = await sendToOne(apiTarget(world), sendBody({ to: `ann@${domain}` }));
    const [attempted] = triesOf(recipient);
    return [recipient.result, attempted?.policy, attempted?.tls?.verified];
  };
  assert.deepEqual(await reported("signed.example"), ["delivered", "dane", true]);
  assert.deepEqual(await reported("unsigned.example"), ["delivered", "none", false]);
  assert.deepEqual(await reported("wrong.signed.example"), ["pending", "dane", undefined]);
});

test("domains whose MTA-STS lookup times out do not delay a provider's other messages", async (t) => {
  const world = await startWorld(t);
  const target = apiTarget(world);
  const peer = await startExchanger(t, world, { domain: "provider.example" });
  const slow = Array.from({ length: 8 }, (_, i) => `d${i}.slow.example`);
  for (const domain of slow) {
    world.zone.set(domain, "MX", ["10 mx1.provider.example"]);
    world.zone.fault(`_mta-sts.${domain}`, "silent");
  }
  const asked = () => world.zone.queries.filter(({ name }) => name.startsWith("_mta-sts.d")).length;
  for (const domain of slow) await send(target, sendBody({ to: `ann@${domain}` }));
  await until("the lookups", () => asked() >= slow.length);
  assert.equal((await sendToOne(target, sendBody({ to: "bob@provider.example" }))).result, "delivered");
  assert.deepEqual(
    peer.transactions.map(({ rcptTo }) => rcptTo),
    [["bob@provider.example"]],
  );
});
