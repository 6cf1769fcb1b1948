import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOwnership } from "../../src/domains/ownership.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, sampleDomain } from "./sample.ts";

const domain = sampleDomain();
const right = `postrider-verification=${domain.token}`;
const check = (zone: FakeZone, of = domain) => checkOwnership(of, contextOf(zone));

test("finds the token, also among other records and through a CNAME", async () => {
  assert.equal((await check({ "_postrider.example.com": { TXT: ["hello", right] } })).state, "verified");
  const zone = { "_postrider.example.com": { CNAME: ["proof.example.net"] }, "proof.example.net": { TXT: [right] } };
  assert.equal((await check(zone)).state, "verified");
});

test("names a different token, and shows the correct one", async () => {
  const result = await check({ "_postrider.example.com": { TXT: ["postrider-verification=other"] } });
  assert.equal(result.state, "failed");
  assert.match(result.detail, /A different token/);
  assert.ok(result.detail.includes(right));
  assert.deepEqual(result.found, ["postrider-verification=other"]);
  assert.equal(result.expected, right);
});

test("explains a token without prefix, in other case, and an unrelated text", async () => {
  const detail = async (text: string) => (await check({ "_postrider.example.com": { TXT: [text] } })).detail;
  assert.match(await detail(domain.token), /token without its prefix/);
  assert.match(await detail(right.toLowerCase()), /upper and lower case/);
  assert.match(await detail("hello"), /“hello”, which is not a token/);
});

test("explains a doubled zone", async () => {
  const result = await check({ "_postrider.example.com.example.com": { TXT: [right] } });
  assert.equal(result.state, "failed");
  assert.match(result.detail, /appended the zone example\.com .*“_postrider” as the name/);
  assert.deepEqual(result.found, [right]);
});

test("explains a doubled zone of a subdomain, where the panel's zone is the organizational domain", async () => {
  const below = sampleDomain("news.example.com");
  const result = await check({ "_postrider.news.example.com.example.com": { TXT: [right] } }, below);
  assert.match(result.detail, /“_postrider\.news” as the name/);
});

test("finds the token at the apex and at the parent domain", async () => {
  assert.match((await check({ "example.com": { TXT: [right] } })).detail, /at example\.com itself\. Move it/);
  const below = sampleDomain("news.example.com");
  const result = await check({ "_postrider.example.com": { TXT: [right] } }, below);
  assert.equal(result.state, "failed");
  assert.match(result.detail, /Move it to the name _postrider\.news\.example\.com \(“_postrider\.news”/);
});

test("fails for a missing record, not for a failed lookup", async () => {
  const missing = await check({});
  assert.equal(missing.state, "failed");
  assert.match(missing.detail, /no TXT record at _postrider\.example\.com/);
  const failure = await check({ "_postrider.example.com": { TXT: { failure: "ESERVFAIL" } } });
  assert.equal(failure.state, "temporary_failure");
  assert.match(failure.detail, /ESERVFAIL/);
});

test("fails for a missing record although lookups of other names fail", async () => {
  const result = await check({ "example.com": { TXT: { failure: "ETIMEOUT" } } });
  assert.equal(result.state, "failed");
});
