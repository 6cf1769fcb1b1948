/** Addresses that webhooks may connect to: literals, names, and names whose answers change. No connection is made. */
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { TargetPolicy } from "../../src/dns/target-policy.ts";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { type FakeResolver, type FakeZone, fakeResolver } from "../support/fake-resolver.ts";

const OWN = "11.22.33.44";

interface Options {
  allowPrivate?: boolean;
  resolver?: FakeResolver;
}

function policyOf(zone: FakeZone, { allowPrivate = false, resolver = fakeResolver(zone) }: Options = {}): TargetPolicy {
  return new TargetPolicy({ resolver, allowPrivate, isOwnAddress: (address) => address === OWN });
}

/** The addresses as net.connect gets them, or the error's text. */
function connectable(policy: TargetPolicy, host: string): Promise<string[] | string> {
  return new Promise((resolve) => {
    policy.lookup(host, { all: true }, (error, addresses) => {
      if (error !== null) resolve(error.message);
      else resolve(Array.isArray(addresses) ? addresses.map(({ address }) => address) : [addresses]);
    });
  });
}

/** One address or more of each class that is refused. */
const REFUSED: Record<string, string[]> = {
  unspecified: ["0.0.0.0", "0.1.2.3", "::"],
  loopback: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::1"],
  private: ["10.0.0.1", "172.16.0.1", "192.168.0.1", "fc00::1", "fd12::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"],
  "link-local": ["169.254.169.254", "fe80::1", "::ffff:169.254.169.254"],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.254"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"],
  benchmarking: ["198.18.0.1", "198.19.255.255", "2001:2::1"],
  "protocol assignments": ["192.0.0.1", "192.0.0.170"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  broadcast: ["255.255.255.255"],
  reserved: ["240.0.0.1", "::127.0.0.1", "::8.8.8.8", "2001::1", "fec0::1"],
  "local NAT64": ["64:ff9b:1::1"],
  "IPv4 inside IPv6": ["::ffff:8.8.4.4", "64:ff9b::808:404", "2002:808:404::1"],
};

describe("without private addresses", () => {
  for (const [range, addresses] of Object.entries(REFUSED)) {
    it(`refuses ${range} addresses, literal or by name`, async () => {
      for (const address of addresses) {
        const policy = policyOf({ "a.example": address.includes(":") ? { AAAA: [address] } : { A: [address] } });
        assert.equal(
          policy.literalFault(address),
          `The address ${address} is not public (${range}); see WEBHOOK_ALLOW_PRIVATE.`,
        );
        assert.equal(
          await connectable(policy, "a.example"),
          `The host a.example has no public address (${address} is not public (${range})); see WEBHOOK_ALLOW_PRIVATE.`,
        );
      }
    });
  }

  it("refuses the host's own address", async () => {
    const policy = policyOf({ "a.example": { A: [OWN] } });
    assert.match(String(policy.literalFault(OWN)), /an address of the sending host/);
    assert.match(
      String(await connectable(policy, "a.example")),
      /no public address \(11.22.33.44 is an address of the/,
    );
  });

  it("uses only the public addresses of a name", async () => {
    const a = ["127.0.0.1", "8.8.8.8", OWN, "10.0.0.1"];
    const policy = policyOf({ "a.example": { A: a, AAAA: ["::1", "2606:4700::1111"] } });
    assert.deepEqual(await connectable(policy, "a.example"), ["8.8.8.8", "2606:4700::1111"]);
  });

  it("finds a public address behind many private ones, and tries a limited number", async () => {
    const hidden = Array.from({ length: 60 }, (_, i) => `10.0.0.${i}`);
    const many = Array.from({ length: 60 }, (_, i) => `8.8.8.${i}`);
    const policy = policyOf({ "a.example": { A: [...hidden, "8.8.8.8"] }, "b.example": { A: many } });
    assert.deepEqual(await connectable(policy, "a.example"), ["8.8.8.8"]);
    assert.equal((await connectable(policy, "b.example")).length, 6);
  });

  it("does not resolve localhost itself", async () => {
    assert.equal(await connectable(policyOf({}), "localhost"), "The host localhost has no address.");
  });

  it("explains a name without addresses and a failed look-up", async () => {
    const policy = policyOf({ "failing.example": { A: { failure: "ESERVFAIL" } } });
    assert.equal(await connectable(policy, "none.example"), "The host none.example has no address.");
    const failed = "The address of failing.example could not be looked up (ESERVFAIL).";
    assert.equal(await connectable(policy, "failing.example"), failed);
  });
});

describe("with private addresses", () => {
  it("allows all addresses, and resolves localhost without DNS", async () => {
    const resolver = fakeResolver({ "a.example": { A: ["127.0.0.1", OWN] } });
    const policy = policyOf({}, { allowPrivate: true, resolver });
    assert.equal(policy.literalFault("127.0.0.1"), null);
    assert.deepEqual(await connectable(policy, "a.example"), ["127.0.0.1", OWN]);
    resolver.asked.length = 0;
    assert.deepEqual(await connectable(policy, "localhost"), ["127.0.0.1", "::1"]);
    assert.deepEqual(await connectable(policy, "a.localhost"), ["127.0.0.1", "::1"]);
    assert.deepEqual(resolver.asked, []);
  });
});

test("public literals and names are no fault; a single address can be asked for", async () => {
  const policy = policyOf({ "a.example": { A: ["8.8.8.8"] } });
  assert.equal(policy.literalFault("8.8.8.8"), null);
  assert.equal(policy.literalFault("a.example"), null);
  const answer = await new Promise((resolve) => policy.lookup("a.example", {}, (...results) => resolve(results)));
  assert.deepEqual(answer, [null, "8.8.8.8", 4]);
});

test("DNS rebinding: each look-up is one query of each type, whose addresses are checked", async (t) => {
  const zone = await startZoneServer({ records: [{ name: "rebind.example", type: "A", values: ["8.8.8.8"] }] });
  t.after(() => zone.close());
  const resolver = createResolver({ servers: [zone.address], timeoutMs: 500, tries: 1 });
  const policy = new TargetPolicy({ resolver, allowPrivate: false, isOwnAddress: () => false });
  assert.deepEqual(await connectable(policy, "rebind.example"), ["8.8.8.8"]);
  assert.equal(zone.queries.filter(({ type }) => type === "A").length, 1);
  zone.set("rebind.example", "A", ["127.0.0.1"]);
  assert.match(String(await connectable(policy, "rebind.example")), /no public address/);
});
