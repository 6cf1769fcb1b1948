/** DANE: which records are usable, which certificates they match, and which DNS answers make them count at all. */
import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { signedRoute, tlsaOf } from "../../../src/delivery/tls/dane.ts";
import { daneObjection, isUsable } from "../../../src/delivery/tls/dane-match.ts";
import type { TlsaRecord } from "../../../src/dns/record-data.ts";
import { createSecureResolver, type SecureResolver } from "../../../src/dns/secure-resolver.ts";
import { startZoneServer, type ZoneRecord, type ZoneServer } from "../../../src/testing/zone-server.ts";
import { certificateAuthority, type KeyAndCertificate, selfSigned } from "../../support/self-signed.ts";

const DAY_MS = 86_400_000;
const HOST = "mx.customers.example";
const DOMAIN = "customers.example";

const chainOf = ({ cert }: Pick<KeyAndCertificate, "cert">): X509Certificate[] =>
  cert.split(/(?<=-----END CERTIFICATE-----\n)/).map((text) => new X509Certificate(text));

const spki = (certificate: X509Certificate) => certificate.publicKey.export({ type: "spki", format: "der" });
const sha = (bits: 256 | 512, bytes: Buffer) => createHash(`sha${bits}`).update(bytes).digest();

/** A record that matches the certificate, of every selector and matching type. */
function recordsFor(usage: number, certificate: X509Certificate): TlsaRecord[] {
  return [certificate.raw, spki(certificate)].flatMap((bytes, selector) =>
    [bytes, sha(256, bytes), sha(512, bytes)].map((data, matchingType) => ({ usage, selector, matchingType, data })),
  );
}

function objection(records: TlsaRecord[], chain: X509Certificate[], names = [HOST, DOMAIN]): string | null {
  return daneObjection(records, chain, { names, nowMs: Date.now() });
}

const first = (chain: X509Certificate[]): X509Certificate => {
  const [certificate] = chain;
  assert.ok(certificate !== undefined);
  return certificate;
};

describe("DANE-EE (usage 3)", () => {
  it("matches certificate or key, whole or hashed", () => {
    const chain = chainOf(selfSigned(HOST));
    const records = recordsFor(3, first(chain));
    assert.equal(records.length, 6);
    for (const record of records) {
      assert.ok(isUsable(record));
      assert.equal(objection([record], chain), null, JSON.stringify({ ...record, data: record.data.length }));
    }
  });

  it("checks neither names nor dates", () => {
    const chain = chainOf(
      selfSigned("elsewhere.test", { untilMs: Date.now() - DAY_MS, fromMs: Date.now() - 2 * DAY_MS }),
    );
    assert.equal(objection(recordsFor(3, first(chain)).slice(4, 5), chain), null);
  });

  it("does not match another key, the same one under another type, or an issuer", () => {
    const chain = chainOf(certificateAuthority().issue(HOST));
    assert.notEqual(objection(recordsFor(3, first(chainOf(selfSigned(HOST)))), chain), null);
    const [whole] = recordsFor(3, first(chain));
    assert.ok(whole !== undefined);
    assert.notEqual(objection([{ ...whole, selector: 1 }], chain), null);
    assert.notEqual(objection([{ ...whole, matchingType: 1 }], chain), null);
    assert.notEqual(objection(recordsFor(3, chain[1] as X509Certificate), chain), null);
    assert.notEqual(objection([], chain), null);
    assert.notEqual(objection([whole], []), null);
  });

  it("needs one match among many records", () => {
    const chain = chainOf(selfSigned(HOST));
    const others = recordsFor(3, first(chainOf(selfSigned(HOST))));
    assert.equal(objection([...others, ...recordsFor(3, first(chain)).slice(-1)], chain), null);
  });
});

describe("DANE-TA (usage 2)", () => {
  it("matches a presented issuer, direct or indirect", () => {
    const root = certificateAuthority();
    const chain = chainOf(root.authority("Test Issuing").issue(HOST));
    assert.equal(chain.length, 3);
    for (const issuer of chain.slice(1)) {
      for (const record of recordsFor(2, issuer)) assert.equal(objection([record], chain), null);
    }
  });

  it("matches neither an unrelated authority nor the host's own certificate", () => {
    const root = certificateAuthority();
    const chain = chainOf(root.issue(HOST));
    assert.match(objection(recordsFor(2, first(chainOf(certificateAuthority()))), chain) ?? "", /no TLSA record/);
    assert.match(objection(recordsFor(2, first(chain)), chain) ?? "", /no TLSA record/);
  });

  it("requires the chain up to the anchor to verify", () => {
    const root = chainOf(certificateAuthority());
    // The same name and no signature of its key: added to the chain by another party.
    const impostor = chainOf(certificateAuthority().issue(HOST));
    assert.match(objection(recordsFor(2, first(root)), [first(impostor), ...root]) ?? "", /does not verify/);
    const pretender = certificateAuthority().pretender("host.test");
    const records = recordsFor(2, first(chainOf(pretender)));
    assert.match(objection(records, chainOf(pretender.issue(HOST))) ?? "", /does not verify/);
  });

  it("requires the host's name or the recipient domain in the certificate, and valid dates", () => {
    const root = certificateAuthority();
    const records = recordsFor(2, first(chainOf(root)));
    assert.equal(objection(records, chainOf(root.issue(DOMAIN))), null);
    assert.equal(objection(records, chainOf(root.issue("*.customers.example"))), null);
    assert.match(objection(records, chainOf(root.issue("mx.other.example"))) ?? "", /does not name/);
    const expired = root.issue(HOST, { fromMs: Date.now() - 2 * DAY_MS, untilMs: Date.now() - DAY_MS });
    assert.match(objection(records, chainOf(expired)) ?? "", /expired/);
    const early = root.issue(HOST, { fromMs: Date.now() + DAY_MS, untilMs: Date.now() + 2 * DAY_MS });
    assert.match(objection(records, chainOf(early)) ?? "", /not valid yet/);
  });
});

it("treats records as unusable that SMTP does not define or that cannot match", () => {
  const data = Buffer.alloc(32);
  const good: TlsaRecord = { usage: 3, selector: 1, matchingType: 1, data };
  assert.ok(isUsable(good));
  const bad: Partial<TlsaRecord>[] = [
    { usage: 0 },
    { usage: 1 },
    { usage: 255 },
    { selector: 2 },
    { matchingType: 3 },
    { matchingType: 2 },
    { data: Buffer.alloc(31) },
    { matchingType: 0, data: Buffer.alloc(0) },
  ];
  for (const parts of bad) assert.equal(isUsable({ ...good, ...parts }), false, JSON.stringify(parts));
});

const TLSA_VALUE = `3 1 1 ${"ab".repeat(32)}`;
const UNUSABLE_VALUE = `1 1 1 ${"cd".repeat(32)}`;

const RECORDS: ZoneRecord[] = [
  { name: DOMAIN, type: "MX", values: [`10 ${HOST}`] },
  { name: HOST, type: "A", values: ["192.0.2.1"] },
  { name: `_25._tcp.${HOST}`, type: "TLSA", values: [TLSA_VALUE, UNUSABLE_VALUE] },
  { name: "no-mx.customers.example", type: "A", values: ["192.0.2.2"] },
  { name: "bare.customers.example", type: "A", values: ["192.0.2.3"] },
  { name: "odd.customers.example", type: "AAAA", values: ["2001:db8::1"] },
  { name: "_25._tcp.odd.customers.example", type: "TLSA", values: [UNUSABLE_VALUE] },
  { name: "alias.customers.example", type: "CNAME", values: [HOST] },
  { name: "own.customers.example", type: "CNAME", values: ["bare.customers.example"] },
  { name: "_25._tcp.own.customers.example", type: "TLSA", values: [TLSA_VALUE] },
  { name: "away.customers.example", type: "CNAME", values: ["mx.plain.test"] },
  { name: "_25._tcp.away.customers.example", type: "TLSA", values: [TLSA_VALUE] },
  { name: "plain.test", type: "MX", values: ["10 mx.plain.test"] },
  { name: "mx.plain.test", type: "A", values: ["192.0.2.9"] },
  { name: "_25._tcp.mx.plain.test", type: "TLSA", values: [TLSA_VALUE] },
];

async function startZone(t: TestContext): Promise<{ zone: ZoneServer; resolver: SecureResolver }> {
  const zone = await startZoneServer({ records: RECORDS, authenticated: [DOMAIN] });
  t.after(() => zone.close());
  return { zone, resolver: createSecureResolver({ servers: [zone.address], trustAd: false, timeoutMs: 400 }) };
}

const hostOf = (name: string) => ({ name, port: 25, isSink: false });

describe("TLSA look-ups", () => {
  it("use the hosts of signed MX records, or the domain itself when their absence is signed", async (t) => {
    const { zone, resolver } = await startZone(t);
    assert.deepEqual(await signedRoute(DOMAIN, resolver), { type: "signed", hosts: new Set([HOST]) });
    const implicit = { type: "signed", hosts: new Set(["no-mx.customers.example"]) };
    assert.deepEqual(await signedRoute("no-mx.customers.example", resolver), implicit);
    assert.deepEqual(await signedRoute("plain.test", resolver), { type: "unsigned" });
    zone.fault(DOMAIN, "servfail");
    assert.deepEqual(await signedRoute(DOMAIN, resolver), { type: "failure", code: "ESERVFAIL" });
  });

  it("return the usable records of the port, and their name", async (t) => {
    const { zone, resolver } = await startZone(t);
    const data = Buffer.from("ab".repeat(32), "hex");
    const usable = [{ usage: 3, selector: 1, matchingType: 1, data }];
    assert.deepEqual(await tlsaOf(hostOf(HOST), resolver), { type: "records", usable, base: HOST });
    assert.deepEqual(await tlsaOf({ ...hostOf(HOST), port: 2525 }, resolver), { type: "none" });
    assert.ok(zone.queries.some(({ name }) => name === `_2525._tcp.${HOST}`));
    const odd = await tlsaOf(hostOf("odd.customers.example"), resolver);
    assert.deepEqual(odd, { type: "records", usable: [], base: "odd.customers.example" });
    assert.deepEqual(await tlsaOf(hostOf("bare.customers.example"), resolver), { type: "none" });
  });

  it("query the target of an alias first, then the alias, and not when an alias leaves the signed zone", async (t) => {
    const { resolver } = await startZone(t);
    const led = await tlsaOf(hostOf("alias.customers.example"), resolver);
    assert.ok(led.type === "records" && led.base === HOST);
    const own = await tlsaOf(hostOf("own.customers.example"), resolver);
    assert.ok(own.type === "records" && own.base === "own.customers.example");
    assert.deepEqual(await tlsaOf(hostOf("away.customers.example"), resolver), { type: "none" });
  });

  it("ignore the records of an alias in an unsigned zone", async (t) => {
    const { zone, resolver } = await startZone(t);
    zone.set("_25._tcp.bare.customers.example", "CNAME", ["_25._tcp.mx.plain.test"]);
    assert.deepEqual(await tlsaOf(hostOf("bare.customers.example"), resolver), { type: "none" });
  });

  it("query no records of a host whose address is not signed", async (t) => {
    const { zone, resolver } = await startZone(t);
    assert.deepEqual(await tlsaOf(hostOf("mx.plain.test"), resolver), { type: "none" });
    assert.ok(zone.queries.every(({ type }) => type !== "TLSA"));
  });

  it("report a failure, not none, when a signed host's records cannot be looked up", async (t) => {
    const { zone, resolver } = await startZone(t);
    zone.fault(`_25._tcp.${HOST}`, "servfail");
    assert.deepEqual(await tlsaOf(hostOf(HOST), resolver), { type: "failure", code: "ESERVFAIL" });
    zone.fault(`_25._tcp.${HOST}`, "silent");
    assert.deepEqual(await tlsaOf(hostOf(HOST), resolver), { type: "failure", code: "ETIMEOUT" });
    zone.fault(`_25._tcp.${HOST}`, null);
    zone.fault(HOST, "servfail");
    assert.deepEqual(await tlsaOf(hostOf(HOST), resolver), { type: "failure", code: "ESERVFAIL" });
    zone.fault(HOST, null);
    zone.fault(HOST, "servfail", "AAAA");
    assert.equal(
      (await tlsaOf(hostOf(HOST), resolver)).type,
      "records",
      "a failed look-up of one family hides nothing",
    );
    zone.fault("mx.plain.test", "servfail", "AAAA");
    assert.deepEqual(await tlsaOf(hostOf("mx.plain.test"), resolver), { type: "none" });
  });
});
