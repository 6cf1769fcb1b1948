/** A record that is too long to be read counts as absent, and the check that misses it says so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { watchOmissions } from "../../src/domains/omitted-records.ts";
import { verifyDomain } from "../../src/domains/verify.ts";
import { fakeResolver } from "../support/fake-resolver.ts";
import { contextOf, goodZone, sampleDomain } from "./sample.ts";

const QUOTES = '"'.repeat(60_000);

test("a check that fails for want of a long record names it; one that passes does not", async () => {
  const zone = goodZone();
  zone["_dmarc.example.com"] = { TXT: [`v=DMARC1; p=none; rua=${"x".repeat(5000)}`] };
  const { TXT: texts } = zone["example.com"] ?? {};
  zone["example.com"] = { ...zone["example.com"], TXT: [...(Array.isArray(texts) ? texts : []), QUOTES] };
  const { checks } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  assert.equal(checks.spf.state, "verified");
  assert.doesNotMatch(checks.spf.detail, /octets/);
  assert.equal(checks.dmarc.state, "failed");
  assert.match(
    checks.dmarc.detail,
    /TXT record at _dmarc\.example\.com has 5022 octets and is not read: .* at most 4096/,
  );
});

test("a long record at an included name is named", async () => {
  const zone = goodZone();
  zone["example.com"] = { ...zone["example.com"], TXT: ["v=spf1 include:other.example.net -all"] };
  zone["other.example.net"] = { TXT: [`v=spf1 ${"a ".repeat(4000)}-all`] };
  const { checks } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  assert.equal(checks.spf.state, "failed");
  assert.match(checks.spf.detail, /TXT record at other\.example\.net has 8011 octets/);
});

test("records beyond the limit are counted, once for each name", async () => {
  const { resolver, omissions } = watchOmissions(
    fakeResolver({ "example.com": { A: Array.from({ length: 120 }, (_, i) => `192.0.2.${i}`) } }),
  );
  await resolver.a("example.com");
  await resolver.a("example.com");
  assert.deepEqual(omissions(), [
    "example.com has 120 A records, of which 100 are read: remove those that you no longer use.",
  ]);
});
