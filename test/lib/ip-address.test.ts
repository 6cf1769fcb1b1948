import assert from "node:assert/strict";
import { it } from "node:test";
import { canonicalAddress } from "../../src/lib/ip-address.ts";

it("addresses have one canonical text", () => {
  assert.equal(canonicalAddress("192.0.2.1"), "192.0.2.1");
  for (const same of ["2001:db8::1", "2001:DB8:0:0::1", "2001:0db8:0000:0000:0000:0000:0.0.0.1"]) {
    assert.equal(canonicalAddress(same), "2001:db8::1");
  }
  for (const mapped of ["::ffff:192.0.2.1", "::FFFF:c000:201"]) assert.equal(canonicalAddress(mapped), "192.0.2.1");
  for (const other of ["", "999.1.1.1", "1.2.3", "fe80::1%eth0", "mx.example", "::ffff:1.2.3"]) {
    assert.equal(canonicalAddress(other), null, other);
  }
});
