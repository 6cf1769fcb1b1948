import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyDomain } from "../../src/domains/verify.ts";
import { CHECK_NAMES } from "../../src/spool/registry.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, goodZone, IP4, IP6, sampleDomain } from "./sample.ts";

const DAY = 86_400_000;

test("a domain with all records verifies, each check for itself", async () => {
  const { checks, verified, nextCheckAtMs } = await verifyDomain(sampleDomain(), contextOf(goodZone()), 1000);
  assert.equal(verified, true);
  assert.equal(nextCheckAtMs, 1000 + DAY);
  for (const name of CHECK_NAMES) {
    assert.equal(checks[name].state, "verified", checks[name].detail);
    assert.equal(checks[name].checkedAtMs, 1000);
  }
});

test("one missing record fails its own check only", async () => {
  const zone = goodZone();
  delete zone["_dmarc.example.com"];
  const { checks, verified } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  assert.equal(verified, false);
  assert.deepEqual(
    CHECK_NAMES.filter((name) => checks[name].state !== "verified"),
    ["dmarc"],
  );
});

test("with the DNS down a verified domain stays verified", async () => {
  const first = await verifyDomain(sampleDomain(), contextOf(goodZone()), 0);
  const domain = { ...sampleDomain(), ...first };
  const down = new Proxy({} as FakeZone, {
    get: () => ({ TXT: { trouble: "ESERVFAIL" }, MX: { trouble: "ETIMEOUT" } }),
  });
  const { checks, verified, nextCheckAtMs } = await verifyDomain(domain, contextOf(down), 30 * DAY);
  assert.equal(verified, true);
  assert.equal(nextCheckAtMs, 30 * DAY + 300_000);
  for (const name of CHECK_NAMES) assert.equal(checks[name].state, "temporary_failure", name);
});

test("no sentence carries control characters out of the DNS", async () => {
  const zone = goodZone();
  zone["example.com"] = { TXT: ["v=spf1 \u001b[31mip9:x -all"], MX: ["10 \u0007mail"] };
  zone["_dmarc.example.com"] = { TXT: ["v=DMARC1; \u009b=x\u202e"] };
  zone["_postrider.example.com"] = { TXT: ["\u001b]0;x\u0007"] };
  const { checks } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  assert.doesNotMatch(JSON.stringify(Object.values(checks)).replaceAll("\\u", "\u0001"), /[\u0001\u007f-\u009f\u202e]/);
});

test("no content of the DNS makes a check throw", async () => {
  const random = seeded(20);
  for (let round = 0; round < 250; round++) {
    const zone = Object.fromEntries(
      Object.entries(goodZone()).map(([name, records]) => [name, mutated(records, random)] as const),
    );
    const { checks } = await verifyDomain(sampleDomain(), contextOf(zone, [IP4, IP6]), 0);
    for (const name of CHECK_NAMES) {
      assert.ok(checks[name].detail.length > 0);
      assert.notEqual(checks[name].state, "temporary_failure", `${checks[name].detail} ${JSON.stringify(zone)}`);
    }
  }
});

test("huge answers stay bounded in what is kept", async () => {
  const huge = Array.from({ length: 50 }, () => `v=spf1 ${"v=DKIM1;v=DMARC1;p=".repeat(3000)}`);
  const spaces = `v${" ".repeat(60_000)}x`;
  const zone = Object.fromEntries(Object.keys(goodZone()).map((name) => [name, { TXT: [spaces, ...huge] }]));
  const { checks } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  assert.ok(JSON.stringify(checks).length < 100_000);
});

type Records = FakeZone[string];
type Random = () => number;

/** A small linear congruential generator, so that a failing round can be had again. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const PIECES = [
  "=",
  ";",
  " ",
  '"',
  "\\",
  ":",
  "/",
  "//",
  "all",
  "include:",
  "%{i}",
  "%",
  "redirect=",
  "ip6:::/1",
  "a/33",
];
const MORE_PIECES = [
  "p=",
  "v=",
  "\u0000",
  "é",
  "example.com",
  "exists:%{ir}.x",
  "ptr",
  "mx:",
  "-",
  "0",
  ".",
  "ip4:1.2.3.4/",
  "😀",
];

function mutated(records: Records, random: Random): Records {
  const any = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T;
  const change = (text: string) => {
    let changed = text;
    for (let count = Math.floor(random() * 4); count > 0; count--) {
      const at = Math.floor(random() * (changed.length + 1));
      const piece = any([...PIECES, ...MORE_PIECES]);
      changed = changed.slice(0, at) + piece + changed.slice(at + (random() < 0.5 ? 0 : piece.length));
    }
    return changed;
  };
  const lists = Object.entries(records).map(([type, values]) => [
    type,
    Array.isArray(values) ? [...values.map(change), ...(random() < 0.2 ? values : [])] : values,
  ]);
  return Object.fromEntries(lists);
}
