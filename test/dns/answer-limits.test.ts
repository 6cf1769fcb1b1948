/** The limits of an answer, and that every resolver keeps them against a zone that exceeds each. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { boundMx, boundTexts, RECORDS_MAX, TXT_BYTES_MAX, TXT_RECORDS_MAX } from "../../src/dns/answer-limits.ts";
import { createSecureResolver } from "../../src/dns/secure-resolver.ts";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { startZoneServer, type ZoneRecord } from "../../src/testing/zone-server.ts";

const QUOTES = '"'.repeat(60_000);
const ADDRESSES = Array.from({ length: 150 }, (_, i) => `192.0.2.${i}`);

const RECORDS: ZoneRecord[] = [
  { name: "quotes.test", type: "TXT", values: [QUOTES] },
  {
    name: "mixed.test",
    type: "TXT",
    values: ["x".repeat(TXT_BYTES_MAX), "y".repeat(TXT_BYTES_MAX + 1), "v=spf1 -all"],
  },
  { name: "alias.test", type: "CNAME", values: ["quotes.test."] },
  { name: "texts.test", type: "TXT", values: Array.from({ length: 600 }, (_, i) => `text ${i}`) },
  { name: "wide.test", type: "A", values: ADDRESSES },
  { name: "wide.test", type: "MX", values: ADDRESSES.map((_, i) => `${200 - i} mx${i}.test.`) },
  { name: "wide.test", type: "TLSA", values: ADDRESSES.map((_, i) => `3 1 1 ${i.toString(16).padStart(64, "0")}`) },
  { name: "1.2.0.192.in-addr.arpa", type: "PTR", values: ADDRESSES.map((_, i) => `host${i}.test.`) },
];

async function addressOf(t: TestContext): Promise<string> {
  const zone = await startZoneServer({ records: RECORDS });
  t.after(() => zone.close());
  return zone.address;
}

describe("an answer that exceeds the limits", () => {
  it("has no text that is too long, and says how long it was", async (t) => {
    const resolver = createResolver({ servers: [await addressOf(t)] });
    const none = { type: "nodata", omitted: { longestOctets: QUOTES.length, furtherRecords: 0 } };
    assert.deepEqual(await resolver.txt("quotes.test"), none);
    assert.deepEqual(await resolver.txt("alias.test"), none);
    assert.deepEqual(await resolver.txt("mixed.test"), {
      type: "found",
      records: ["x".repeat(TXT_BYTES_MAX), "v=spf1 -all"],
      omitted: { longestOctets: TXT_BYTES_MAX + 1, furtherRecords: 0 },
    });
  });

  it("has a limited number of records of each type", async (t) => {
    const resolver = createResolver({ servers: [await addressOf(t)] });
    const omitted = { longestOctets: 0, furtherRecords: ADDRESSES.length - RECORDS_MAX };
    const texts = await resolver.txt("texts.test");
    assert.ok(texts.type === "found" && texts.records.length === TXT_RECORDS_MAX);
    assert.equal(texts.omitted?.furtherRecords, 100);
    assert.deepEqual(await resolver.a("wide.test"), {
      type: "found",
      records: ADDRESSES.slice(0, RECORDS_MAX),
      omitted,
    });
    const names = await resolver.ptr("192.0.2.1");
    assert.ok(names.type === "found" && names.records.length === RECORDS_MAX);
    const mx = await resolver.mx("wide.test");
    assert.ok(mx.type === "found" && mx.records.length === RECORDS_MAX);
    assert.deepEqual(mx.records[0], { exchange: "mx149.test", preference: 51 });
    assert.ok(mx.records.every(({ preference }) => preference <= 150));
  });

  it("is bounded for the resolver that shows DNSSEC too", async (t) => {
    const resolver = createSecureResolver({ servers: [await addressOf(t)], trustAd: false });
    for (const answer of [
      await resolver.a("wide.test"),
      await resolver.mx("wide.test"),
      await resolver.tlsa("wide.test"),
    ]) {
      assert.ok(answer.type === "found" && answer.records.length === RECORDS_MAX);
      assert.equal(answer.omitted?.furtherRecords, ADDRESSES.length - RECORDS_MAX);
    }
  });
});

describe("bounds", () => {
  it("leave an ordinary answer as it is", () => {
    assert.deepEqual(boundTexts([{ octets: 11 }]), { records: [{ octets: 11 }] });
    assert.deepEqual(boundMx([{ preference: 20 }, { preference: 0 }]), {
      records: [{ preference: 20 }, { preference: 0 }],
    });
  });
});
