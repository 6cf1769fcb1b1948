import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyDomain } from "../../src/domains/verify.ts";
import { CHECK_NAMES } from "../../src/spool/port/domains.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { mutated, seeded } from "./mutations.ts";
import { contextOf, goodZone, IP4, IP6, sampleDomain } from "./sample.ts";

const DAY = 86_400_000;

test("verifies a domain with all records", async () => {
  const { checks, verified, nextCheckAtMs } = await verifyDomain(sampleDomain(), contextOf(goodZone()), 1000);
  assert.equal(verified, true);
  assert.equal(nextCheckAtMs, 1000 + DAY);
  for (const name of CHECK_NAMES) {
    assert.equal(checks[name].state, "verified", checks[name].detail);
    assert.equal(checks[name].checkedAtMs, 1000);
  }
});

test("one missing record fails only its own check", async () => {
  const zone = goodZone();
  delete zone["_dmarc.example.com"];
  const { checks, verified } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  assert.equal(verified, false);
  assert.deepEqual(
    CHECK_NAMES.filter((name) => checks[name].state !== "verified"),
    ["dmarc"],
  );
});

test("a verified domain stays verified while the DNS is down", async () => {
  const first = await verifyDomain(sampleDomain(), contextOf(goodZone()), 0);
  const domain = { ...sampleDomain(), ...first };
  const down = new Proxy({} as FakeZone, {
    get: () => ({ TXT: { failure: "ESERVFAIL" }, MX: { failure: "ETIMEOUT" } }),
  });
  const { checks, verified, nextCheckAtMs } = await verifyDomain(domain, contextOf(down), 30 * DAY);
  assert.equal(verified, true);
  assert.equal(nextCheckAtMs, 30 * DAY + 300_000);
  for (const name of CHECK_NAMES) assert.equal(checks[name].state, "temporary_failure", name);
});

test("no sentence contains control characters from the DNS", async () => {
  const zone = goodZone();
  zone["example.com"] = { TXT: ["v=spf1 \u001b[31mip9:x -all"], MX: ["10 \u0007mail"] };
  zone["_dmarc.example.com"] = { TXT: ["v=DMARC1; \u009b=x\u202e"] };
  zone["_postrider.example.com"] = { TXT: ["\u001b]0;x\u0007"] };
  const { checks } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters.
  assert.doesNotMatch(JSON.stringify(Object.values(checks)).replaceAll("\\u", "\u0001"), /[\u0001\u007f-\u009f\u202e]/);
});

test("no DNS content makes a check throw", async () => {
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

test("results of huge answers are bounded", async () => {
  const huge = Array.from({ length: 50 }, () => `v=spf1 ${"v=DKIM1;v=DMARC1;p=".repeat(3000)}`);
  const spaces = `v${" ".repeat(60_000)}x`;
  const zone = Object.fromEntries(Object.keys(goodZone()).map((name) => [name, { TXT: [spaces, ...huge] }]));
  const { checks } = await verifyDomain(sampleDomain(), contextOf(zone), 0);
  assert.ok(JSON.stringify(checks).length < 100_000);
});
