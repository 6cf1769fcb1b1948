import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findingsTable } from "../../src/cli/doctor.ts";
import { runChecks } from "../../src/doctor/checks.ts";
import { applyResult, GRACE_PERIOD_MS, initialChecks } from "../../src/domains/verification-state.ts";
import type { CheckState, Domain, DomainChecks } from "../../src/spool/port/domains.ts";
import { uncheckedRecord } from "../../src/spool/port/domains.ts";
import type { ReturnPath } from "../../src/spool/port/return-paths.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput, findingOf, NOW_MS, runOn } from "./doctor-input.ts";

const KEY = `v=DKIM1; k=rsa; p=${"A".repeat(392)}`;

function domain(state: CheckState, failedAtMs = NOW_MS): Domain {
  const seen = { state, detail: `Publish ${KEY} instead of “${KEY}”.`, expected: KEY, found: [KEY] };
  const good = { ...seen, state: "verified" as const, detail: "Found." };
  const fresh = initialChecks();
  const checks = Object.fromEntries(
    Object.entries(fresh).map(([name, check]) => [name, applyResult(check, good, failedAtMs - 1)]),
  ) as DomainChecks;
  checks.dkim = applyResult(checks.dkim, seen, failedAtMs);
  return {
    id: "dom_1",
    accountId: "acc_1",
    name: "shop.example",
    token: "t",
    createdAtMs: 0,
    verified: Object.values(checks).every(({ standing }) => standing),
    checks,
    nextCheckAtMs: 0,
    selector: "s",
    publicKey: "k",
  };
}

describe("a domain", () => {
  it("is reported with the end of the grace period of a failing check", async (t) => {
    const finding = findingOf(
      await runOn(tempDir(t), { zone: {}, domains: [domain("failed")] }),
      "domain shop.example",
    );
    assert.equal(finding.state, "warning");
    const end = new Date(NOW_MS + GRACE_PERIOD_MS).toISOString();
    assert.ok(
      finding.detail.startsWith(
        `The domain may still send. dkim first failed at 2026-03-01T10:00:00.000Z, and stops counting as verified at ${end} unless it is fixed. dkim failed: `,
      ),
      finding.detail,
    );
  });

  it("shows full keys in JSON only, and one line in the table", async (t) => {
    const all = await runOn(tempDir(t), { zone: {}, domains: [domain("failed")] });
    assert.ok(findingOf(all, "domain shop.example").detail.includes(KEY));
    const lines = findingsTable(all).split("\n");
    assert.equal(lines.length, all.length + 1);
    for (const line of lines) assert.ok(line.length < 500, line);
    assert.doesNotMatch(findingsTable(all), /A{60}/);
    assert.match(findingsTable(all), /p=A+… instead of “v=DKIM1; k=rsa; p=A+…”\./);
  });

  it("is a warning if its verified checks have warnings, such as an unreachable MX", async (t) => {
    const sound = domain("verified");
    const warning = "The MX host mx.shop.example has no address. Add an A or AAAA record.";
    const mx = { ...sound.checks.mx, detail: `Mail goes there. ${warning}`, warnings: [warning] };
    const warned = { ...sound, checks: { ...sound.checks, mx } };
    const finding = async (one: Domain) =>
      findingOf(await runOn(tempDir(t), { zone: {}, domains: [one] }), "domain shop.example");
    assert.equal((await finding(sound)).state, "ok");
    assert.deepEqual(
      [(await finding(warned)).state, (await finding(warned)).detail],
      ["warning", `The domain may send. mx: ${warning}`],
    );
    const failing = domain("failed");
    const both = await finding({ ...failing, checks: { ...failing.checks, mx } });
    assert.match(
      both.detail,
      /The domain may still send\..* dkim failed: .* mx: The MX host mx\.shop\.example has no address/,
    );
  });
});

describe("a return path", () => {
  it("is reported as ok while it is active without a fault, else with what is wrong", async (t) => {
    const good = { ...uncheckedRecord(), state: "verified" as const, detail: "Found.", standing: true };
    const bad = { ...good, state: "failed" as const, detail: "No MX record.", failedSinceMs: NOW_MS };
    const warned = { ...good, warnings: ["Remove the other MX records."] };
    const finding = async (active: boolean, mx: typeof good | typeof bad) => {
      const checks: ReturnPath["checks"] = { return_path_mx: mx, return_path_spf: good };
      const returnPaths = [{ accountId: "acc_1", domain: "shop.example", sinceMs: 0, active, checks }];
      const findings = await runChecks(doctorInput({}, { DATA_DIR: tempDir(t) }, { returnPaths }));
      const { state, detail } = findingOf(findings, "return_path shop.example");
      return `${state}: ${detail}`;
    };
    assert.equal(await finding(true, good), "ok: The return path is active.");
    assert.equal(
      await finding(true, warned),
      "warning: The return path is active. return_path_mx: Remove the other MX records.",
    );
    assert.equal(await finding(true, bad), "warning: The return path is active. return_path_mx failed: No MX record.");
    assert.match(await finding(false, bad), /^warning: The return path is not active: .* return_path_mx failed: No MX/);
  });
});
