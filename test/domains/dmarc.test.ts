import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDmarc } from "../../src/domains/dmarc.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, sampleDomain } from "./sample.ts";

const check = (zone: FakeZone, name = "example.com") => checkDmarc(sampleDomain(name), contextOf(zone));
const published = (...records: string[]) => check({ "_dmarc.example.com": { TXT: records } });

test("accepts valid records, with the case and spacing that the RFC allows", async () => {
  for (const record of [
    "v=DMARC1; p=none",
    "v=DMARC1;p=reject;",
    "V = DMARC1 ; P = Quarantine ; pct=0",
    "v=DMARC1; p=none; sp=reject; adkim=r; aspf=s; pct=100; rua=mailto:d@example.com; fo=1; ri=86400",
  ]) {
    const result = await published("unrelated", record);
    assert.equal(result.state, "verified", `${record}: ${result.detail}`);
    assert.deepEqual(result.found, [record]);
  }
});

test("explains each fault, with the closest valid word", async () => {
  const faults: [string, RegExp][] = [
    ["v=DMARC1; p=rejct", /p=rejct .*write p=reject/],
    ["v=DMARC1; p=quarentine", /write p=quarantine/],
    ["v=DMARC1; p=block", /none, quarantine or reject/],
    ["v=DMARC1; p=", /p= is not a valid value/],
    ["v=DMARC1", /no p= tag/],
    ["v=DMARC1; policy=none", /“policy=” is not a DMARC tag: write “p=”/],
    ["v=DMARC1; rua=mailto:a@b.c; p=none", /must be the second tag/],
    ["v=DMARC1; p=none; sp=rejekt", /sp=rejekt .*write sp=reject/],
    ["v=DMARC1; p=none; adkim=strict", /write adkim=s/],
    ["v=DMARC1; p=none; aspf=x", /must be r or s/],
    ["v=DMARC1; p=none; pct=101", /0 to 100/],
    ["v=DMARC1; p=none; pct=half", /0 to 100/],
    ["v=DMARC1; p=none; p=reject", /p= is repeated/],
    ["v=DMARC1; none", /does not have the form tag=value/],
    ["v=dmarc1; p=none", /does not begin with exactly “v=DMARC1;”/],
    ["v=DMARC; p=none", /does not begin with/],
    ["DMARC1; p=none", /does not begin with/],
    ["v=DMARC1 p=none", /no semicolon after v=DMARC1/],
    ['"v=DMARC1; p=none"', /quotes/],
    ["v=DMARC1\\; p=none", /backslashes/],
    [" v=DMARC1; p=none", /begins with a space/],
  ];
  for (const [record, sentence] of faults) {
    const result = await published(record);
    assert.equal(result.state, "failed", record);
    assert.match(result.detail, sentence, record);
    assert.deepEqual(result.found, [record]);
    assert.ok(result.detail.endsWith(`Change it to: ${result.expected}`), record);
  }
});

test("warns of tags that receivers ignore in a valid record, and repairs them", async () => {
  const result = await published("v=DMARC1; p=none; adkin=s");
  assert.equal(result.state, "verified");
  assert.match(result.warnings?.join() ?? "", /“adkin=”.*did you mean adkim=/);
  assert.match(result.detail, /“adkin=”.*did you mean adkim=/);
  assert.equal(result.expected, "v=DMARC1; p=none; adkim=s");
  const stray = await published("v=DMARC1; p=reject; rua=dmarc@example.com");
  assert.match(stray.warnings?.join() ?? "", /No reports are sent to rua=dmarc@example\.com/);
  assert.equal(stray.expected, "v=DMARC1; p=reject; rua=mailto:dmarc@example.com");
  const future = await published("v=DMARC1; p=reject; xyzzy=1");
  assert.deepEqual([future.warnings, future.expected], [[], "v=DMARC1; p=reject; xyzzy=1"]);
});

test("rejects several records", async () => {
  const result = await published("v=DMARC1; p=none", "v=DMARC1; p=reject");
  assert.equal(result.state, "failed");
  assert.match(result.detail, /2 DMARC records/);
});

test("accepts adkim=s and explains its effect on subdomains", async () => {
  const result = await published("v=DMARC1; p=none; adkim=s");
  assert.equal(result.state, "verified");
  assert.match(result.detail, /subdomains of example\.com will not align/);
});

test("applies the organizational domain's record to subdomains, with sp or p", async () => {
  const at = (record: string) => check({ "_dmarc.example.com": { TXT: [record] } }, "a.news.example.com");
  const sp = await at("v=DMARC1; p=none; sp=reject");
  assert.equal(sp.state, "verified");
  assert.match(sp.detail, /_dmarc\.example\.com applies, with the policy reject/);
  assert.match((await at("v=DMARC1; p=quarantine")).detail, /with the policy quarantine/);
});

test("prefers the domain's own record, and ignores the record of a private suffix", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=DMARC1; p=reject"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  assert.match((await check(zone, "news.example.com")).detail, /p=reject is published at _dmarc\.news\.example\.com/);
  const result = await check({ "_dmarc.github.io": { TXT: ["v=DMARC1; p=none"] } }, "site.github.io");
  assert.equal(result.state, "failed");
});

test("explains an own record that receivers ignore beside the inherited one", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=dmarc1; p=reject"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  const result = await check(zone, "news.example.com");
  assert.equal(result.state, "verified");
  assert.match(result.detail, /“v=dmarc1; p=reject” does not begin/);
});

test("names a misspelled record at the organizational domain", async () => {
  const result = await check({ "_dmarc.example.com": { TXT: ["v=dmarc1; p=none"] } }, "news.example.com");
  assert.equal(result.state, "failed");
  assert.match(result.detail, /The record at _dmarc\.example\.com is not a DMARC record/);
});

test("does not replace an invalid own record by the organizational domain's", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=DMARC1; p=rejct"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  assert.equal((await check(zone, "news.example.com")).state, "failed");
});

test("missing record, doubled zone, apex, and failed lookup", async () => {
  assert.match((await check({})).detail, /There is no DMARC record at _dmarc\.example\.com/);
  const doubled = await check({ "_dmarc.example.com.example.com": { TXT: ["v=DMARC1; p=none"] } });
  assert.equal(doubled.state, "failed");
  assert.match(doubled.detail, /appended the zone/);
  assert.match((await check({ "example.com": { TXT: ["v=DMARC1; p=none"] } })).detail, /at example\.com itself/);
  const failure = { failure: "ESERVFAIL" };
  assert.equal((await check({ "_dmarc.example.com": { TXT: failure } })).state, "temporary_failure");
  const above = await check({ "_dmarc.example.com": { TXT: failure } }, "news.example.com");
  assert.equal(above.state, "temporary_failure");
});

const REPORTS = "mailto:dmarc-reports@bounces.example.com";
const withReturnPath = (...records: string[]) => {
  const zone = { "_dmarc.example.com": { TXT: records } };
  return checkDmarc({ ...sampleDomain(), hasReturnPath: true }, contextOf(zone));
};

test("with a return path, a record without the address for reports is verified, with a hint", async () => {
  for (const [record, better] of [
    ["v=DMARC1; p=reject", `v=DMARC1; p=reject; rua=${REPORTS}`],
    ["v=DMARC1; p=none; rua=mailto:d@example.com", `v=DMARC1; p=none; rua=mailto:d@example.com,${REPORTS}`],
  ] as const) {
    const result = await withReturnPath(record);
    assert.deepEqual([result.state, result.expected], ["verified", better]);
    assert.deepEqual(result.warnings, [`To see the reports of receivers in Postrider, add rua=${REPORTS}.`]);
    assert.ok(result.detail.endsWith(`Change it to: ${better}`));
    const then = await withReturnPath(better);
    assert.deepEqual([then.state, then.warnings, then.expected], ["verified", [], better]);
    assert.deepEqual((await published(record)).warnings, [], "no hint without a return path");
  }
});

test("with a return path, a repaired record has the address too, and an inherited one gets no hint", async () => {
  const misspelt = await withReturnPath("v=DMARC1; p=none; sp=none; ruaa=mailto:d@example.com");
  assert.equal(misspelt.state, "verified");
  assert.match(misspelt.expected, /rua=mailto:d@example\.com,mailto:dmarc-reports@bounces\.example\.com/);
  const zone = { "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] } };
  const inherited = await checkDmarc({ ...sampleDomain("news.example.com"), hasReturnPath: true }, contextOf(zone));
  assert.deepEqual([inherited.state, inherited.warnings], ["verified", []]);
});
