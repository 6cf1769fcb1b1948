/** The record that a check suggests passes the check, whatever the zone publishes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ownershipRecord, spfRecord } from "../../src/domains/records.ts";
import { checkSpf } from "../../src/domains/spf.ts";
import { mutated, seeded } from "./mutations.ts";
import { contextOf, goodZone, IP4, IP6 } from "./sample.ts";
import { CHECKS, domain, NAMES, suggest } from "./suggestions.ts";

const RUA = "rua=mailto:Dmarc@Example.com";

describe("with arbitrary DNS content", () => {
  for (const check of Object.keys(CHECKS)) {
    test(`${check}: the suggested record passes`, async () => {
      const random = seeded(7);
      for (let round = 0; round < 300; round += 1) {
        const zone = Object.fromEntries(
          Object.entries(goodZone()).map(([name, records]) => [name, mutated(records, random)] as const),
        );
        await suggest(check, zone);
      }
    });
  }
});

describe("a record at a wrong name", () => {
  const RIGHT: Record<string, string> = {
    ownership: ownershipRecord(domain).value,
    spf: `v=spf1 mx ip4:${IP4} ip6:${IP6} -all`,
    dkim: `v=DKIM1; k=rsa; t=s; p=${domain.publicKey}`,
    dmarc: `v=DMARC1; p=reject; ${RUA}`,
  };
  const selector = domain.selector;
  const PLACES: Record<string, string[]> = {
    ownership: ["_postrider.example.com.example.com", "example.com", "postrider.example.com"],
    spf: ["example.com.example.com", "_spf.example.com", "spf.example.com"],
    dkim: [
      `${selector}._domainkey.example.com.example.com`,
      `${selector}.example.com`,
      "default._domainkey.example.com",
    ],
    dmarc: ["_dmarc.example.com.example.com", "example.com", "dmarc.example.com"],
  };

  test("is suggested unchanged, with its present and its correct name", async () => {
    for (const [check, places] of Object.entries(PLACES)) {
      for (const place of places) {
        const value = RIGHT[check] ?? "";
        const result = await suggest(check, { [place]: { TXT: [value] } });
        assert.deepEqual(
          [result.state, result.expected, result.found, result.foundAt],
          ["failed", value, [value], place],
        );
        assert.ok(
          result.detail.includes(`is at ${place}`) && result.detail.includes(NAMES[check] ?? ""),
          result.detail,
        );
      }
    }
  });

  test("is repaired if it is also faulty", async () => {
    const result = await suggest("dmarc", { "_dmarc.example.com.example.com": { TXT: ["v=DMARC1; p=rejct"] } });
    assert.equal(result.expected, "v=DMARC1; p=reject");
  });

  test("is ignored where a wildcard publishes the same text everywhere", async () => {
    const zone = {
      "_spf.example.com": { TXT: ["v=spf1 -all"] },
      "_postrider-unused.example.com": { TXT: ["v=spf1 -all"] },
    };
    const result = await checkSpf(domain, contextOf(zone));
    assert.equal(result.foundAt, undefined);
    assert.equal(result.expected, spfRecord(domain, contextOf(zone)).value);
  });
});

test("a verified check expects the published record", async () => {
  const zone = goodZone();
  zone["example.com"] = { ...zone["example.com"], TXT: [`v=spf1 mx ip4:${IP4} -all`] };
  zone["_dmarc.example.com"] = { TXT: [`v=DMARC1; p=reject; ${RUA}`] };
  for (const [check, run] of Object.entries(CHECKS)) {
    const result = await run(domain, contextOf(zone));
    assert.equal(result.state, "verified");
    assert.ok(result.found.includes(result.expected), check);
  }
});
