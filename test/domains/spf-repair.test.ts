/** The SPF record suggested for a faulty one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeZone } from "../support/fake-resolver.ts";
import { seeded } from "./mutations.ts";
import { IP4, IP6 } from "./sample.ts";
import { choose, suggest } from "./suggestions.ts";

const OTHER_IP = "198.51.100.1";
const SIGNS = ["", "+", "?", "~", "-"];
const termsOf = (record: string): string[] => record.split(" ").slice(1);
/** How strict the end of a record is: its `all`, or none. */
const strictness = (record: string): number => SIGNS.indexOf(/(?:^| )([+?~-]?)all(?: |$)/.exec(record)?.[1] ?? "?");

const GOOD = ["ip4:198.51.100.7", "ip6:2001:db8:9::/48", "a", "mx", "a:host.example.net", "include:_spf.example.net"];
const BROKEN = ["ipv4:203.0.113.9", "203.0.113.9", "ip4=203.0.113.8", "ip4:203.0.113.7/33", "ip6:203.0.113.6"];
const LOST = ["include:gone.example.net", "include:example.com", "include:loop.example.net", "inklude:", "xyzzy:a"];
const ODD = ["includ:_spf.example.net", "a=host.example.net", "-ip4:192.0.2.25", "exists:%{i}.example.net", "k=v"];
const BREAKS: ((record: string) => string)[] = [
  (record) => record,
  (record) => record.replace("v=spf1", "v=spf"),
  (record) => `"${record}"`,
  (record) => record.replace("v=spf1", "v=spf1;"),
  (record) => `${record};`,
];
const zoneWith = (...records: string[]): FakeZone => ({
  "example.com": { TXT: records, A: [OTHER_IP], MX: ["10 host.example.net"] },
  "host.example.net": { A: ["198.51.100.2"] },
  "_spf.example.net": { TXT: ["v=spf1 ip4:198.51.100.3 -all"] },
  "loop.example.net": { TXT: ["v=spf1 include:loop.example.net -all"] },
});

test("keeps each valid term, and never weakens the final all", async () => {
  const random = seeded(11);
  const sample = (list: string[], share: number): string[] => list.filter(() => random() < share);
  for (let round = 0; round < 600; round += 1) {
    const good = sample(GOOD, 0.5);
    const bad = [...sample(BROKEN, 0.2), ...sample(LOST, 0.15), ...sample(ODD, 0.15)];
    const terms = [...good, ...bad].toSorted(() => random() - 0.5);
    const end = `${choose(random, ["-", "~", "?", "+", ""])}all`;
    const record = ["v=spf1", ...terms, end].join(" ");
    const broken = choose(random, BREAKS)(record);
    const { expected } = await suggest("spf", zoneWith(broken));
    for (const term of good) assert.ok(termsOf(expected).includes(term), `${term}: ${broken} → ${expected}`);
    assert.ok(strictness(expected) >= Math.max(strictness(record), 2), `${broken} → ${expected}`);
  }
});

test("merges several records into one with all terms and the strictest all", async () => {
  const random = seeded(13);
  for (let round = 0; round < 200; round += 1) {
    const records = [0, 1].map(() => {
      const terms = GOOD.filter(() => random() < 0.4);
      return ["v=spf1", ...terms, `${choose(random, ["-", "~", "?"])}all`].join(" ");
    });
    const { expected } = await suggest("spf", zoneWith(...records));
    const terms = records.flatMap(termsOf).filter((term) => !term.endsWith("all"));
    for (const term of terms) assert.ok(termsOf(expected).includes(term), `${records} → ${expected}`);
    assert.equal(strictness(expected), Math.max(...records.map(strictness)), expected);
  }
});

test("finds a syntax error after a match, as receivers do", async () => {
  for (const term of ["ipv4:1.2.3.4", "ip4:1.2.3.4/33", "a:localhost", "include:", "all:x", "exists:%{z}.x.net", "%"]) {
    const result = await suggest("spf", zoneWith(`v=spf1 ip4:${IP4} ip6:${IP6} ${term} -all`));
    assert.equal(result.state, "failed", term);
    assert.match(result.detail, /syntax error at/);
  }
  const twice = "redirect=a.example.net redirect=b.example.net";
  assert.equal((await suggest("spf", zoneWith(`v=spf1 ip4:${IP4} ip6:${IP6} ${twice}`))).state, "failed");
});

test("accepts valid terms", async () => {
  const terms =
    "a/24 a//64 mx/24//64 a:_x.example.net/24 ptr ptr:example.net exists:%{ir}.%{v}._spf.%{d2} ?mx ip6:::1 k=%{i}";
  const zone = zoneWith(`v=spf1 ip4:${IP4} ip6:${IP6} ${terms} include:%{d}.example.net exp=e.example.net. -all`);
  assert.equal((await suggest("spf", zone)).state, "verified");
});

test("keeps every include: of a record with more than ten lookups", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `s${index}.example.net`);
  const zone = { ...zoneWith(`v=spf1 ${names.map((name) => `include:${name}`).join(" ")} -all`) };
  for (const name of names) zone[name] = { TXT: ["v=spf1 -all"] };
  const { expected } = await suggest("spf", zone);
  for (const name of names) assert.ok(termsOf(expected).includes(`include:${name}`));
  assert.equal(strictness(expected), 4);
});

test("truncates records that are too long together to what is read of one, and keeps their all", async () => {
  const many = Array.from({ length: 400 }, (_, index) => `ip4:203.0.${index >> 8}.${index & 255}`);
  const records = [many.slice(0, 200), many.slice(200)].map((terms) => `v=spf1 ${terms.join(" ")} -all`);
  const { expected } = await suggest("spf", zoneWith(...records));
  assert.ok(expected.length <= 4096 && expected.startsWith("v=spf1 ip4:203.0.0.0 ip4:203.0.0.1 "));
  assert.ok(expected.length > 3500);
  assert.equal(strictness(expected), 4);
});
