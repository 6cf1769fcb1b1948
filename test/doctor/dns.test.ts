/** Reverse names of both families, and whether the resolver validates. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createSecureResolver } from "../../src/dns/secure-resolver.ts";
import { checkDnssec, checkHostname, checkResolver, checkReverseDns, resolversByServer } from "../../src/doctor/dns.ts";
import { startZoneServer, type ZoneFault } from "../../src/testing/zone-server.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { HOST, IP, patient } from "./doctor-input.ts";

describe("a DNS server that answers badly beside a good one", () => {
  async function resolverFinding(t: TestContext, fault: ZoneFault | null) {
    const [broken, good] = [await startZoneServer(), await startZoneServer()];
    t.after(() => Promise.all([broken.close(), good.close()]));
    broken.fault("*", fault);
    const env = { DNS_SERVERS: `${broken.address},${good.address}` };
    const examined = patient({}, env);
    const finding = await checkResolver({ ...examined, servers: resolversByServer(examined.config) });
    return { finding, broken, good };
  }

  it("is named in a warning, with what it answers", async (t) => {
    const { finding, broken, good } = await resolverFinding(t, "refused");
    assert.equal(finding.state, "warning");
    assert.ok(finding.detail.includes(`${broken.address} (EREFUSED)`) && !finding.detail.includes(good.address));
  });

  it("is not there where all answer, or where there is only one server", async (t) => {
    assert.equal((await resolverFinding(t, null)).finding.state, "ok");
    assert.deepEqual(resolversByServer(patient({}, { DNS_SERVERS: "127.0.0.1:1" }).config), []);
  });
});

const IP6 = "2001:db8::25";

describe("an IPv6 sending address", () => {
  const reverse = (zone: FakeZone, sendingIps: string[]) => checkReverseDns(IP6, patient(zone, {}, { sendingIps }));

  it("is confirmed in whatever form it is written", async () => {
    const zone = { [IP6]: { PTR: [HOST] }, [HOST]: { AAAA: ["2001:0db8:0:0::0025"] } };
    assert.equal((await reverse(zone, [IP6])).state, "ok");
    assert.equal((await checkHostname(patient(zone, {}, { sendingIps: [IP6] }))).state, "ok");
  });

  it("is said to be left out without a reverse name, which is a problem where there is no IPv4", async () => {
    const beside = await reverse({}, [IP, IP6]);
    assert.deepEqual([beside.state, /no PTR record\..*no mail leaves from it/.test(beside.detail)], ["warning", true]);
    assert.equal((await reverse({}, [IP6])).state, "problem");
    const trouble = await reverse({ [IP6]: { PTR: { trouble: "ESERVFAIL" } } }, [IP, IP6]);
    assert.deepEqual([trouble.state, /left out/.test(trouble.detail)], ["unclear", true]);
  });
});

describe("DNSSEC", () => {
  async function dnssec(t: TestContext, { signed, trusted }: { signed: boolean; trusted: boolean }) {
    const records = [{ name: "isc.org", type: "MX" as const, values: ["10 mx.isc.org"] }];
    const zone = await startZoneServer({ records, authenticated: signed ? ["isc.org"] : [] });
    t.after(() => zone.close());
    const resolver = createSecureResolver({ servers: [zone.address], trustAd: true });
    // Every server of the tests is on loopback and so believed: one that is not is played.
    const own = trusted ? resolver : { ...resolver, trusted: false };
    return checkDnssec(patient({}, {}, { secure: { configured: own, trusting: resolver } }));
  }

  it("tells a resolver that validates from one that does not, and from one that is not believed", async (t) => {
    assert.equal((await dnssec(t, { signed: true, trusted: true })).state, "ok");
    const far = await dnssec(t, { signed: true, trusted: false });
    assert.deepEqual([far.state, /DNS_TRUST_AD=true/.test(far.detail)], ["warning", true]);
    const plain = await dnssec(t, { signed: false, trusted: true });
    assert.deepEqual([plain.state, /does not validate.*unbound/.test(plain.detail)], ["warning", true]);
  });
});
