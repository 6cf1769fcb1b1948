import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMx } from "../../src/domains/mx.ts";
import { applyCheck, initialChecks } from "../../src/domains/standing.ts";
import { isWarned } from "../../src/spool/port/domains.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, PUBLIC_IP4, sampleDomain } from "./sample.ts";

const check = (zone: FakeZone) => checkMx(sampleDomain(), contextOf(zone));
/** The check of an MX record for mx.example.net, which has these records. */
const hostWith = (records: FakeZone[string], more: FakeZone = {}) =>
  check({ "example.com": { MX: ["10 mx.example.net"] }, "mx.example.net": records, ...more });

test("any MX whose host has a public address is fine, and is what is expected", async () => {
  for (const records of [{ A: [PUBLIC_IP4] }, { AAAA: ["2001:500:2::c"] }, { A: ["10.0.0.1", PUBLIC_IP4] }]) {
    const seen = await hostWith(records);
    assert.equal(seen.state, "verified");
    assert.deepEqual([seen.found, seen.expected], [["10 mx.example.net"], "10 mx.example.net"]);
    assert.deepEqual(seen.warnings, []);
  }
});

test("a null MX fails alone, as a choice that does not go with sending, and is ignored beside another", async () => {
  const seen = await check({ "example.com": { MX: ["0 ."] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /null MX.*by choice.*replies and bounces could not reach you.*RFC 7505 §4\.2/);
  assert.deepEqual(seen.found, ["0 ."]);
  const zone: FakeZone = { "example.com": { MX: ["0 .", "10 mail.example.com"] } };
  zone["mail.example.com"] = { A: [PUBLIC_IP4] };
  const beside = await check(zone);
  assert.deepEqual([beside.state, beside.warnings], ["verified", []]);
});

test("no MX fails, and an A record does not count", async () => {
  const seen = await check({ "example.com": { A: ["192.0.2.1"] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /no MX record\. An A or AAAA record does not count/);
});

test("NXDOMAIN says that the domain does not exist", async () => {
  const seen = await check({});
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /does not exist/);
});

const UNREACHABLE: [string, FakeZone[string], RegExp][] = [
  ["without an address", { TXT: ["x"] }, /mx\.example\.net has no address: give it an A or AAAA record/],
  ["loopback", { A: ["127.0.0.1"] }, /127\.0\.0\.1 \(loopback\), which other networks cannot reach/],
  ["private", { A: ["192.168.1.2", "10.0.0.1"] }, /192\.168\.1\.2 \(private\)/],
  ["IPv6 loopback", { AAAA: ["::1"] }, /::1 \(loopback\)/],
  ["unique local", { AAAA: ["fd00::1"] }, /fd00::1 \(private\)/],
  ["an alias of a private host", { CNAME: ["in.example.net"] }, /10\.0\.0\.9 \(private\)/],
  ["an alias that leads nowhere", { CNAME: ["gone.example.net"] }, /mx\.example\.net does not exist/],
];

test("a host that mail cannot reach is a warning: verified, but not green", async () => {
  for (const [name, records, sentence] of UNREACHABLE) {
    const seen = await hostWith(records, { "in.example.net": { A: ["10.0.0.9"] } });
    assert.equal(seen.state, "verified", name);
    assert.match(seen.warnings?.join(" ") ?? "", sentence, name);
    assert.match(seen.warnings?.join(" ") ?? "", /So replies and bounces do not arrive\./, name);
    for (const warning of seen.warnings ?? []) assert.ok(seen.detail.includes(warning), name);
    assert.equal(isWarned(applyCheck(initialChecks().mx, seen, 0)), true, name);
  }
  const absent = await check({ "example.com": { MX: ["10 mx.example.net"] } });
  assert.match(absent.warnings?.join() ?? "", /mx\.example\.net does not exist in the DNS/);
  const itself = await check({ "example.com": { MX: ["10 localhost"] } });
  assert.match(itself.warnings?.join() ?? "", /localhost is every host's own name/);
});

test("a private host is none to warn of where mail may go to private addresses", async () => {
  const zone: FakeZone = { "example.com": { MX: ["10 mx.example.net"] }, "mx.example.net": { A: ["10.0.0.1"] } };
  const seen = await checkMx(sampleDomain(), { ...contextOf(zone), allowPrivate: true });
  assert.deepEqual([seen.state, seen.warnings], ["verified", []]);
});

test("an alias is a warning that names the host to put there", async () => {
  const seen = await hostWith({ CNAME: ["real.example.net"] }, { "real.example.net": { A: [PUBLIC_IP4] } });
  assert.equal(seen.state, "verified");
  assert.match(
    seen.warnings?.join() ?? "",
    /alias \(CNAME\) of real\.example\.net.*put real\.example\.net into the MX/,
  );
  assert.doesNotMatch(seen.detail, /do not arrive/);
  const mended = { "example.com": { MX: [seen.expected] }, "real.example.net": { A: [PUBLIC_IP4] } };
  assert.deepEqual((await check(mended)).warnings, []);
});

test("one of several hosts that cannot be reached is a warning that says so", async () => {
  const seen = await check({
    "example.com": { MX: ["10 a.example.net", "20 b.example.net"] },
    "a.example.net": { A: ["10.0.0.1"] },
    "b.example.net": { A: [PUBLIC_IP4] },
  });
  assert.match(
    seen.warnings?.join(" ") ?? "",
    /a\.example\.net has the address 10\.0\.0\.1.*The other hosts can be reached/,
  );
  assert.doesNotMatch(seen.detail, /do not arrive/);
});

test("trouble about a host proves nothing", async () => {
  for (const records of [
    { A: { trouble: "ETIMEOUT" } },
    { AAAA: { trouble: "ESERVFAIL" } },
    { A: ["10.0.0.1"], AAAA: { trouble: "ETIMEOUT" } },
  ]) {
    assert.deepEqual((await hostWith(records)).warnings, []);
  }
});

test("an IP address as exchange fails; beside a host it is a warning", async () => {
  const seen = await check({ "example.com": { MX: ["10 192.0.2.1"] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /names the IP address 192\.0\.2\.1/);
  const mixed = await check({
    "example.com": { MX: ["10 192.0.2.1", "20 m.example.com"] },
    "m.example.com": { A: [PUBLIC_IP4] },
  });
  assert.equal(mixed.state, "verified");
  assert.match(mixed.warnings?.join() ?? "", /names the IP address/);
  assert.equal(mixed.expected, "20 m.example.com");
});

test("a record at the wrong name is found, with both names", async () => {
  const seen = await check({ "example.com.example.com": { MX: ["10 mx.example.net"] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /stands at example\.com\.example\.com instead of example\.com: .*Type “@”, or nothing, as/);
  assert.deepEqual([seen.expected, seen.foundAt], ["10 mx.example.net", "example.com.example.com"]);
});

test("trouble is temporary", async () => {
  assert.equal((await check({ "example.com": { MX: { trouble: "ESERVFAIL" } } })).state, "temporary_failure");
});
