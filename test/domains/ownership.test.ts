import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOwnership } from "../../src/domains/ownership.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, sampleDomain } from "./sample.ts";

const domain = sampleDomain();
const right = `postrider-verification=${domain.token}`;
const check = (zone: FakeZone, of = domain) => checkOwnership(of, contextOf(zone));

test("the token is found, also among other records and through a CNAME", async () => {
  assert.equal((await check({ "_postrider.example.com": { TXT: ["hello", right] } })).state, "verified");
  const zone = { "_postrider.example.com": { CNAME: ["proof.example.net"] }, "proof.example.net": { TXT: [right] } };
  assert.equal((await check(zone)).state, "verified");
});

test("another token is named as such, and the right one given", async () => {
  const seen = await check({ "_postrider.example.com": { TXT: ["postrider-verification=other"] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /Another token/);
  assert.ok(seen.detail.includes(right));
  assert.deepEqual(seen.found, ["postrider-verification=other"]);
  assert.equal(seen.expected, right);
});

test("a bare token, other capitals and an unrelated text each have their sentence", async () => {
  const detail = async (text: string) => (await check({ "_postrider.example.com": { TXT: [text] } })).detail;
  assert.match(await detail(domain.token), /bare token/);
  assert.match(await detail(right.toLowerCase()), /other capitals/);
  assert.match(await detail("hello"), /“hello”, which is no token/);
});

test("a doubled zone says what to type instead", async () => {
  const seen = await check({ "_postrider.example.com.example.com": { TXT: [right] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /appended the zone example\.com .*“_postrider” as the name/);
  assert.deepEqual(seen.found, [right]);
});

test("a doubled zone below a subdomain, where the panel's zone is the organisation's", async () => {
  const below = sampleDomain("news.example.com");
  const seen = await check({ "_postrider.news.example.com.example.com": { TXT: [right] } }, below);
  assert.match(seen.detail, /“_postrider\.news” as the name/);
});

test("at the apex, and at the parent, it is to be moved", async () => {
  assert.match((await check({ "example.com": { TXT: [right] } })).detail, /at example\.com itself: move it/);
  const below = sampleDomain("news.example.com");
  const seen = await check({ "_postrider.example.com": { TXT: [right] } }, below);
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /move it to the name _postrider\.news\.example\.com \(“_postrider\.news”/);
});

test("missing is a failure, trouble is not", async () => {
  const missing = await check({});
  assert.equal(missing.state, "failed");
  assert.match(missing.detail, /no TXT record at _postrider\.example\.com/);
  const trouble = await check({ "_postrider.example.com": { TXT: { trouble: "ESERVFAIL" } } });
  assert.equal(trouble.state, "temporary_failure");
  assert.match(trouble.detail, /ESERVFAIL/);
});

test("trouble in a wrong place does not soften a missing record", async () => {
  const seen = await check({ "example.com": { TXT: { trouble: "ETIMEOUT" } } });
  assert.equal(seen.state, "failed");
});
