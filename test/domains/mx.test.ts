import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMx } from "../../src/domains/mx.ts";
import { applyResult, initialChecks } from "../../src/domains/verification-state.ts";
import { isWarned } from "../../src/spool/port/domains.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, PUBLIC_IP4, sampleDomain } from "./sample.ts";

const check = (zone: FakeZone) => checkMx(sampleDomain(), contextOf(zone));
/** The check of an MX record for mx.example.net, which has these records. */
const hostWith = (records: FakeZone[string], more: FakeZone = {}) =>
  check({ "example.com": { MX: ["10 mx.example.net"] }, "mx.example.net": records, ...more });

test("accepts any MX whose host has a public address, and expects it", async () => {
  for (const records of [{ A: [PUBLIC_IP4] }, { AAAA: ["2001:500:2::c"] }, { A: ["10.0.0.1", PUBLIC_IP4] }]) {
    const result = await hostWith(records);
    assert.equal(result.state, "verified");
    assert.deepEqual([result.found, result.expected], [["10 mx.example.net"], "10 mx.example.net"]);
    assert.deepEqual(result.warnings, []);
  }
});

test("rejects a single null MX, and ignores it beside another MX", async () => {
  const result = await check({ "example.com": { MX: ["0 ."] } });
  assert.equal(result.state, "failed");
  assert.match(result.detail, /null MX.*accepts no mail.*Replies and bounces cannot reach you.*RFC 7505 §4\.2/);
  assert.deepEqual(result.found, ["0 ."]);
  const zone: FakeZone = { "example.com": { MX: ["0 .", "10 mail.example.com"] } };
  zone["mail.example.com"] = { A: [PUBLIC_IP4] };
  const beside = await check(zone);
  assert.deepEqual([beside.state, beside.warnings], ["verified", []]);
});

test("rejects a domain without MX; an A record does not replace it", async () => {
  const result = await check({ "example.com": { A: ["192.0.2.1"] } });
  assert.equal(result.state, "failed");
  assert.match(result.detail, /no MX record\. An A or AAAA record does not replace it/);
});

test("reports NXDOMAIN as a domain that does not exist", async () => {
  const result = await check({});
  assert.equal(result.state, "failed");
  assert.match(result.detail, /does not exist/);
});

const UNREACHABLE: [string, FakeZone[string], RegExp][] = [
  ["without an address", { TXT: ["x"] }, /mx\.example\.net has no address\. Add an A or AAAA record/],
  ["loopback", { A: ["127.0.0.1"] }, /127\.0\.0\.1 \(loopback\), which other networks cannot reach/],
  ["private", { A: ["192.168.1.2", "10.0.0.1"] }, /192\.168\.1\.2 \(private\)/],
  ["IPv6 loopback", { AAAA: ["::1"] }, /::1 \(loopback\)/],
  ["unique local", { AAAA: ["fd00::1"] }, /fd00::1 \(private\)/],
  ["an alias of a private host", { CNAME: ["in.example.net"] }, /10\.0\.0\.9 \(private\)/],
  ["an alias that leads nowhere", { CNAME: ["gone.example.net"] }, /mx\.example\.net does not exist/],
];

test("warns of an unreachable host: verified with a warning", async () => {
  for (const [name, records, sentence] of UNREACHABLE) {
    const result = await hostWith(records, { "in.example.net": { A: ["10.0.0.9"] } });
    assert.equal(result.state, "verified", name);
    assert.match(result.warnings?.join(" ") ?? "", sentence, name);
    assert.match(result.warnings?.join(" ") ?? "", /Replies and bounces do not arrive\./, name);
    for (const warning of result.warnings ?? []) assert.ok(result.detail.includes(warning), name);
    assert.equal(isWarned(applyResult(initialChecks().mx, result, 0)), true, name);
  }
  const absent = await check({ "example.com": { MX: ["10 mx.example.net"] } });
  assert.match(absent.warnings?.join() ?? "", /mx\.example\.net does not exist in the DNS/);
  const itself = await check({ "example.com": { MX: ["10 localhost"] } });
  assert.match(itself.warnings?.join() ?? "", /localhost names every host itself/);
});

test("does not warn of a private host where private addresses are allowed", async () => {
  const zone: FakeZone = { "example.com": { MX: ["10 mx.example.net"] }, "mx.example.net": { A: ["10.0.0.1"] } };
  const result = await checkMx(sampleDomain(), { ...contextOf(zone), allowPrivate: true });
  assert.deepEqual([result.state, result.warnings], ["verified", []]);
});

test("warns of an alias and names its target", async () => {
  const result = await hostWith({ CNAME: ["real.example.net"] }, { "real.example.net": { A: [PUBLIC_IP4] } });
  assert.equal(result.state, "verified");
  assert.match(
    result.warnings?.join() ?? "",
    /alias \(CNAME\) of real\.example\.net.*Put real\.example\.net into the MX/,
  );
  assert.doesNotMatch(result.detail, /do not arrive/);
  const repaired = { "example.com": { MX: [result.expected] }, "real.example.net": { A: [PUBLIC_IP4] } };
  assert.deepEqual((await check(repaired)).warnings, []);
});

test("warns of one unreachable host among several", async () => {
  const result = await check({
    "example.com": { MX: ["10 a.example.net", "20 b.example.net"] },
    "a.example.net": { A: ["10.0.0.1"] },
    "b.example.net": { A: [PUBLIC_IP4] },
  });
  assert.match(
    result.warnings?.join(" ") ?? "",
    /a\.example\.net has the address 10\.0\.0\.1.*The other hosts are reachable/,
  );
  assert.doesNotMatch(result.detail, /do not arrive/);
});

test("does not warn where lookups of a host fail", async () => {
  for (const records of [
    { A: { failure: "ETIMEOUT" } },
    { AAAA: { failure: "ESERVFAIL" } },
    { A: ["10.0.0.1"], AAAA: { failure: "ETIMEOUT" } },
  ]) {
    assert.deepEqual((await hostWith(records)).warnings, []);
  }
});

test("rejects an IP address as exchange; warns of it beside a host", async () => {
  const result = await check({ "example.com": { MX: ["10 192.0.2.1"] } });
  assert.equal(result.state, "failed");
  assert.match(result.detail, /names the IP address 192\.0\.2\.1/);
  const mixed = await check({
    "example.com": { MX: ["10 192.0.2.1", "20 m.example.com"] },
    "m.example.com": { A: [PUBLIC_IP4] },
  });
  assert.equal(mixed.state, "verified");
  assert.match(mixed.warnings?.join() ?? "", /names the IP address/);
  assert.equal(mixed.expected, "20 m.example.com");
});

test("finds a record at a wrong name, and shows both names", async () => {
  const result = await check({ "example.com.example.com": { MX: ["10 mx.example.net"] } });
  assert.equal(result.state, "failed");
  assert.match(result.detail, /is at example\.com\.example\.com instead of example\.com: .*Enter “@”, or nothing, as/);
  assert.deepEqual([result.expected, result.foundAt], ["10 mx.example.net", "example.com.example.com"]);
});

test("reports a failed lookup as temporary", async () => {
  assert.equal((await check({ "example.com": { MX: { failure: "ESERVFAIL" } } })).state, "temporary_failure");
});
