import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDmarc } from "../../src/domains/dmarc.ts";
import { RECORDS } from "../dmarc/records.ts";
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

test("explains what is no DMARC record to receivers, and corrects it", async () => {
  const faults: [string, RegExp][] = [
    ["v=dmarc1; p=none", /does not begin with exactly “v=DMARC1;”/],
    ["v=DMARC; p=none", /does not begin with/],
    ["DMARC1; p=none", /does not begin with/],
    ["p=none; v=DMARC1 dmarc", /There is no DMARC record/],
    ["v=DMARC1 p=none", /no semicolon after v=DMARC1/],
    ['"v=DMARC1; p=none"', /quotes/],
    ["v=DMARC1\\; p=none", /backslashes/],
  ];
  for (const [record, sentence] of faults) {
    const result = await published(record);
    assert.equal(result.state, "failed", record);
    assert.match(result.detail, sentence, record);
    if (result.found.length > 0) assert.ok(result.detail.endsWith(`Change it to: ${result.expected}`), record);
  }
});

test("warns of each fault in a record that receivers use, with the closest valid word, and never fails", async () => {
  const faults: [string, RegExp][] = [
    ["v=DMARC1; p=rejct", /p=rejct .*write p=reject.*do not apply DMARC/],
    ["v=DMARC1; p=quarentine; rua=mailto:a@b.example", /write p=quarantine.*apply the policy none instead/],
    ["v=DMARC1; p=block", /none, quarantine or reject/],
    ["v=DMARC1; p=", /p= is not a valid value/],
    ["v=DMARC1", /no p= tag.*do not apply DMARC/],
    ["v=DMARC1; policy=none", /Write p= instead of “policy=”/],
    ["v=DMARC1; p=none; sp=rejekt", /sp=rejekt .*write sp=reject/],
    ["v=DMARC1; p=none; np=no", /np=no .*none, quarantine or reject/],
    ["v=DMARC1; p=none; adkim=strict", /write adkim=s/],
    ["v=DMARC1; p=none; aspf=x", /must be r or s/],
    ["v=DMARC1; p=none; psd=yes", /write psd=y/],
    ["v=DMARC1; p=none; t=1", /must be y or n/],
    ["v=DMARC1; p=none; fo=0:1", /fo=0:1 is not a valid value/],
    ["v=DMARC1; p=reject; pct=25", /no longer has the tag pct=.*t=y/],
    ["v=DMARC1; p=none; p=reject", /p= is repeated/],
    ["v=DMARC1; none", /does not have the form tag=value/],
    ["v=DMARC1; P=none", /capitals/],
    [" v=DMARC1; p=none", /begins with a space/],
    ["v=DMARC1; p=none; adkin=s", /“adkin=”.*did you mean adkim=/],
    ["v=DMARC1; p=reject; rua=dmarc@example.com", /No reports are sent to rua=dmarc@example\.com/],
  ];
  for (const [record, sentence] of faults) {
    const result = await published(record);
    assert.equal(result.state, "verified", record);
    assert.match(result.warnings?.join(" ") ?? "", sentence, record);
    assert.ok(result.detail.endsWith(`Change it to: ${result.expected}`), record);
    const after = await published(result.expected);
    assert.deepEqual([after.state, after.warnings, after.expected], ["verified", [], result.expected], record);
  }
});

test("mentions what is out of date or unknown without a warning, and leaves the record as it is", async () => {
  const records: [string, RegExp][] = [
    ["v=DMARC1; p=reject; pct=100", /no longer has the tag pct=/],
    ["v=DMARC1; p=none; pct=20", /no longer has the tag pct=/],
    ["v=DMARC1; p=none; rf=afrf; ri=86400", /tag rf=.*tag ri=/],
    ["v=DMARC1; p=none; rua=mailto:a@b.example!10m", /size limit/],
    ["v=DMARC1; p=reject; xyzzy=1", /“xyzzy=”, which is not a DMARC tag/],
    ["v=DMARC1; p=none; psd=n", /psd=n/],
    ["v=DMARC1; p=none; psd=y", /public suffix \(psd=y\)/],
  ];
  for (const [record, sentence] of records) {
    const result = await published(record);
    assert.deepEqual([result.state, result.warnings, result.expected], ["verified", [], record]);
    assert.match(result.detail, sentence);
  }
});

test("a record of the table that receivers use is verified, and all others are not", async () => {
  for (const { text, isRecord, faults } of RECORDS) {
    const { state, warnings, detail } = await published(text);
    assert.equal(state, isRecord ? "verified" : "failed", text);
    const hints = ["historic_tag", "unknown_tag", "size_limit"];
    if (isRecord && faults.some((type) => !hints.includes(type))) assert.ok(warnings?.length, `${text}: ${detail}`);
    if (isRecord && faults.length === 0) assert.deepEqual(warnings, [], text);
  }
});

test("shows test mode and the policies for subdomains", async () => {
  const { detail } = await published("v=DMARC1; t=y; np=reject; sp=quarantine; p=reject");
  assert.match(detail, /p=reject in test mode \(t=y: receivers apply quarantine\) is published/);
  assert.match(detail, /For subdomains, it has sp=quarantine, np=reject\./);
  assert.doesNotMatch((await published("v=DMARC1; p=none; t=y")).detail, /test mode/);
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

test("prefers the domain's own record, and takes that of any domain above without a list of suffixes", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=DMARC1; p=reject"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  assert.match((await check(zone, "news.example.com")).detail, /p=reject is published at _dmarc\.news\.example\.com/);
  const result = await check({ "_dmarc.github.io": { TXT: ["v=DMARC1; p=none"] } }, "site.github.io");
  assert.deepEqual([result.state, result.foundAt], ["verified", "_dmarc.github.io"]);
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
  assert.match(result.detail, /At _dmarc\.example\.com, “v=dmarc1; p=none” does not begin/);
});

test("does not replace an own record that has faults by the one above", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=DMARC1; p=rejct"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  const result = await check(zone, "news.example.com");
  assert.deepEqual([result.state, result.foundAt, result.expected], ["verified", undefined, "v=DMARC1; p=reject"]);
});

test("several own records count as none: the one above applies, and the merged one is offered", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=DMARC1; p=none", "v=DMARC1; p=quarantine"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=reject; sp=none"] },
  };
  const result = await check(zone, "news.example.com");
  assert.deepEqual([result.state, result.expected], ["verified", "v=DMARC1; p=quarantine"]);
  assert.match(result.warnings?.join() ?? "", /2 DMARC records at _dmarc\.news\.example\.com/);
});

test("applies np to a domain that does not exist", async () => {
  const zone: FakeZone = { "_dmarc.example.com": { TXT: ["v=DMARC1; p=none; sp=quarantine; np=reject"] } };
  assert.match((await check(zone, "gone.example.com")).detail, /with the policy reject/);
  const existing = { ...zone, "news.example.com": { TXT: ["v=spf1 -all"] } };
  assert.match((await check(existing, "news.example.com")).detail, /with the policy quarantine/);
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
    assert.deepEqual(result.warnings, [], "nothing is wrong with it");
    const hint = `To see the reports of receivers in Postrider, add rua=${REPORTS}.`;
    assert.ok(result.detail.endsWith(`${hint} Change it to: ${better}`), result.detail);
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
