/** Range boundaries: the first and last refused address, and the public addresses next to them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPublic, refusedRange, refusedUntranslated } from "../../src/dns/address-policy.ts";

const REFUSED: Record<string, string[]> = {
  unspecified: ["0.0.0.0", "0.255.255.255", "::", "0:0:0:0:0:0:0:0"],
  loopback: ["127.0.0.1", "127.255.255.255", "::1", "0000::0001"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.1", "fc00::", "fdff::1"],
  "link-local": ["169.254.0.0", "169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0"],
  "carrier-grade NAT": ["100.64.0.0", "100.127.255.255"],
  documentation: [
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "2001:db8::1",
    "2001:DB8:ffff::",
    "3fff::",
    "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
  ],
  benchmarking: ["198.18.0.0", "198.19.255.255", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"],
  "protocol assignments": [
    "192.0.0.0",
    "192.0.0.9",
    "192.0.0.10",
    "192.0.0.170",
    "192.0.0.255",
    "2001:1::1",
    "2001:1::2",
    "2001:1::3",
    "2001:2:1::",
    "2001:4:111:ffff:ffff:ffff:ffff:ffff",
    "2001:4:113::",
    "2001:5::",
    "2001:40::",
    "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
  ],
  "6to4 relay": ["192.88.99.0", "192.88.99.2", "192.88.99.255"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  broadcast: ["255.255.255.255"],
  discard: ["100::", "100::ffff:ffff:ffff:ffff"],
  dummy: ["100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"],
  "local NAT64": ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  "IPv4-translated": ["::ffff:0:8.8.4.4", "::ffff:0:192.168.1.2", "::ffff:0:0:0", "::ffff:0:ffff:ffff"],
  "segment routing": ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  reserved: [
    "240.0.0.0",
    "255.255.255.254",
    "::127.0.0.1",
    "::7f00:1",
    "::8.8.8.8",
    "2001::1",
    "2001:0:ffff::",
    "2001:10::",
    "2001:2f:ffff::",
    "2001:30::",
    "2001:3f:ffff::",
    // Outside 2000::/3, whatever the registries assign there in the future.
    "1::",
    "64:ff9b:0:1::8.8.4.4",
    "64:ff9b:2::",
    "100:0:0:2::",
    "200::",
    "400::",
    "1000::1",
    "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "4000::",
    "5eff:ffff::",
    "5f01::",
    "8000::1",
    "c000::",
    "e000::",
    "fbff:ffff::",
    "fe00::",
    "fe7f:ffff::",
    "fec0::1",
    "feff:ffff::",
    "::fffe:808:404",
    "::1:ffff:808:404",
  ],
};

const PUBLIC = [
  "1.0.0.0",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "8.8.8.8",
  "191.255.255.255",
  "192.0.1.0",
  "192.88.98.255",
  "192.88.100.0",
  "192.31.196.1",
  "192.52.193.1",
  "192.175.48.1",
  "2606:4700::1111",
  "2a00:1450:4001::1a",
  "2001:db7::1",
  "2001:db9::1",
  "2001:4860:4860::8888",
  "2000::",
  "2001:200::",
  "2001:3::",
  "2001:3:ffff:ffff:ffff:ffff:ffff:ffff",
  "2001:4:112::1",
  "2620:4f:8000::1",
  "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  "3fff:1000::",
  "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

/** Embeddings of 192.168.1.2 and of 8.8.4.4. */
const EMBEDDED: [string, string][] = [
  ["::ffff:192.168.1.2", "::ffff:8.8.4.4"],
  ["::ffff:c0a8:102", "::FFFF:808:404"],
  ["0:0:0:0:0:ffff:192.168.1.2", "0:0:0:0:0:ffff:8.8.4.4"],
  ["64:ff9b::192.168.1.2", "64:ff9b::8.8.4.4"],
  ["64:ff9b::c0a8:102", "64:ff9b::808:404"],
  ["2002:c0a8:102::1", "2002:808:404::1"],
];

describe("address policy", () => {
  for (const [name, addresses] of Object.entries(REFUSED)) {
    it(`refuses ${name} addresses`, () => {
      for (const address of addresses) assert.equal(refusedRange(address), name, address);
    });
  }

  it("accepts public addresses", () => {
    for (const address of PUBLIC) assert.equal(refusedRange(address), null, address);
  });

  it("judges IPv4 inside IPv6 by the IPv4 address", () => {
    for (const [inner, outer] of EMBEDDED) {
      assert.equal(refusedRange(inner), "private", inner);
      assert.equal(refusedRange(outer), null, outer);
    }
    assert.equal(refusedRange("::ffff:169.254.169.254"), "link-local");
    assert.equal(refusedRange("64:ff9b:1::8.8.4.4"), "local NAT64");
    assert.equal(refusedUntranslated("64:ff9b::8.8.4.4"), "IPv4 inside IPv6");
    assert.equal(refusedUntranslated("::ffff:10.0.0.1"), "private");
    assert.equal(refusedUntranslated("8.8.4.4"), null);
    assert.equal(refusedUntranslated("2606:4700::1"), null);
  });

  it("refuses text that is not an address", () => {
    for (const text of ["", "localhost", "1.2.3", "0x7f.1", "2130706433", "[::1]"])
      assert.equal(isPublic(text), false, text);
    assert.equal(isPublic("8.8.8.8"), true);
  });
});
