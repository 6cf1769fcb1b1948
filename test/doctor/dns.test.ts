import assert from "node:assert/strict";
import { describe, it, type TestContext, test } from "node:test";
import { createSecureResolver } from "../../src/dns/secure-resolver.ts";
import { checkDnssec, checkHostname, checkResolver, checkReverseDns, resolversByServer } from "../../src/doctor/dns.ts";
import { startZoneServer, type ZoneFault } from "../../src/testing/zone-server.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { doctorInput, HOST, IP } from "./doctor-input.ts";

describe("a failing DNS server beside a working one", () => {
  async function resolverFinding(t: TestContext, fault: ZoneFault | null) {
    const [broken, good] = [await startZoneServer(), await startZoneServer()];
    t.after(() => Promise.all([broken.close(), good.close()]));
    broken.fault("*", fault);
    const env = { DNS_SERVERS: `${broken.address},${good.address}` };
    const examined = doctorInput({}, env);
    const finding = await checkResolver({ ...examined, servers: resolversByServer(examined.config) });
    return { finding, broken, good };
  }

  it("is named in a warning, with its error", async (t) => {
    const { finding, broken, good } = await resolverFinding(t, "refused");
    assert.equal(finding.state, "warning");
    assert.ok(finding.detail.includes(`${broken.address} (EREFUSED)`) && !finding.detail.includes(good.address));
  });

  it("is not reported where all servers answer, or where there is only one", async (t) => {
    assert.equal((await resolverFinding(t, null)).finding.state, "ok");
    assert.deepEqual(resolversByServer(doctorInput({}, { DNS_SERVERS: "127.0.0.1:1" }).config), []);
  });
});

const IP6 = "2001:db8::25";

describe("an IPv6 sending address", () => {
  const reverse = (zone: FakeZone, sendingIps: string[]) => checkReverseDns(IP6, doctorInput(zone, {}, { sendingIps }));

  it("is confirmed in every notation", async () => {
    const zone = { [IP6]: { PTR: [HOST] }, [HOST]: { AAAA: ["2001:0db8:0:0::0025"] } };
    assert.equal((await reverse(zone, [IP6])).state, "ok");
    assert.equal((await checkHostname(doctorInput(zone, {}, { sendingIps: [IP6] }))).state, "ok");
  });

  it("is reported as not used without a reverse name, a problem where there is no IPv4", async () => {
    const beside = await reverse({}, [IP, IP6]);
    assert.deepEqual(
      [beside.state, /no PTR record\..*no message is sent from it/.test(beside.detail)],
      ["warning", true],
    );
    assert.equal((await reverse({}, [IP6])).state, "problem");
    const failed = await reverse({ [IP6]: { PTR: { failure: "ESERVFAIL" } } }, [IP, IP6]);
    assert.deepEqual([failed.state, /IPv6 is not used/.test(failed.detail)], ["unclear", true]);
  });
});

test("the PTR record of an address that operators have added must have its name for EHLO", async () => {
  const zone = { [IP]: { PTR: [HOST] }, [HOST]: { A: [IP] } };
  const named = (name: string) =>
    checkReverseDns(IP, doctorInput(zone, {}, { sendingIps: [IP], addressNames: new Map([[IP, name]]) }));
  assert.equal((await named(HOST)).state, "ok");
  const { state, detail } = await named("news.host.example");
  assert.equal(state, "warning");
  assert.match(detail, /its name for EHLO is news\.host\.example/);
});

describe("DNSSEC", () => {
  async function dnssec(t: TestContext, { signed, trusted }: { signed: boolean; trusted: boolean }) {
    const records = [{ name: "isc.org", type: "MX" as const, values: ["10 mx.isc.org"] }];
    const zone = await startZoneServer({ records, authenticated: signed ? ["isc.org"] : [] });
    t.after(() => zone.close());
    const resolver = createSecureResolver({ servers: [zone.address], trustAd: true });
    // Every test server is on loopback and so trusted; this simulates one that is not.
    const own = trusted ? resolver : { ...resolver, trusted: false };
    return checkDnssec(doctorInput({}, {}, { secure: { configured: own, trusting: resolver } }));
  }

  it("distinguishes a validating resolver from one that does not validate or is not trusted", async (t) => {
    assert.equal((await dnssec(t, { signed: true, trusted: true })).state, "ok");
    const far = await dnssec(t, { signed: true, trusted: false });
    assert.deepEqual([far.state, /DNS_TRUST_AD=true/.test(far.detail)], ["warning", true]);
    const plain = await dnssec(t, { signed: false, trusted: true });
    assert.deepEqual([plain.state, /does not validate.*unbound/.test(plain.detail)], ["warning", true]);
  });
});
