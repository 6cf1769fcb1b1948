import assert from "node:assert/strict";
import { test } from "node:test";
import { saveVerification, verifyBound, verifyDomain } from "../../src/domains/verify.ts";
import {
  CHECK_NAMES,
  type DomainCheck,
  RETURN_PATH_CHECK_NAMES,
  uncheckedRecord,
} from "../../src/spool/port/domains.ts";
import type { ReturnPath } from "../../src/spool/port/return-paths.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { mutated, seeded } from "./mutations.ts";
import { contextOf, goodZone, IP4, IP6, PUBLIC_IP4, sampleDomain } from "./sample.ts";

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

/** The zone of a domain with a return path. */
const zoneWithReturnPath = (): FakeZone => ({
  ...goodZone(),
  "mta.sender.example": { A: [PUBLIC_IP4] },
  "bounces.example.com": { MX: ["10 mta.sender.example"], TXT: [`v=spf1 ip4:${IP4} -all`] },
  "_dmarc.example.com": { TXT: ["v=DMARC1; p=none; rua=mailto:dmarc-reports@bounces.example.com"] },
});

const returnPath = (checks: Partial<ReturnPath["checks"]> = {}): ReturnPath => ({
  accountId: "acc_1",
  domain: "example.com",
  active: false,
  sinceMs: 0,
  checks: { return_path_mx: uncheckedRecord(), return_path_spf: uncheckedRecord(), ...checks },
});

const verified = (path: ReturnPath | null, zone: FakeZone, nowMs: number) => {
  const registry = { returnPathNamed: async () => path };
  return verifyBound(registry, sampleDomain(), { context: contextOf(zone), nowMs });
};

test("a return path that is on becomes active once both of its records are published", async () => {
  const zone = zoneWithReturnPath();
  const active = await verified(returnPath(), zone, 7);
  assert.equal(active.returnPath?.active, true);
  assert.equal(active.nextCheckAtMs, 7 + DAY);
  for (const name of RETURN_PATH_CHECK_NAMES) assert.equal(active.returnPath.checks[name].state, "verified");
  delete zone["bounces.example.com"]?.TXT;
  const missing = await verified(returnPath(), zone, 7);
  assert.deepEqual([missing.returnPath?.active, missing.verified], [false, true], "the domain may send without it");
  assert.equal(missing.nextCheckAtMs, 7 + 300_000);
  const off = await verified(null, zone, 7);
  assert.deepEqual([off.returnPath, off.nextCheckAtMs], [null, 7 + DAY]);
});

test("an active return path stays active for a grace period, and while the DNS is down", async () => {
  const zone = zoneWithReturnPath();
  const { returnPath: active } = await verified(returnPath(), zone, 0);
  assert.ok(active);
  zone["bounces.example.com"] = {};
  const failing = (await verified(active, zone, DAY)).returnPath ?? assert.fail();
  assert.deepEqual([failing.active, failing.checks.return_path_mx.state], [true, "failed"]);
  assert.equal((await verified(failing, zone, 2 * DAY)).returnPath?.active, false);
  zone["bounces.example.com"] = { MX: { failure: "ETIMEOUT" }, TXT: { failure: "ETIMEOUT" } };
  const down = (await verified(active, zone, 30 * DAY)).returnPath;
  assert.deepEqual([down?.active, down?.checks.return_path_spf.state], [true, "temporary_failure"]);
});

test("no DNS content makes a check of a return path throw", async () => {
  const random = seeded(23);
  for (let round = 0; round < 250; round++) {
    const zone = Object.fromEntries(
      Object.entries(zoneWithReturnPath()).map(([name, records]) => [name, mutated(records, random)] as const),
    );
    const { returnPath: path } = await verified(returnPath(), zone, 0);
    const checks: DomainCheck[] = Object.values(path?.checks ?? {});
    assert.equal(checks.length, 2);
    for (const { detail, state } of checks) {
      assert.ok(detail.length > 0);
      assert.notEqual(state, "temporary_failure", `${detail} ${JSON.stringify(zone)}`);
    }
  }
});

test("the results of the return path are stored before those that set the time of the next check", async () => {
  const saved: string[] = [];
  const registry = {
    saveReturnPath: async ({ active }: { active: boolean }) => void saved.push(`return path ${active}`),
    saveChecks: async (id: string) => void saved.push(id),
  };
  await saveVerification(registry, "dom_1", await verified(returnPath(), zoneWithReturnPath(), 0));
  await saveVerification(registry, "dom_2", await verified(null, zoneWithReturnPath(), 0));
  assert.deepEqual(saved, ["return path true", "dom_1", "dom_2"]);
});
