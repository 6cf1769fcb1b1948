import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkReturnPathSpf } from "../../src/domains/return-path-spf.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, goodZone, IP4, IP6, sampleDomain } from "./sample.ts";

const AT = "bounces.example.com";
const WANTED = `v=spf1 ip4:${IP4} -all`;

const check = (zone: FakeZone, ips = [IP4]) =>
  checkReturnPathSpf(sampleDomain(), contextOf({ ...goodZone(), ...zone }, ips));
const published = (...records: string[]): FakeZone => ({ [AT]: { TXT: records } });

describe("the SPF record of a return path", () => {
  test("is verified if it authorizes every sending address, also by the record of the domain", async () => {
    for (const record of [WANTED, "v=spf1 include:example.com -all", "v=spf1 redirect=example.com"]) {
      const result = await check(published("other", record));
      assert.deepEqual([result.state, result.found, result.expected], ["verified", [record], record], result.detail);
    }
  });

  test("that is missing is not taken from the domain, and is shown with the record to add", async () => {
    for (const zone of [{}, published("google-site-verification=x")]) {
      const result = await check(zone);
      assert.deepEqual([result.state, result.expected, result.foundAt], ["failed", WANTED, undefined]);
      assert.match(result.detail, /^bounces\.example\.com has no SPF record\. Add .*v=spf1 ip4:192\.0\.2\.25 -all\.$/);
    }
  });

  test("that lacks an address or has a fault is explained with the record that passes", async () => {
    const faults: [string, RegExp][] = [
      [`v=spf1 ip4:${IP4} -all`, /does not authorize 2001:db8::25/],
      ["v=spf1 ip4:198.51.100.1 -all", /does not authorize 192\.0\.2\.25 and 2001:db8::25/],
      [`v=spf1 ipv4:${IP4} -all`, /syntax error at “ipv4:192\.0\.2\.25”/],
      [`spf1 ip4:${IP4} -all`, /is not an SPF record/],
    ];
    for (const [record, detail] of faults) {
      const result = await check(published(record), [IP4, IP6]);
      assert.equal(result.state, "failed", record);
      assert.match(result.detail, detail);
      const mended = await check(published(result.expected), [IP4, IP6]);
      assert.equal(mended.state, "verified", mended.detail);
    }
  });

  test("of several is a fault, and they are merged", async () => {
    const result = await check(published("v=spf1 a:mail.example.com -all", WANTED));
    assert.match(result.detail, /bounces\.example\.com has 2 SPF records/);
    assert.equal((await check(published(result.expected))).state, "verified");
  });

  test("at a name with the zone appended twice is found there", async () => {
    const result = await check({ "bounces.example.com.example.com": { TXT: [WANTED] } });
    assert.deepEqual([result.state, result.foundAt], ["failed", "bounces.example.com.example.com"]);
  });

  test("cannot stand beside a CNAME record, unless the alias has a good one", async () => {
    const alias = { [AT]: { CNAME: ["u1.other.example"] } };
    for (const texts of [[], ["v=spf1 ip4:198.51.100.1 -all"]]) {
      const result = await check({ ...alias, "u1.other.example": { TXT: texts } });
      assert.deepEqual([result.state, result.expected], ["failed", WANTED]);
      assert.match(result.detail, /is an alias \(CNAME\) of u1\.other\.example, .* Then add a TXT record at bounces/);
    }
    assert.equal((await check({ ...alias, "u1.other.example": { TXT: [WANTED] } })).state, "verified");
  });

  test("that cannot be looked up is no fault, nor one while no sending address is known", async () => {
    assert.equal((await check({ [AT]: { TXT: { failure: "ETIMEOUT" } } })).state, "temporary_failure");
    assert.equal((await check(published(WANTED), [])).state, "pending");
  });
});
