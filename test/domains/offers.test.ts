/**
 * Whatever is published: the record that a check offers passes that check, and is no weaker than what stands there or was
 * evidently meant.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Check, Seen } from "../../src/domains/check.ts";
import { checkDkim } from "../../src/domains/dkim.ts";
import { checkDmarc } from "../../src/domains/dmarc.ts";
import { POLICIES, type Policy, readDmarc } from "../../src/domains/dmarc-record.ts";
import { checkOwnership } from "../../src/domains/ownership.ts";
import { dkimRecord, dmarcRecord, ownershipRecord, spfRecord } from "../../src/domains/records.ts";
import { checkSpf } from "../../src/domains/spf.ts";
import { isWarned } from "../../src/spool/port/domains.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { mutated, type Random, seeded } from "./mutations.ts";
import { contextOf, goodZone, IP4, IP6, publicKey, sampleDomain } from "./sample.ts";

const domain = sampleDomain();
const OTHER_IP = "198.51.100.1";
const NAMES: Record<string, string> = {
  ownership: ownershipRecord(domain).name,
  spf: "example.com",
  dkim: dkimRecord(domain).name,
  dmarc: dmarcRecord(domain).name,
};
const CHECKS: Record<string, Check> = {
  ownership: checkOwnership,
  spf: checkSpf,
  dkim: checkDkim,
  dmarc: checkDmarc,
};

/** What the check says of a zone, once its offer is published there alone. Fails unless that is green. */
async function offered(check: string, zone: FakeZone, ips = [IP4, IP6]): Promise<Seen> {
  const run = CHECKS[check] ?? assert.fail(check);
  const seen = await run(domain, contextOf(zone, ips));
  const name = seen.expectedAt ?? NAMES[check] ?? "";
  const after = { ...zone, [name]: { ...zone[name], TXT: [seen.expected] } };
  const again = await run(domain, contextOf(after, ips));
  const what = `${JSON.stringify(zone)}: ${seen.detail} → ${again.detail}`;
  assert.equal(again.state, "verified", what);
  assert.equal(isWarned(again), false, what);
  assert.equal(again.expected, seen.expected, what);
  if (seen.state === "failed") assert.ok(seen.detail.includes(seen.expected), what);
  return seen;
}

const any = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** The word with one letter left out, doubled or exchanged with its neighbour. */
function misspelt(random: Random, word: string): string {
  const at = 1 + Math.floor(random() * (word.length - 1));
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  return any(random, [
    before + after,
    before + letter + letter + after,
    before + after.charAt(0) + letter + after.slice(1),
  ]);
}

describe("any content of the DNS", () => {
  for (const check of Object.keys(CHECKS)) {
    test(`${check}: the offer passes`, async () => {
      const random = seeded(7);
      for (let round = 0; round < 300; round += 1) {
        const zone = Object.fromEntries(
          Object.entries(goodZone()).map(([name, records]) => [name, mutated(records, random)] as const),
        );
        await offered(check, zone);
      }
    });
  }
});

const rank = (policy: Policy): number => POLICIES.indexOf(policy);

function policies(record: string): { p: number; sp: number } {
  const read = readDmarc(record);
  assert.ok(read.type === "valid", record);
  return { p: rank(read.policy.p), sp: rank(read.policy.sp) };
}

const RUA = "rua=mailto:Dmarc@Example.com";
const dmarcZone = (...records: string[]): FakeZone => ({ "_dmarc.example.com": { TXT: records } });

describe("DMARC", () => {
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
    (record, random) => record.replace(/ p=(\w+)/, (_, word) => ` p=${misspelt(random, word)}`),
    (record, random) => record.replace(/sp=(\w+)/, (_, word) => `sp=${misspelt(random, word)}`),
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

  test("a policy of the record that was meant never gets weaker, and its addresses stay", async () => {
    const random = seeded(3);
    for (let round = 0; round < 1500; round += 1) {
      const [p, sp] = [any(random, POLICIES), any(random, [null, ...POLICIES])];
      const meant = ["v=DMARC1", `p=${p}`, ...(sp === null ? [] : [`sp=${sp}`]), RUA, "fo=1", "aspf=s"].join("; ");
      let broken = meant;
      for (let faults = 1 + Math.floor(random() * 2); faults > 0; faults -= 1)
        broken = any(random, BREAKS)(broken, random);
      const { expected } = await offered("dmarc", dmarcZone(broken));
      const [right, wanted] = [policies(expected), policies(meant)];
      assert.ok(right.p >= wanted.p && right.sp >= wanted.sp, `${meant} → ${broken} → ${expected}`);
      for (const tag of [RUA, "fo=1", "aspf=s"]) assert.ok(expected.includes(tag), `${tag}: ${broken} → ${expected}`);
    }
  });

  test("several records become one that is as strict as each, with all addresses", async () => {
    const random = seeded(5);
    for (let round = 0; round < 500; round += 1) {
      const records = Array.from({ length: 2 + Math.floor(random() * 2) }, (_, index) => {
        const sp = any(random, [null, ...POLICIES]);
        const tags = [`p=${any(random, POLICIES)}`, ...(sp === null ? [] : [`sp=${sp}`])];
        return ["v=DMARC1", ...tags, `pct=${any(random, [10, 100])}`, `rua=mailto:r${index}@example.com`].join("; ");
      });
      const { expected } = await offered("dmarc", dmarcZone(...records));
      for (const [index, record] of records.entries()) {
        const [right, wanted] = [policies(expected), policies(record)];
        assert.ok(right.p >= wanted.p && right.sp >= wanted.sp, `${records} → ${expected}`);
        assert.ok(expected.includes(`mailto:r${index}@example.com`), expected);
      }
      const shares = records.map((record) => Number(/pct=(\d+)/.exec(record)?.[1]));
      assert.ok(Number(/pct=(\d+)/.exec(expected)?.[1] ?? 100) >= Math.max(...shares), expected);
    }
  });

  test("what is offered for single faults", async () => {
    const offers: [string, string][] = [
      [
        "v=DMARC1; p=reject; rua=mailto:a@example.com; sp=rejct",
        "v=DMARC1; p=reject; rua=mailto:a@example.com; sp=reject",
      ],
      ["v=DMARC1; p=rejct", "v=DMARC1; p=reject"],
      ["v=DMARC1; p=reject; sp=quarantin", "v=DMARC1; p=reject; sp=quarantine"],
      ["v=DMARC1; p=quarantine; sp=xyzzy", "v=DMARC1; p=quarantine"],
      ["v=DMARC1; p=block; pct=50", "v=DMARC1; p=reject; pct=50"],
      ["v=DMARC1; p=junk", "v=DMARC1; p=quarantine"],
      ["v=DMARC1; p=rej", "v=DMARC1; p=reject"],
      ["v=DMARC1; p=xyzzy; sp=reject", "v=DMARC1; p=none; sp=reject"],
      ["v=DMARC1; reject", "v=DMARC1; p=reject"],
      ["v=DMARC1; p=none; p=reject", "v=DMARC1; p=reject"],
      ["v=DMARC1; p=reject; adkim=strict; aspf=x", "v=DMARC1; p=reject; adkim=s"],
      ["v=DMARC1; p=reject; pct=101", "v=DMARC1; p=reject"],
      ["v=DMARC1; p=reject; pct=50%", "v=DMARC1; p=reject; pct=50"],
      ["v=DMARC1; p=reject rua=mailto:a@example.com", "v=DMARC1; p=reject; rua=mailto:a@example.com"],
      [
        "v=DMARC1; p=reject; rua=a@example.com, mailto:b@example.com",
        "v=DMARC1; p=reject; rua=mailto:a@example.com,mailto:b@example.com",
      ],
      ["v=dmarc1; p=reject; xyzzy=1", "v=DMARC1; p=reject; xyzzy=1"],
    ];
    for (const [record, right] of offers) assert.equal((await offered("dmarc", dmarcZone(record))).expected, right);
  });

  test("a policy that is not evident is said to be open", async () => {
    assert.match(
      (await offered("dmarc", dmarcZone("v=DMARC1; p=xyzzy"))).detail,
      /Which policy was meant is not evident/,
    );
    assert.doesNotMatch((await offered("dmarc", dmarcZone("v=DMARC1; p=rejct"))).detail, /not evident/);
  });

  test("an own record that is none is not offered below the inherited policy", async () => {
    const zone = {
      "_dmarc.news.example.com": { TXT: ["v=dmarc1; p=none; rua=mailto:a@example.com"] },
      "_dmarc.example.com": { TXT: ["v=DMARC1; p=reject; sp=quarantine"] },
    };
    const seen = await checkDmarc(sampleDomain("news.example.com"), contextOf(zone));
    assert.equal(seen.expected, "v=DMARC1; p=quarantine; rua=mailto:a@example.com");
    assert.equal(isWarned(seen), true);
  });

  test("a record that applies or is broken at the organisational domain is shown at its own name", async () => {
    for (const record of ["v=DMARC1; p=reject", "v=DMARC1; p=rejct", "v=dmarc1; p=reject"]) {
      const zone = { "_dmarc.example.com": { TXT: [record] } };
      const seen = await checkDmarc(sampleDomain("news.example.com"), contextOf(zone));
      assert.equal(seen.expected, "v=DMARC1; p=reject", record);
      assert.deepEqual([seen.foundAt, seen.expectedAt], ["_dmarc.example.com", "_dmarc.example.com"]);
    }
  });
});

const SIGNS = ["", "+", "?", "~", "-"];
const termsOf = (record: string): string[] => record.split(" ").slice(1);
/** How strict the end of a record is: its `all`, or none. */
const strictness = (record: string): number => SIGNS.indexOf(/(?:^| )([+?~-]?)all(?: |$)/.exec(record)?.[1] ?? "?");

describe("SPF", () => {
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

  test("each good term stays, and the end never gets weaker", async () => {
    const random = seeded(11);
    const choose = (list: string[], share: number): string[] => list.filter(() => random() < share);
    for (let round = 0; round < 600; round += 1) {
      const good = choose(GOOD, 0.5);
      const bad = [...choose(BROKEN, 0.2), ...choose(LOST, 0.15), ...choose(ODD, 0.15)];
      const terms = [...good, ...bad].toSorted(() => random() - 0.5);
      const end = `${any(random, ["-", "~", "?", "+", ""])}all`;
      const record = ["v=spf1", ...terms, end].join(" ");
      const broken = any(random, BREAKS)(record);
      const { expected } = await offered("spf", zoneWith(broken));
      for (const term of good) assert.ok(termsOf(expected).includes(term), `${term}: ${broken} → ${expected}`);
      assert.ok(strictness(expected) >= Math.max(strictness(record), 2), `${broken} → ${expected}`);
    }
  });

  test("several records become one with the terms of all and the strictest end", async () => {
    const random = seeded(13);
    for (let round = 0; round < 200; round += 1) {
      const records = [0, 1].map(() => {
        const terms = GOOD.filter(() => random() < 0.4);
        return ["v=spf1", ...terms, `${any(random, ["-", "~", "?"])}all`].join(" ");
      });
      const { expected } = await offered("spf", zoneWith(...records));
      const terms = records.flatMap(termsOf).filter((term) => !term.endsWith("all"));
      for (const term of terms) assert.ok(termsOf(expected).includes(term), `${records} → ${expected}`);
      assert.equal(strictness(expected), Math.max(...records.map(strictness)), expected);
    }
  });

  test("a syntax error behind a match is found, as receivers find it", async () => {
    for (const term of [
      "ipv4:1.2.3.4",
      "ip4:1.2.3.4/33",
      "a:localhost",
      "include:",
      "all:x",
      "exists:%{z}.x.net",
      "%",
    ]) {
      const seen = await offered("spf", zoneWith(`v=spf1 ip4:${IP4} ip6:${IP6} ${term} -all`));
      assert.equal(seen.state, "failed", term);
      assert.match(seen.detail, /syntax error at/);
    }
    const twice = "redirect=a.example.net redirect=b.example.net";
    assert.equal((await offered("spf", zoneWith(`v=spf1 ip4:${IP4} ip6:${IP6} ${twice}`))).state, "failed");
  });

  test("legal terms are no errors", async () => {
    const terms =
      "a/24 a//64 mx/24//64 a:_x.example.net/24 ptr ptr:example.net exists:%{ir}.%{v}._spf.%{d2} ?mx ip6:::1 k=%{i}";
    const zone = zoneWith(`v=spf1 ip4:${IP4} ip6:${IP6} ${terms} include:%{d}.example.net exp=e.example.net. -all`);
    assert.equal((await offered("spf", zone)).state, "verified");
  });

  test("more than ten look-ups: every include stays", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `s${index}.example.net`);
    const zone = { ...zoneWith(`v=spf1 ${names.map((name) => `include:${name}`).join(" ")} -all`) };
    for (const name of names) zone[name] = { TXT: ["v=spf1 -all"] };
    const { expected } = await offered("spf", zone);
    for (const name of names) assert.ok(termsOf(expected).includes(`include:${name}`));
    assert.equal(strictness(expected), 4);
  });

  test("an over-long record is cut to what receivers read, with its end", async () => {
    const many = Array.from({ length: 400 }, (_, index) => `ip4:203.0.${index >> 8}.${index & 255}`);
    const { expected } = await offered("spf", zoneWith(`v=spf1 ${many.join(" ")} -all`));
    assert.ok(expected.length <= 4096 && expected.startsWith("v=spf1 ip4:203.0.0.0 ip4:203.0.0.1 "));
    assert.equal(strictness(expected), 4);
  });
});

describe("DKIM", () => {
  test("valid tags stay, the others go", async () => {
    const key = domain.publicKey;
    const right = (tags: string) => `v=DKIM1; k=rsa; ${tags}p=${key}`;
    const offers: [string, string][] = [
      [`v=DKIM1; k=rsa; t=s; p=${publicKey()}`, right("t=s; ")],
      [`v=DKIM1; t=y:s; n=note; p=${key}`, right("t=s; n=note; ")],
      [`v=DKIM1; k=rsa; h=sha256; s=email; p=${key.slice(0, 200)}`, right("h=sha256; s=email; ")],
      [`v=DKIM1; h=sha1; s=tlsrpt; p=${key}`, right("")],
      [`"v=DKIM1; k=rsa; t=s; " "p=${key}"`, right("t=s; ")],
      [`v=DKIM1\\; k=ed25519\\; p=${key}`, right("")],
      [`k=rsa; v=DKIM1; x y=z; p=${key}`, right("")],
      [`v=DKIM1; k=rsa; p=${key}; p=${key}`, right("")],
    ];
    for (const [record, expected] of offers) {
      const seen = await offered("dkim", { [NAMES.dkim ?? ""]: { TXT: [record] } });
      assert.equal(seen.expected, expected, record);
    }
  });
});

describe("a record at the wrong name", () => {
  const RIGHT: Record<string, string> = {
    ownership: ownershipRecord(domain).value,
    spf: `v=spf1 mx ip4:${IP4} ip6:${IP6} -all`,
    dkim: `v=DKIM1; k=rsa; t=s; p=${domain.publicKey}`,
    dmarc: `v=DMARC1; p=reject; ${RUA}`,
  };
  const selector = domain.selector;
  const PLACES: Record<string, string[]> = {
    ownership: ["_postrider.example.com.example.com", "example.com", "postrider.example.com"],
    spf: ["example.com.example.com", "_spf.example.com", "spf.example.com"],
    dkim: [
      `${selector}._domainkey.example.com.example.com`,
      `${selector}.example.com`,
      "default._domainkey.example.com",
    ],
    dmarc: ["_dmarc.example.com.example.com", "example.com", "dmarc.example.com"],
  };

  test("is offered as it is, with the name where it stands and the one where it belongs", async () => {
    for (const [check, places] of Object.entries(PLACES)) {
      for (const place of places) {
        const value = RIGHT[check] ?? "";
        const seen = await offered(check, { [place]: { TXT: [value] } });
        assert.deepEqual([seen.state, seen.expected, seen.found, seen.foundAt], ["failed", value, [value], place]);
        assert.ok(seen.detail.includes(`stands at ${place}`) && seen.detail.includes(NAMES[check] ?? ""), seen.detail);
      }
    }
  });

  test("and mended where it is broken too", async () => {
    const seen = await offered("dmarc", { "_dmarc.example.com.example.com": { TXT: ["v=DMARC1; p=rejct"] } });
    assert.equal(seen.expected, "v=DMARC1; p=reject");
  });

  test("is none where a wildcard puts the same text everywhere", async () => {
    const zone = {
      "_spf.example.com": { TXT: ["v=spf1 -all"] },
      "_postrider-unused.example.com": { TXT: ["v=spf1 -all"] },
    };
    const seen = await checkSpf(domain, contextOf(zone));
    assert.equal(seen.foundAt, undefined);
    assert.equal(seen.expected, spfRecord(domain, contextOf(zone)).value);
  });
});

test("a check that is verified expects what is published", async () => {
  const zone = goodZone();
  zone["example.com"] = { ...zone["example.com"], TXT: [`v=spf1 mx ip4:${IP4} -all`] };
  zone["_dmarc.example.com"] = { TXT: [`v=DMARC1; p=reject; ${RUA}`] };
  for (const [check, run] of Object.entries(CHECKS)) {
    const seen = await run(domain, contextOf(zone));
    assert.equal(seen.state, "verified");
    assert.ok(seen.found.includes(seen.expected), check);
  }
});
