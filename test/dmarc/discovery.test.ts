/** Which record applies to a domain, and which of its policies (RFC 9989 §4.10.1). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { discoverPolicy } from "../../src/dmarc/discovery.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";

const DOMAIN = "a.mail.example.com";
/** The domain exists unless the zone has nothing at or below its name. */
const EXISTS: FakeZone = { [DOMAIN]: { MX: ["10 mx.example.com"] } };

async function discover(records: Record<string, string[]>, zone: FakeZone = EXISTS) {
  const published = Object.entries(records).map(([domain, TXT]) => [`_dmarc.${domain}`, { TXT }] as const);
  const resolver = fakeResolver({ ...zone, ...Object.fromEntries(published) });
  const found = await discoverPolicy(DOMAIN, resolver);
  const summary =
    found.type === "found"
      ? `${found.owner} ${found.tag}=${found.requested} ${found.applied ?? "not applied"}`
      : found.type;
  return { summary, asked: resolver.asked };
}

const rows: [rule: string, records: Record<string, string[]>, summary: string, zone?: FakeZone][] = [
  ["the own record", { [DOMAIN]: ["v=DMARC1; p=reject; sp=none"] }, `${DOMAIN} p=reject reject`],
  [
    "the own record before that of the organisation",
    { [DOMAIN]: ["v=DMARC1; p=none"], "example.com": ["v=DMARC1; p=reject; psd=n"] },
    `${DOMAIN} p=none none`,
  ],
  ["sp of the organisation", { "example.com": ["v=DMARC1; p=none; sp=reject"] }, "example.com sp=reject reject"],
  ["p where it has no sp", { "example.com": ["v=DMARC1; p=quarantine"] }, "example.com sp=quarantine quarantine"],
  [
    "sp for a domain that exists",
    { "example.com": ["v=DMARC1; p=none; sp=quarantine; np=reject"] },
    "example.com sp=quarantine quarantine",
  ],
  [
    "np for one that does not",
    { "example.com": ["v=DMARC1; p=none; sp=quarantine; np=reject"] },
    "example.com np=reject reject",
    {},
  ],
  [
    "the organisation's record, not one between",
    { "mail.example.com": ["v=DMARC1; p=reject"], "example.com": ["v=DMARC1; p=none"] },
    "example.com sp=none none",
  ],
  [
    "the record with psd=n, not one above",
    { "mail.example.com": ["v=DMARC1; p=reject; psd=n"], "example.com": ["v=DMARC1; p=none"] },
    "mail.example.com sp=reject reject",
  ],
  [
    "the organisation's record below a public suffix",
    { "example.com": ["v=DMARC1; p=reject"], com: ["v=DMARC1; p=none; psd=y"] },
    "example.com sp=reject reject",
  ],
  [
    "the public suffix's where there is no other",
    { com: ["v=DMARC1; p=none; sp=reject; psd=y"] },
    "com sp=reject reject",
  ],
  ["several records as none", { [DOMAIN]: ["v=DMARC1; p=none", "v=DMARC1; p=reject"] }, "none"],
  [
    "several records as none, and the organisation's",
    { [DOMAIN]: ["v=DMARC1; p=none", "v=DMARC1; p=none"], "example.com": ["v=DMARC1; p=reject"] },
    "example.com sp=reject reject",
  ],
  ["one record beside other texts", { [DOMAIN]: ["v=spf1 -all", "v=DMARC1; p=reject"] }, `${DOMAIN} p=reject reject`],
  ["test mode", { [DOMAIN]: ["v=DMARC1; p=reject; t=y"] }, `${DOMAIN} p=reject quarantine`],
  [
    "test mode of the organisation",
    { "example.com": ["v=DMARC1; p=quarantine; t=y"] },
    "example.com sp=quarantine none",
  ],
  ["a record without a policy and addresses", { [DOMAIN]: ["v=DMARC1"] }, `${DOMAIN} p=none not applied`],
  [
    "a record without a policy and addresses before the organisation's",
    { [DOMAIN]: ["v=DMARC1; p=rejct"], "example.com": ["v=DMARC1; p=reject"] },
    `${DOMAIN} p=none not applied`,
  ],
  ["no record", {}, "none"],
];

for (const [rule, records, summary, zone] of rows) {
  test(`takes ${rule}`, async () => {
    assert.equal((await discover(records, zone)).summary, summary);
  });
}

test("asks no more than it needs: the own record ends the search, and existence matters only for np", async () => {
  assert.equal((await discover({ [DOMAIN]: ["v=DMARC1; p=none; np=reject"] })).asked.length, 1);
  assert.equal((await discover({ "example.com": ["v=DMARC1; p=none; np=reject; psd=n"] })).asked.length, 4);
  assert.equal((await discover({ "example.com": ["v=DMARC1; p=none; psd=n"] })).asked.length, 3);
});

test("a failed query is a failure, not the absence of a record", async () => {
  const zone = { "_dmarc.mail.example.com": { TXT: { failure: "ETIMEOUT" } } };
  const found = await discoverPolicy(DOMAIN, fakeResolver(zone));
  assert.deepEqual(found, { type: "failure", domain: "mail.example.com", code: "ETIMEOUT" });
});
