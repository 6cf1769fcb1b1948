import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkSpf } from "../../src/domains/spf.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, IP4, IP6, sampleDomain } from "./sample.ts";

const check = (zone: FakeZone, ips = [IP4]) => checkSpf(sampleDomain(), contextOf(zone, ips));
const published = (...records: string[]): FakeZone => ({ "example.com": { TXT: records } });

describe("a record that lets us send", () => {
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
      const seen = await check({ ...zone, "example.com": { TXT: ["other=text", `v=spf1 ${terms}`] } });
      assert.equal(seen.state, "verified", terms);
      assert.deepEqual(seen.found, [`v=spf1 ${terms}`]);
    }
    const byMx = { ...zone, "example.com": { TXT: ["v=spf1 mx -all"], MX: ["10 mta.example.net"] } };
    assert.equal((await check(byMx)).state, "verified");
  });

  test("+all passes, with a warning", async () => {
    const seen = await check(published("v=spf1 +all"));
    assert.equal(seen.state, "verified");
    assert.match(seen.warnings?.join() ?? "", /lets everybody send/);
    assert.equal(seen.expected, `v=spf1 ip4:${IP4} ~all`);
  });
});

describe("a missing address", () => {
  test("is inserted before the all, IPv6 as ip6, only those that are missing", async () => {
    const seen = await check(published(`v=spf1 ip4:${IP4} mx -all`), [IP4, IP6]);
    assert.equal(seen.state, "failed");
    assert.equal(seen.expected, `v=spf1 ip4:${IP4} mx ip6:${IP6} -all`);
    assert.ok(seen.detail.includes(seen.expected));
    assert.doesNotMatch(seen.detail, new RegExp(`let ${IP4}`));
  });

  test("goes before redirect=, and at the end where neither is", async () => {
    const zone: FakeZone = {
      "example.com": { TXT: ["v=spf1 redirect=_spf.example.net"] },
      "_spf.example.net": { TXT: ["v=spf1 -all"] },
    };
    assert.equal((await check(zone)).expected, `v=spf1 ip4:${IP4} redirect=_spf.example.net`);
    assert.equal((await check(published("v=spf1 ip4:198.51.100.1"))).expected, `v=spf1 ip4:198.51.100.1 ip4:${IP4}`);
  });

  test("the record proposed passes when it is published", async () => {
    const { expected } = await check(published("v=spf1 ip4:198.51.100.1 ~all"), [IP4, IP6]);
    assert.equal((await check(published(expected), [IP4, IP6])).state, "verified");
  });
});

describe("no usable record", () => {
  test("missing: the record to add", async () => {
    for (const zone of [{}, published("google-site-verification=x")]) {
      const seen = await check(zone);
      assert.equal(seen.state, "failed");
      assert.match(seen.detail, /has no SPF record\. Add .*v=spf1 ip4:192\.0\.2\.25 ~all/);
    }
  });

  test("misspelt beginnings are recognised and mended, and the mended record passes", async () => {
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
      const seen = await check(published(text));
      assert.equal(seen.state, "failed", text);
      assert.match(seen.detail, /is no SPF record/, text);
      assert.equal(seen.expected, `v=spf1 ip4:198.51.100.1 ip4:${IP4} ~all`, text);
    }
  });

  test("Sender ID is not a misspelt SPF record", async () => {
    assert.match((await check(published("spf2.0/pra ip4:192.0.2.25 ~all"))).detail, /has no SPF record/);
  });

  test("two records: merged into one that passes", async () => {
    const seen = await check(published("v=spf1 include:_spf.example.net ~all", `v=spf1 a:x.example.net -all`));
    assert.equal(seen.state, "failed");
    assert.match(seen.detail, /2 SPF records.*Merge them into one/);
    assert.equal(seen.found.length, 2);
    const own = await check(published("v=spf1 ip4:198.51.100.1 -all", "v=spf1 ip4:198.51.100.2 -all"));
    assert.equal(own.expected, `v=spf1 ip4:198.51.100.1 ip4:198.51.100.2 ip4:${IP4} -all`);
    assert.equal((await check(published(own.expected))).state, "verified");
  });

  test("two records: a redirect= becomes an include:, and the strictest all stays", async () => {
    const zone = {
      "example.com": { TXT: ["v=spf1 redirect=a.example.net", "v=spf1 mx -all include:never.example.net"] },
      "a.example.net": { TXT: ["v=spf1 ip4:198.51.100.1 ~all"] },
    };
    const seen = await check(zone);
    assert.equal(seen.expected, `v=spf1 include:a.example.net mx ip4:${IP4} -all`);
    const beside = await check(published("v=spf1 ~all redirect=a.example.net", "v=spf1 ?all"));
    assert.equal(beside.expected, `v=spf1 ip4:${IP4} ~all`);
  });
});

describe("permanent errors", () => {
  test("a syntax error is named", async () => {
    const seen = await check(published("v=spf1 ipv4:192.0.2.25 ~all"));
    assert.equal(seen.state, "failed");
    assert.match(seen.detail, /Unknown mechanism ipv4/i);
  });

  test("a bad address and a bad range", async () => {
    for (const term of ["ip4:192.0.2.999", "ip4:192.0.2.0/33", "ip4:", "ip6:zzz/12"]) {
      assert.equal((await check(published(`v=spf1 ${term} ~all`))).state, "failed", term);
    }
  });

  test("an include without a record is named", async () => {
    const seen = await check(published("v=spf1 include:gone.example.net ~all"));
    assert.equal(seen.state, "failed");
    assert.match(seen.detail, /gone\.example\.net/);
  });

  test("more than ten look-ups; our addresses in front mend it", async () => {
    const names = Array.from({ length: 11 }, (_, index) => `s${index}.example.net`);
    const zone: FakeZone = Object.fromEntries(names.map((name) => [name, { TXT: ["v=spf1 -all"] }]));
    zone["example.com"] = { TXT: [`v=spf1 ${names.map((name) => `include:${name}`).join(" ")} ~all`] };
    const seen = await check(zone);
    assert.equal(seen.state, "failed");
    assert.match(seen.detail, /more than ten DNS look-ups/);
    zone["example.com"] = { TXT: [seen.expected] };
    assert.equal((await check(zone)).state, "verified");
  });

  test("too many void look-ups have their own words", async () => {
    const seen = await check(published("v=spf1 a:x.example.net a:y.example.net a:z.example.net ~all"));
    assert.match(seen.detail, /look-ups of names that have no records/);
  });

  test("include loops are shown, direct and over several names", async () => {
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

  test("an over-long record fails without being evaluated", async () => {
    const seen = await check(published(`v=spf1 a:${"a".repeat(60_000)}! ~all`));
    assert.equal(seen.state, "failed");
    assert.match(seen.detail, /longer than 4096/);
  });
});

describe("trouble and ignorance", () => {
  test("trouble at the domain is temporary", async () => {
    for (const trouble of ["ESERVFAIL", "ETIMEOUT", "EREFUSED"]) {
      assert.equal((await check({ "example.com": { TXT: { trouble } } })).state, "temporary_failure");
    }
  });

  test("trouble inside an include or a mechanism is temporary, whatever its code", async () => {
    for (const trouble of ["ESERVFAIL", "ETIMEOUT", "EREFUSED", "CNAME_LOOP"]) {
      for (const term of ["include:x.example.net", "a:x.example.net", "mx:x.example.net", "redirect=x.example.net"]) {
        const zone: FakeZone = {
          "example.com": { TXT: [`v=spf1 ${term}${term.startsWith("redirect") ? "" : " ~all"}`] },
          "x.example.net": { TXT: { trouble }, A: { trouble }, MX: { trouble } },
        };
        const seen = await check(zone);
        assert.equal(seen.state, "temporary_failure", `${trouble} ${term}`);
      }
    }
  });

  test("trouble behind a match does not matter", async () => {
    const zone: FakeZone = {
      "example.com": { TXT: [`v=spf1 ip4:${IP4} include:x.example.net ~all`] },
      "x.example.net": { TXT: { trouble: "ESERVFAIL" } },
    };
    assert.equal((await check(zone)).state, "verified");
  });

  test("without a sending address the check waits and says what to set", async () => {
    const seen = await check(published("v=spf1 -all"), []);
    assert.equal(seen.state, "pending");
    assert.match(seen.detail, /SENDING_IPS/);
    assert.deepEqual(seen.found, ["v=spf1 -all"]);
  });
});
