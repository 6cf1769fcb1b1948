/** The DMARC record suggested for a faulty one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDmarc, POLICIES, type Policy, readDmarc } from "../../src/dmarc/record.ts";
import { checkDmarc } from "../../src/domains/dmarc.ts";
import { isWarned } from "../../src/spool/port/domains.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { type Random, seeded } from "./mutations.ts";
import { contextOf, sampleDomain } from "./sample.ts";
import { choose, suggest } from "./suggestions.ts";

/** The word with one letter omitted, doubled or swapped with its neighbor. */
function misspell(random: Random, word: string): string {
  const at = 1 + Math.floor(random() * (word.length - 1));
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  return choose(random, [
    before + after,
    before + letter + letter + after,
    before + after.charAt(0) + letter + after.slice(1),
  ]);
}

const rank = (policy: Policy): number => POLICIES.indexOf(policy);

function policies(record: string): { p: number; sp: number } {
  assert.ok(isDmarc(record), record);
  const { p, sp } = readDmarc(record);
  return { p: rank(p), sp: rank(sp) };
}

const RUA = "rua=mailto:Dmarc@Example.com";
const dmarcZone = (...records: string[]): FakeZone => ({ "_dmarc.example.com": { TXT: records } });

const BREAKS: ((record: string, random: Random) => string)[] = [
  (record) => record.replace("v=DMARC1", "v=dmarc1"),
  (record) => record.replace("v=DMARC1", "DMARC1"),
  (record) => record.replace("v=DMARC1;", "v=DMARC1"),
  (record) => record.replace("v=DMARC1; ", "v=DMARC1, "),
  (record) => record.replaceAll(";", ""),
  (record) => record.replaceAll(";", ","),
  (record) => record.replaceAll(";", "\\;"),
  (record) => `"${record}"`,
  (record) => `  ${record}`,
  (record) => record.replace("DMARC1", "“DMARC1”"),
  (record) => record.replace(/(; p=\w+)(.*)/, "$2$1"),
  (record, random) => record.replace(/ p=(\w+)/, (_, word) => ` p=${misspell(random, word)}`),
  (record, random) => record.replace(/sp=(\w+)/, (_, word) => `sp=${misspell(random, word)}`),
  (record) => record.replace(" p=", " policy="),
  (record) => record.replace(" p=", " p:"),
  (record) => record.replace(" p=", " "),
  (record) => `${record}; pct=all`,
  (record) => `${record}; adkim=loose; adkin=s`,
  (record) => `${record}; sp=whatever`,
  (record) => `${record}; p=none`,
  (record) => `${record}; spp=none`,
  (record) => `${record}; ; =; nothing`,
];

test("never weakens a policy of the intended record, and keeps its addresses", async () => {
  const random = seeded(3);
  for (let round = 0; round < 1500; round += 1) {
    const [p, sp] = [choose(random, POLICIES), choose(random, [null, ...POLICIES])];
    const meant = ["v=DMARC1", `p=${p}`, ...(sp === null ? [] : [`sp=${sp}`]), RUA, "fo=1", "aspf=s"].join("; ");
    let broken = meant;
    for (let faults = 1 + Math.floor(random() * 2); faults > 0; faults -= 1)
      broken = choose(random, BREAKS)(broken, random);
    const { expected } = await suggest("dmarc", dmarcZone(broken));
    const [right, wanted] = [policies(expected), policies(meant)];
    assert.ok(right.p >= wanted.p && right.sp >= wanted.sp, `${meant} → ${broken} → ${expected}`);
    for (const tag of [RUA, "fo=1", "aspf=s"]) assert.ok(expected.includes(tag), `${tag}: ${broken} → ${expected}`);
  }
});

test("merges several records into one that is as strict as each, with all addresses", async () => {
  const random = seeded(5);
  for (let round = 0; round < 500; round += 1) {
    const records = Array.from({ length: 2 + Math.floor(random() * 2) }, (_, index) => {
      const sp = choose(random, [null, ...POLICIES]);
      const tags = [`p=${choose(random, POLICIES)}`, ...(sp === null ? [] : [`sp=${sp}`])];
      return ["v=DMARC1", ...tags, `pct=${choose(random, [10, 100])}`, `rua=mailto:r${index}@example.com`].join("; ");
    });
    const { expected } = await suggest("dmarc", dmarcZone(...records));
    for (const [index, record] of records.entries()) {
      const [right, wanted] = [policies(expected), policies(record)];
      assert.ok(right.p >= wanted.p && right.sp >= wanted.sp, `${records} → ${expected}`);
      assert.ok(expected.includes(`mailto:r${index}@example.com`), expected);
    }
    assert.doesNotMatch(expected, /pct=/);
  }
});

test("suggests these records for single faults", async () => {
  const suggestions: [string, string][] = [
    [
      "v=DMARC1; p=reject; rua=mailto:a@example.com; sp=rejct",
      "v=DMARC1; p=reject; rua=mailto:a@example.com; sp=reject",
    ],
    ["v=DMARC1; p=rejct", "v=DMARC1; p=reject"],
    ["v=DMARC1; p=reject; sp=quarantin", "v=DMARC1; p=reject; sp=quarantine"],
    ["v=DMARC1; p=quarantine; sp=xyzzy", "v=DMARC1; p=quarantine"],
    ["v=DMARC1; p=block; pct=50; ri=3600", "v=DMARC1; p=reject"],
    ["v=DMARC1; p=junk", "v=DMARC1; p=quarantine"],
    ["v=DMARC1; p=rej", "v=DMARC1; p=reject"],
    ["v=DMARC1; p=xyzzy; sp=reject", "v=DMARC1; p=none; sp=reject"],
    ["v=DMARC1; reject", "v=DMARC1; p=reject"],
    ["v=DMARC1; p=none; p=reject", "v=DMARC1; p=reject"],
    ["v=DMARC1; p=reject; adkim=strict; aspf=x", "v=DMARC1; p=reject; adkim=s"],
    ["v=DMARC1; p=reject; pct=101", "v=DMARC1; p=reject"],
    ["v=DMARC1; p=reject; pct=0%", "v=DMARC1; p=reject; t=y"],
    ["v=DMARC1; p=reject rua=mailto:a@example.com", "v=DMARC1; p=reject; rua=mailto:a@example.com"],
    [
      "v=DMARC1; p=reject; rua=a@example.com, mailto:b@example.com",
      "v=DMARC1; p=reject; rua=mailto:a@example.com,mailto:b@example.com",
    ],
    ["v=dmarc1; p=reject; xyzzy=1", "v=DMARC1; p=reject; xyzzy=1"],
  ];
  for (const [record, right] of suggestions) assert.equal((await suggest("dmarc", dmarcZone(record))).expected, right);
});

test("reports that the intended policy is unclear", async () => {
  assert.match((await suggest("dmarc", dmarcZone("v=DMARC1; p=xyzzy"))).detail, /The intended policy is unclear/);
  assert.doesNotMatch((await suggest("dmarc", dmarcZone("v=DMARC1; p=rejct"))).detail, /unclear/);
});

test("does not suggest less than the inherited policy for an own record that receivers ignore", async () => {
  const zone = {
    "_dmarc.news.example.com": { TXT: ["v=dmarc1; p=none; rua=mailto:a@example.com"] },
    "_dmarc.example.com": { TXT: ["v=DMARC1; p=reject; sp=quarantine"] },
  };
  const result = await checkDmarc(sampleDomain("news.example.com"), contextOf(zone));
  assert.equal(result.expected, "v=DMARC1; p=quarantine; rua=mailto:a@example.com");
  assert.equal(isWarned(result), true);
});

test("shows the organizational domain's record at its own name, valid or not", async () => {
  for (const record of ["v=DMARC1; p=reject", "v=DMARC1; p=rejct", "v=dmarc1; p=reject"]) {
    const zone = { "_dmarc.example.com": { TXT: [record] } };
    const result = await checkDmarc(sampleDomain("news.example.com"), contextOf(zone));
    assert.equal(result.expected, "v=DMARC1; p=reject", record);
    assert.deepEqual([result.foundAt, result.expectedAt], ["_dmarc.example.com", "_dmarc.example.com"]);
  }
});
