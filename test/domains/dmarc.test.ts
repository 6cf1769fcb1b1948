import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDmarc } from "../../src/domains/dmarc.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, sampleDomain } from "./sample.ts";

const check = (zone: FakeZone, name = "example.com") => checkDmarc(sampleDomain(name), contextOf(zone));
const published = (...records: string[]) => check({ "_dmarc.example.com": { TXT: records } });

test("valid records, with the case and spacing that the RFC allows", async () => {
  for (const record of [
    "v=DMARC1; p=none",
    "v=DMARC1;p=reject;",
    "V = DMARC1 ; P = Quarantine ; pct=0",
    "v=DMARC1; p=none; sp=reject; adkim=r; aspf=s; pct=100; rua=mailto:d@example.com; fo=1; ri=86400",
  ]) {
    const seen = await published("unrelated", record);
    assert.equal(seen.state, "verified", `${record}: ${seen.detail}`);
    assert.deepEqual(seen.found, [record]);
  }
});

test("each fault is named with the nearest right word", async () => {
  const faults: [string, RegExp][] = [
    ["v=DMARC1; p=rejct", /p=rejct .*write p=reject/],
    ["v=DMARC1; p=quarentine", /write p=quarantine/],
    ["v=DMARC1; p=block", /none, quarantine or reject/],
    ["v=DMARC1; p=", /p= is not a value/],
    ["v=DMARC1", /no p= tag/],
    ["v=DMARC1; policy=none", /“policy=” is no DMARC tag: write “p=”/],
    ["v=DMARC1; rua=mailto:a@b.c; p=none", /must be the second tag/],
    ["v=DMARC1; p=none; sp=rejekt", /sp=rejekt .*write sp=reject/],
    ["v=DMARC1; p=none; adkim=strict", /write adkim=s/],
    ["v=DMARC1; p=none; aspf=x", /must be r or s/],
    ["v=DMARC1; p=none; pct=101", /0 to 100/],
    ["v=DMARC1; p=none; pct=half", /0 to 100/],
    ["v=DMARC1; p=none; p=reject", /p= is there twice/],
    ["v=DMARC1; none", /not of the form tag=value/],
    ["v=dmarc1; p=none", /does not begin with “v=DMARC1;” exactly/],
    ["v=DMARC; p=none", /does not begin with/],
    ["DMARC1; p=none", /does not begin with/],
    ["v=DMARC1 p=none", /no semicolon after v=DMARC1/],
    ['"v=DMARC1; p=none"', /quotes/],
    ["v=DMARC1\\; p=none", /backslashes/],
    [" v=DMARC1; p=none", /begins with a blank/],
  ];
  for (const [record, sentence] of faults) {
    const seen = await published(record);
    assert.equal(seen.state, "failed", record);
    assert.match(seen.detail, sentence, record);
    assert.deepEqual(seen.found, [record]);
    assert.ok(seen.detail.endsWith(`Change it to: ${seen.expected}`), record);
  }
});

test("what receivers ignore in a valid record is a warning: verified, named, and mended", async () => {
  const seen = await published("v=DMARC1; p=none; adkin=s");
  assert.equal(seen.state, "verified");
  assert.match(seen.warnings?.join() ?? "", /“adkin=”.*did you mean adkim=/);
  assert.match(seen.detail, /“adkin=”.*did you mean adkim=/);
  assert.equal(seen.expected, "v=DMARC1; p=none; adkim=s");
  const stray = await published("v=DMARC1; p=reject; rua=dmarc@example.com");
  assert.match(stray.warnings?.join() ?? "", /No reports are sent to rua=dmarc@example\.com/);
  assert.equal(stray.expected, "v=DMARC1; p=reject; rua=mailto:dmarc@example.com");
  const future = await published("v=DMARC1; p=reject; xyzzy=1");
  assert.deepEqual([future.warnings, future.expected], [[], "v=DMARC1; p=reject; xyzzy=1"]);
});

test("several records are none", async () => {
  const seen = await published("v=DMARC1; p=none", "v=DMARC1; p=reject");
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /2 DMARC records/);
});

test("adkim=s verifies with a note on addresses below", async () => {
  const seen = await published("v=DMARC1; p=none; adkim=s");
  assert.equal(seen.state, "verified");
  assert.match(seen.detail, /below example\.com will not align/);
});

test("the organisational domain's record applies below it, with sp or p", async () => {
  const at = (record: string) => check({ "_dmarc.example.com": { TXT: [record] } }, "a.news.example.com");
  const sp = await at("v=DMARC1; p=none; sp=reject");
  assert.equal(sp.state, "verified");
  assert.match(sp.detail, /_dmarc\.example\.com applies, with the policy reject/);
  assert.match((await at("v=DMARC1; p=quarantine")).detail, /with the policy quarantine/);
});

test("the domain's own record comes first, and under a private suffix the neighbour's does not count", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=DMARC1; p=reject"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  assert.match((await check(zone, "news.example.com")).detail, /p=reject is published at _dmarc\.news\.example\.com/);
  const seen = await check({ "_dmarc.github.io": { TXT: ["v=DMARC1; p=none"] } }, "site.github.io");
  assert.equal(seen.state, "failed");
});

test("an own record that receivers ignore is said beside the inherited one", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=dmarc1; p=reject"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  const seen = await check(zone, "news.example.com");
  assert.equal(seen.state, "verified");
  assert.match(seen.detail, /“v=dmarc1; p=reject” does not begin/);
});

test("a misspelt record at the organisational domain is named at its place", async () => {
  const seen = await check({ "_dmarc.example.com": { TXT: ["v=dmarc1; p=none"] } }, "news.example.com");
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /The record at _dmarc\.example\.com is no DMARC record/);
});

test("an own invalid record is not covered up by the organisational domain's", async () => {
  const zone: FakeZone = {
    "_dmarc.news.example.com": { TXT: ["v=DMARC1; p=rejct"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=none"] },
  };
  assert.equal((await check(zone, "news.example.com")).state, "failed");
});

test("missing, doubled zone, apex and trouble", async () => {
  assert.match((await check({})).detail, /There is no DMARC record at _dmarc\.example\.com/);
  const doubled = await check({ "_dmarc.example.com.example.com": { TXT: ["v=DMARC1; p=none"] } });
  assert.equal(doubled.state, "failed");
  assert.match(doubled.detail, /appended the zone/);
  assert.match((await check({ "example.com": { TXT: ["v=DMARC1; p=none"] } })).detail, /at example\.com itself/);
  const trouble = { trouble: "ESERVFAIL" };
  assert.equal((await check({ "_dmarc.example.com": { TXT: trouble } })).state, "temporary_failure");
  const above = await check({ "_dmarc.example.com": { TXT: trouble } }, "news.example.com");
  assert.equal(above.state, "temporary_failure");
});
