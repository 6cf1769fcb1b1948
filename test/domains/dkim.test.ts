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

test("our key verifies in every form that receivers read", async () => {
  for (const record of [
    `v=DKIM1; k=rsa; p=${key}`,
    `v=DKIM1;p=${key};`,
    `p=${key}`,
    `k=rsa; p=${key}; n=note`,
    `v=DKIM1; k=rsa; h=sha1:sha256; s=email; p=${key}`,
    `v=DKIM1; s=*; p=${key.slice(0, 100)} ${key.slice(100, 200)}\t${key.slice(200)}`,
  ]) {
    const seen = await published(record);
    assert.equal(seen.state, "verified", `${record}: ${seen.detail}`);
  }
});

test("a CNAME to the key counts", async () => {
  const seen = await check({ [place]: { CNAME: ["k.example.net"] }, "k.example.net": { TXT: [`v=DKIM1; p=${key}`] } });
  assert.equal(seen.state, "verified");
});

test("flags verify with a note", async () => {
  const testing = await published(`v=DKIM1; t=y; p=${key}`);
  assert.equal(testing.state, "verified");
  assert.match(testing.detail, /t=y/);
  const strict = await published(`v=DKIM1; t=y:s; p=${key}`);
  assert.equal(strict.state, "verified");
  assert.match(strict.detail, /addresses below it .* not covered/);
});

test("each fault has its sentence and the record to publish", async () => {
  const faults: [string, RegExp][] = [
    [
      `v=DKIM1; k=rsa; p=${key.slice(0, 230)}`,
      /cut off after 230 of \d+ characters\. The DNS panel cut the value at 255/,
    ],
    [`v=DKIM1; k=rsa; p=${key.slice(0, 120)}`, /cut off after 120 of \d+ characters\. Publish/],
    [`v=DKIM1; k=rsa; p=${publicKey()}`, /another one than ours/],
    [`v=DKIM1; k=rsa; p=${key.slice(0, 200)}${key.slice(210)}`, /ours up to character \d+ and differs/],
    [`v=DKIM1; k=rsa; p=${key}AAAA`, /ours up to character|another/],
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
    [`v=DKIM1; p=${key}; p=${key}`, /p= is there twice/],
    [`v=DKIM1; rsa; p=${key}`, /“rsa” is not of the form/],
  ];
  for (const [record, sentence] of faults) {
    const seen = await published(record);
    assert.equal(seen.state, "failed", record);
    assert.match(seen.detail, sentence, record);
    assert.equal(seen.expected, `v=DKIM1; k=rsa; p=${key}`);
    assert.ok(seen.detail.includes(seen.expected));
  }
});

test("several records fail, ours among them or not", async () => {
  const seen = await published(`v=DKIM1; p=${key}`, `v=DKIM1; p=${publicKey()}`);
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /2 TXT records/);
  assert.equal(seen.found.length, 2);
});

test("missing, doubled zone and trouble", async () => {
  const missing = await check({});
  assert.equal(missing.state, "failed");
  assert.match(missing.detail, /no TXT record/);
  const doubled = await check({ [`${place}.example.com`]: { TXT: [`v=DKIM1; p=${key}`] } });
  assert.match(doubled.detail, /appended the zone example\.com by itself\. Type “pr0badcafe\._domainkey”/);
  assert.equal((await check({ [place]: { TXT: { trouble: "ETIMEOUT" } } })).state, "temporary_failure");
});
