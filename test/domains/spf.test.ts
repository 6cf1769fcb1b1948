import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkSpf } from "../../src/domains/spf.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, IP4, IP6, sampleDomain } from "./sample.ts";

const check = (zone: FakeZone, ips = [IP4]) => checkSpf(sampleDomain(), contextOf(zone, ips));
const published = (...records: string[]): FakeZone => ({ "example.com": { TXT: records } });

describe("a record that authorizes our addresses", () => {
  test("by address, range, host, MX, include and redirect", async () => {
    const zone: FakeZone = {
      "_spf.example.net": { TXT: [`v=spf1 ip4:${IP4} -all`] },
      "mta.example.net": { A: [IP4] },
    };
    for (const terms of [
      `ip4:${IP4}`,
      "ip4:192.0.2.0/24",
      "a:mta.example.net",
      "include:_spf.example.net",
      "redirect=_spf.example.net",
    ]) {
      const result = await check({ ...zone, "example.com": { TXT: ["other=text", `v=spf1 ${terms}`] } });
      assert.equal(result.state, "verified", terms);
      assert.deepEqual(result.found, [`v=spf1 ${terms}`]);
    }
    const byMx = { ...zone, "example.com": { TXT: ["v=spf1 mx -all"], MX: ["10 mta.example.net"] } };
    assert.equal((await check(byMx)).state, "verified");
  });

  test("+all passes, with a warning", async () => {
    const result = await check(published("v=spf1 +all"));
    assert.equal(result.state, "verified");
    assert.match(result.warnings?.join() ?? "", /authorizes every host/);
    assert.equal(result.expected, `v=spf1 ip4:${IP4} ~all`);
  });
});

describe("a missing address", () => {
  test("is inserted before the all if it is missing, IPv6 as ip6", async () => {
    const result = await check(published(`v=spf1 ip4:${IP4} mx -all`), [IP4, IP6]);
    assert.equal(result.state, "failed");
    assert.equal(result.expected, `v=spf1 ip4:${IP4} mx ip6:${IP6} -all`);
    assert.ok(result.detail.includes(result.expected));
    assert.doesNotMatch(result.detail, new RegExp(`authorize ${IP4}`));
  });

  test("is inserted before redirect=, or appended where the record has neither", async () => {
    const zone: FakeZone = {
      "example.com": { TXT: ["v=spf1 redirect=_spf.example.net"] },
      "_spf.example.net": { TXT: ["v=spf1 -all"] },
    };
    assert.equal((await check(zone)).expected, `v=spf1 ip4:${IP4} redirect=_spf.example.net`);
    assert.equal((await check(published("v=spf1 ip4:198.51.100.1"))).expected, `v=spf1 ip4:198.51.100.1 ip4:${IP4}`);
  });

  test("the suggested record passes when it is published", async () => {
    const { expected } = await check(published("v=spf1 ip4:198.51.100.1 ~all"), [IP4, IP6]);
    assert.equal((await check(published(expected), [IP4, IP6])).state, "verified");
  });
});

describe("no usable record", () => {
  test("a missing record: shows the record to add", async () => {
    for (const zone of [{}, published("google-site-verification=x")]) {
      const result = await check(zone);
      assert.equal(result.state, "failed");
      assert.match(result.detail, /has no SPF record\. Add .*v=spf1 ip4:192\.0\.2\.25 ~all/);
    }
  });

  test("repairs misspelled versions, and the repaired record passes", async () => {
    for (const text of [
      "spf1 ip4:198.51.100.1 ~all",
      "v=spf ip4:198.51.100.1 ~all",
      "v=spf2 ip4:198.51.100.1 ~all",
      "v = spf1 ip4:198.51.100.1 ~all",
      "v=spf1; ip4:198.51.100.1 ~all",
      '"v=spf1 ip4:198.51.100.1 ~all"',
      " v=spf1 ip4:198.51.100.1 ~all",
      "v=spf1ip4:198.51.100.1 ~all",
    ]) {
      const result = await check(published(text));
      assert.equal(result.state, "failed", text);
      assert.match(result.detail, /is not an SPF record/, text);
      assert.equal(result.expected, `v=spf1 ip4:198.51.100.1 ip4:${IP4} ~all`, text);
    }
  });

  test("Sender ID is not a misspelled SPF record", async () => {
    assert.match((await check(published("spf2.0/pra ip4:192.0.2.25 ~all"))).detail, /has no SPF record/);
  });

  test("two records are merged into one that passes", async () => {
    const result = await check(published("v=spf1 include:_spf.example.net ~all", `v=spf1 a:x.example.net -all`));
    assert.equal(result.state, "failed");
    assert.match(result.detail, /2 SPF records.*Merge them into one/);
    assert.equal(result.found.length, 2);
    const own = await check(published("v=spf1 ip4:198.51.100.1 -all", "v=spf1 ip4:198.51.100.2 -all"));
    assert.equal(own.expected, `v=spf1 ip4:198.51.100.1 ip4:198.51.100.2 ip4:${IP4} -all`);
    assert.equal((await check(published(own.expected))).state, "verified");
  });

  test("two records: a redirect= becomes an include:, and the strictest all stays", async () => {
    const zone = {
      "example.com": { TXT: ["v=spf1 redirect=a.example.net", "v=spf1 mx -all include:never.example.net"] },
      "a.example.net": { TXT: ["v=spf1 ip4:198.51.100.1 ~all"] },
    };
    const result = await check(zone);
    assert.equal(result.expected, `v=spf1 include:a.example.net mx ip4:${IP4} -all`);
    const beside = await check(published("v=spf1 ~all redirect=a.example.net", "v=spf1 ?all"));
    assert.equal(beside.expected, `v=spf1 ip4:${IP4} ~all`);
  });
});

describe("permanent errors", () => {
  test("a syntax error is named", async () => {
    const result = await check(published("v=spf1 ipv4:192.0.2.25 ~all"));
    assert.equal(result.state, "failed");
    assert.match(result.detail, /Unknown mechanism ipv4/i);
  });

  test("a bad address and a bad range", async () => {
    for (const term of ["ip4:192.0.2.999", "ip4:192.0.2.0/33", "ip4:", "ip6:zzz/12"]) {
      assert.equal((await check(published(`v=spf1 ${term} ~all`))).state, "failed", term);
    }
  });

  test("an include without a record is named", async () => {
    const result = await check(published("v=spf1 include:gone.example.net ~all"));
    assert.equal(result.state, "failed");
    assert.match(result.detail, /gone\.example\.net/);
  });

  test("more than ten lookups are repaired by putting our addresses first", async () => {
    const names = Array.from({ length: 11 }, (_, index) => `s${index}.example.net`);
    const zone: FakeZone = Object.fromEntries(names.map((name) => [name, { TXT: ["v=spf1 -all"] }]));
    zone["example.com"] = { TXT: [`v=spf1 ${names.map((name) => `include:${name}`).join(" ")} ~all`] };
    const result = await check(zone);
    assert.equal(result.state, "failed");
    assert.match(result.detail, /more than ten DNS lookups/);
    zone["example.com"] = { TXT: [result.expected] };
    assert.equal((await check(zone)).state, "verified");
  });

  test("too many void lookups have their own explanation", async () => {
    const result = await check(published("v=spf1 a:x.example.net a:y.example.net a:z.example.net ~all"));
    assert.match(result.detail, /lookups of names without records/);
  });

  test("include loops are shown, direct or through several names", async () => {
    const direct = await check(published("v=spf1 include:example.com ~all"));
    assert.equal(direct.state, "failed");
    assert.match(direct.detail, /includes itself \(example\.com → example\.com\)/);
    const far = await check({
      "example.com": { TXT: ["v=spf1 include:a.example.net ~all"] },
      "a.example.net": { TXT: ["v=spf1 include:b.example.net ~all"] },
      "b.example.net": { TXT: ["v=spf1 include:a.example.net ~all"] },
    });
    assert.match(far.detail, /a\.example\.net → b\.example\.net → a\.example\.net/);
  });

  test("an overlong record counts as absent", async () => {
    const result = await check(published(`v=spf1 a:${"a".repeat(60_000)}! ~all`));
    assert.equal(result.state, "failed");
    assert.match(result.detail, /has no SPF record/);
  });
});

describe("failed lookups and unknown addresses", () => {
  test("a failed lookup of the domain is temporary", async () => {
    for (const failure of ["ESERVFAIL", "ETIMEOUT", "EREFUSED"]) {
      assert.equal((await check({ "example.com": { TXT: { failure } } })).state, "temporary_failure");
    }
  });

  test("a failed lookup inside an include or a mechanism is temporary, for every code", async () => {
    for (const failure of ["ESERVFAIL", "ETIMEOUT", "EREFUSED", "CNAME_LOOP"]) {
      for (const term of ["include:x.example.net", "a:x.example.net", "mx:x.example.net", "redirect=x.example.net"]) {
        const zone: FakeZone = {
          "example.com": { TXT: [`v=spf1 ${term}${term.startsWith("redirect") ? "" : " ~all"}`] },
          "x.example.net": { TXT: { failure }, A: { failure }, MX: { failure } },
        };
        const result = await check(zone);
        assert.equal(result.state, "temporary_failure", `${failure} ${term}`);
      }
    }
  });

  test("a failed lookup after a match is ignored", async () => {
    const zone: FakeZone = {
      "example.com": { TXT: [`v=spf1 ip4:${IP4} include:x.example.net ~all`] },
      "x.example.net": { TXT: { failure: "ESERVFAIL" } },
    };
    assert.equal((await check(zone)).state, "verified");
  });

  test("without a sending address the check is pending and names the setting", async () => {
    const result = await check(published("v=spf1 -all"), []);
    assert.equal(result.state, "pending");
    assert.match(result.detail, /SENDING_IPS/);
    assert.deepEqual(result.found, ["v=spf1 -all"]);
  });
});
