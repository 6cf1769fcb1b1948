import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDkim } from "../../src/domains/dkim.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, publicKey, sampleDomain } from "./sample.ts";

const domain = sampleDomain();
const key = domain.publicKey;
const place = `${domain.selector}._domainkey.example.com`;
const check = (zone: FakeZone) => checkDkim(domain, contextOf(zone));
const published = (...records: string[]) => check({ [place]: { TXT: records } });

test("accepts our key in every form that receivers read", async () => {
  for (const record of [
    `v=DKIM1; k=rsa; p=${key}`,
    `v=DKIM1;p=${key};`,
    `p=${key}`,
    `k=rsa; p=${key}; n=note`,
    `v=DKIM1; k=rsa; h=sha1:sha256; s=email; p=${key}`,
    `v=DKIM1; s=*; p=${key.slice(0, 100)} ${key.slice(100, 200)}\t${key.slice(200)}`,
  ]) {
    const result = await published(record);
    assert.equal(result.state, "verified", `${record}: ${result.detail}`);
  }
});

test("follows a CNAME to the key", async () => {
  const result = await check({
    [place]: { CNAME: ["k.example.net"] },
    "k.example.net": { TXT: [`v=DKIM1; p=${key}`] },
  });
  assert.equal(result.state, "verified");
});

test("accepts flags and explains them", async () => {
  const testing = await published(`v=DKIM1; t=y; p=${key}`);
  assert.equal(testing.state, "verified");
  assert.match(testing.detail, /t=y/);
  const strict = await published(`v=DKIM1; t=y:s; p=${key}`);
  assert.equal(strict.state, "verified");
  assert.match(strict.detail, /addresses at subdomains .* not covered/);
});

test("explains each fault and shows the record to publish", async () => {
  const faults: [string, RegExp][] = [
    [
      `v=DKIM1; k=rsa; p=${key.slice(0, 230)}`,
      /truncated after 230 of \d+ characters\. The DNS panel cut the value at 255/,
    ],
    [`v=DKIM1; k=rsa; p=${key.slice(0, 120)}`, /truncated after 120 of \d+ characters\. Publish/],
    [`v=DKIM1; k=rsa; p=${publicKey()}`, /is not ours/],
    [`v=DKIM1; k=rsa; p=${key.slice(0, 200)}${key.slice(210)}`, /ours up to character \d+ and then differs/],
    [`v=DKIM1; k=rsa; p=${key}AAAA`, /ours up to character|not ours/],
    [`v=DKIM1; k=rsa; p=${key.slice(0, 200)}?${key.slice(201)}`, /base64/],
    ["v=DKIM1; k=rsa; p=", /empty, which revokes/],
    ["v=DKIM1; k=rsa", /no p= tag/],
    [`v=DKIM1; k=ed25519; p=${key}`, /k=ed25519/],
    [`v=DKIM2; p=${key}`, /v=DKIM2/],
    [`v=dkim1; p=${key}`, /exactly v=DKIM1/],
    [`k=rsa; v=DKIM1; p=${key}`, /must be the first tag/],
    [`v=DKIM1; h=sha1; p=${key}`, /SHA-256/],
    [`v=DKIM1; s=tlsrpt; p=${key}`, /does not allow email/],
    [`"v=DKIM1; k=rsa; p=${key}"`, /contains quotes/],
    [`v=DKIM1\\; k=rsa\\; p=${key}`, /contains backslashes/],
    [`v=DKIM1; p=${key}; p=${key}`, /p= is repeated/],
    [`v=DKIM1; rsa; p=${key}`, /“rsa” does not have the form/],
  ];
  for (const [record, sentence] of faults) {
    const result = await published(record);
    assert.equal(result.state, "failed", record);
    assert.match(result.detail, sentence, record);
    assert.equal(result.expected, `v=DKIM1; k=rsa; p=${key}`);
    assert.ok(result.detail.includes(result.expected));
  }
});

test("rejects several records, with ours among them or not", async () => {
  const result = await published(`v=DKIM1; p=${key}`, `v=DKIM1; p=${publicKey()}`);
  assert.equal(result.state, "failed");
  assert.match(result.detail, /2 TXT records/);
  assert.equal(result.found.length, 2);
});

test("missing record, doubled zone, and failed lookup", async () => {
  const missing = await check({});
  assert.equal(missing.state, "failed");
  assert.match(missing.detail, /no TXT record/);
  const doubled = await check({ [`${place}.example.com`]: { TXT: [`v=DKIM1; p=${key}`] } });
  assert.match(doubled.detail, /appended the zone example\.com automatically\. Enter “pr0badcafe\._domainkey”/);
  assert.equal((await check({ [place]: { TXT: { failure: "ETIMEOUT" } } })).state, "temporary_failure");
});
