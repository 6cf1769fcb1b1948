/** Lookups with the AD bit: every kind of answer from a zone server, forged and broken ones from a test socket. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { it, type TestContext } from "node:test";
import * as packet from "dns-packet";
import { createSecureResolver } from "../../src/dns/secure-resolver.ts";
import { startZoneServer, type ZoneRecord, type ZoneServer } from "../../src/testing/zone-server.ts";

const KEY_HASH = "ab".repeat(32);

const RECORDS: ZoneRecord[] = [
  { name: "signed.test", type: "MX", values: ["20 MX2.Signed.Test.", "10 mx1.signed.test."] },
  { name: "mx1.signed.test", type: "A", values: ["192.0.2.1", "192.0.2.2"] },
  { name: "mx1.signed.test", type: "AAAA", values: ["2001:db8::1"] },
  { name: "_25._tcp.mx1.signed.test", type: "TLSA", values: [`3 1 1 ${KEY_HASH}`, "2 0 2 00ff"] },
  { name: "alias.signed.test", type: "CNAME", values: ["MX1.signed.test."] },
  { name: "out.signed.test", type: "CNAME", values: ["host.plain.test."] },
  { name: "dangling.signed.test", type: "CNAME", values: ["gone.signed.test."] },
  { name: "loop.signed.test", type: "CNAME", values: ["loop.signed.test."] },
  { name: "host.plain.test", type: "A", values: ["192.0.2.7"] },
  { name: "many.signed.test", type: "TLSA", values: Array.from({ length: 60 }, (_, i) => `3 1 1 ${hash(i)}`) },
];

function hash(number: number): string {
  return number.toString(16).padStart(64, "0");
}

async function startZone(t: TestContext): Promise<ZoneServer> {
  const zone = await startZoneServer({ records: RECORDS, authenticated: ["signed.test"] });
  t.after(() => zone.close());
  return zone;
}

const resolverAt = (...servers: string[]) => createSecureResolver({ servers, trustAd: false, timeoutMs: 400 });

it("returns records of every kind, and whether they were validated", async (t) => {
  const { address } = await startZone(t);
  const resolver = resolverAt(address);
  assert.deepEqual(await resolver.mx("Signed.test."), {
    type: "found",
    name: "signed.test",
    secure: true,
    records: [
      { exchange: "mx2.signed.test", preference: 20 },
      { exchange: "mx1.signed.test", preference: 10 },
    ],
  });
  const name = "mx1.signed.test";
  const found = { type: "found", name, secure: true };
  assert.deepEqual(await resolver.a(name), { ...found, records: ["192.0.2.1", "192.0.2.2"] });
  assert.deepEqual(await resolver.aaaa(name), { ...found, records: ["2001:db8::1"] });
  assert.deepEqual(await resolver.tlsa(`_25._tcp.${name}`), {
    ...found,
    name: `_25._tcp.${name}`,
    records: [
      { usage: 3, selector: 1, matchingType: 1, data: Buffer.from(KEY_HASH, "hex") },
      { usage: 2, selector: 0, matchingType: 2, data: Buffer.from("00ff", "hex") },
    ],
  });
  assert.deepEqual(await resolver.a("host.plain.test"), {
    type: "found",
    name: "host.plain.test",
    secure: false,
    records: ["192.0.2.7"],
  });
});

it("distinguishes the negative answers, validated or not", async (t) => {
  const { address } = await startZone(t);
  const resolver = resolverAt(address);
  assert.deepEqual(await resolver.tlsa("mx1.signed.test"), { type: "nodata", secure: true });
  assert.deepEqual(await resolver.tlsa("_25._tcp.mx9.signed.test"), { type: "nxdomain", secure: true });
  assert.deepEqual(await resolver.tlsa("host.plain.test"), { type: "nodata", secure: false });
  assert.deepEqual(await resolver.tlsa("gone.plain.test"), { type: "nxdomain", secure: false });
  assert.deepEqual(await resolver.a(`${"x".repeat(64)}.signed.test`), { type: "nxdomain", secure: false });
});

it("follows CNAMEs, and is secure only if the whole chain is", async (t) => {
  const { address } = await startZone(t);
  const resolver = resolverAt(address);
  const inside = await resolver.aaaa("alias.signed.test");
  assert.deepEqual(inside, { type: "found", name: "mx1.signed.test", secure: true, records: ["2001:db8::1"] });
  const outside = await resolver.a("out.signed.test");
  assert.deepEqual(outside, { type: "found", name: "host.plain.test", secure: false, records: ["192.0.2.7"] });
  assert.equal((await resolver.a("dangling.signed.test")).type, "nxdomain");
  assert.deepEqual(await resolver.a("loop.signed.test"), { type: "failure", code: "CNAME_LOOP" });
});

it("retries over TCP where the answer is truncated", async (t) => {
  const zone = await startZone(t);
  const answer = await resolverAt(zone.address).tlsa("many.signed.test");
  assert.ok(answer.type === "found" && answer.secure);
  assert.equal(answer.records.length, 60);
  assert.equal(zone.queries.length, 2);
});

it("reports the failure, after one retry for a timeout", async (t) => {
  const zone = await startZone(t);
  const resolver = resolverAt(zone.address);
  for (const [fault, code, questions] of [
    ["servfail", "ESERVFAIL", 1],
    ["refused", "EREFUSED", 1],
    ["silent", "ETIMEOUT", 2],
  ] as const) {
    zone.fault("signed.test", fault);
    zone.queries.length = 0;
    assert.deepEqual(await resolver.mx("signed.test"), { type: "failure", code });
    assert.equal(zone.queries.length, questions, fault);
  }
});

it("queries the next server where one fails", async (t) => {
  const [dead, alive] = [await startZone(t), await startZone(t)];
  dead.fault("signed.test", "servfail");
  assert.equal((await resolverAt(dead.address, alive.address).mx("signed.test")).type, "found");
});

it("trusts only loopback and configured servers", async (t) => {
  const zone = await startZone(t);
  assert.equal(resolverAt("192.0.2.53").trusted, false);
  assert.equal(resolverAt("[2001:db8::53]:53").trusted, false);
  assert.equal(resolverAt("127.0.0.1", "192.0.2.53").trusted, true);
  assert.equal(resolverAt("::1").trusted, true);
  const configured = createSecureResolver({ servers: ["192.0.2.53"], trustAd: true });
  assert.equal(configured.trusted, true);
  // Not queried at all: otherwise an attacker who silences the trusted one would choose who answers.
  const beside = resolverAt("192.0.2.53:9", zone.address);
  assert.ok((await beside.mx("signed.test")).type === "found");
});

type Forge = (query: packet.DecodedPacket) => (Buffer | packet.Packet)[];

/** A server that answers every query with the replies that `forge` returns, in that order. */
async function startForger(
  t: TestContext,
  forge: Forge,
): Promise<{ address: string; queries: packet.DecodedPacket[] }> {
  const socket = createSocket("udp4");
  const queries: packet.DecodedPacket[] = [];
  socket.on("message", (bytes, peer) => {
    const query = packet.decode(bytes);
    queries.push(query);
    for (const reply of forge(query)) {
      socket.send(Buffer.isBuffer(reply) ? reply : packet.encode(reply), peer.port, peer.address);
    }
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queries };
}

const replyWith = (query: packet.DecodedPacket, parts: Partial<packet.Packet> = {}): packet.Packet => ({
  type: "response",
  id: query.id ?? 0,
  flags: packet.AUTHENTIC_DATA,
  questions: query.questions ?? [],
  answers: [{ type: "A", name: query.questions?.[0]?.name ?? "", ttl: 0, data: "192.0.2.66" }],
  ...parts,
});

it("ignores datagrams that are not the reply: other id, other question, a query, garbage", async (t) => {
  const { address } = await startForger(t, (query) => [
    Buffer.from("rubbish"),
    replyWith(query, { id: ((query.id ?? 0) + 1) % 65_536 }),
    replyWith(query, { questions: [{ type: "A", name: "other.test" }] }),
    replyWith(query, { questions: [{ type: "AAAA", name: "host.test" }] }),
    replyWith(query, { questions: [] }),
    { ...replyWith(query), type: "query" },
    replyWith(query, { answers: [{ type: "A", name: "HOST.test", ttl: 0, data: "192.0.2.1" }] }),
  ]);
  const found = { type: "found", name: "host.test", secure: true, records: ["192.0.2.1"] };
  assert.deepEqual(await resolverAt(address).a("host.test"), found);
});

it("ignores a record that the CNAME chain does not lead to", async (t) => {
  const stray: packet.Answer = { type: "A", name: "other.test", ttl: 0, data: "192.0.2.66" };
  const { address } = await startForger(t, (query) => [replyWith(query, { answers: [stray] })]);
  assert.deepEqual(await resolverAt(address).a("host.test"), { type: "nodata", secure: true });
});

it("requests validation, with EDNS and a new id for each query", async (t) => {
  const { address, queries } = await startForger(t, (query) => [replyWith(query)]);
  const resolver = resolverAt(address);
  for (let i = 0; i < 8; i += 1) await resolver.a("host.test");
  const [query] = queries;
  const opt = query?.additionals?.find((record) => record.type === "OPT");
  assert.equal(query?.flag_ad && query.flag_rd, true);
  assert.ok(opt?.type === "OPT" && opt.flag_do && opt.udpPayloadSize >= 1220);
  assert.ok(new Set(queries.map(({ id }) => id)).size > 4);
});

it("retries without EDNS where the server does not support it", async (t) => {
  const { address, queries } = await startForger(t, (query) => {
    const knows = (query.additionals ?? []).length === 0;
    return [knows ? replyWith(query, { flags: 0 }) : replyWith(query, { flags: 1, questions: [], answers: [] })];
  });
  const answer = await resolverAt(address).a("host.test");
  assert.ok(answer.type === "found" && !answer.secure);
  assert.equal(queries.length, 2);
});

it("reports a closed port", async () => {
  const answer = await resolverAt("127.0.0.1:1").a("host.test");
  assert.ok(answer.type === "failure" && answer.code !== "");
});

it("ignores the AD bit of a server that is not trusted", async (t) => {
  // 0.0.0.0 reaches this server but is outside the loopback range: it represents a remote server.
  const zone = await startZone(t);
  const port = zone.address.split(":")[1];
  const resolver = createSecureResolver({ servers: [`0.0.0.0:${port}`], trustAd: false, timeoutMs: 400 });
  const answer = await resolver.mx("signed.test");
  assert.ok(answer.type === "found" && !answer.secure);
  const trusting = createSecureResolver({ servers: [`0.0.0.0:${port}`], trustAd: true, timeoutMs: 400 });
  const trusted = await trusting.mx("signed.test");
  assert.ok(trusted.type === "found" && trusted.secure);
});

it("does not trust a forwarder for being on loopback: Docker's resolver, systemd-resolved", async (t) => {
  for (const host of ["127.0.0.11", "127.0.0.53", "127.0.0.54"]) {
    const zone = await startZoneServer({ records: RECORDS, authenticated: ["signed.test"], host });
    t.after(() => zone.close());
    const answer = await resolverAt(zone.address).mx("signed.test");
    assert.ok(answer.type === "found" && !answer.secure, host);
    assert.equal(resolverAt(host).trusted, false, host);
    assert.equal(resolverAt(`::ffff:${host}`).trusted, false, host);
    assert.equal(createSecureResolver({ servers: [host], trustAd: true }).trusted, true, host);
    // Beside a trusted server it is not queried at all.
    const validating = await startZone(t);
    zone.queries.length = 0;
    const beside = await resolverAt(zone.address, validating.address).mx("signed.test");
    assert.deepEqual([beside.type === "found" && beside.secure, zone.queries.length], [true, 0], host);
  }
});
