/** The doctor's findings: what stops delivery, what hurts it, and what only could not be told. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findingsTable } from "../../src/cli/doctor.ts";
import { readConfig } from "../../src/config.ts";
import { diskFinding } from "../../src/doctor/disk.ts";
import { examine, type Finding } from "../../src/doctor/examine.ts";
import { applyCheck, GRACE_MS, initialChecks } from "../../src/domains/standing.ts";
import type { CheckState, Domain, DomainChecks } from "../../src/spool/port/domains.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";
import { tempDir } from "../support/temp-dir.ts";

const HOST = "mta.shop.example";
const IP = "192.0.2.10";
const SERVFAIL = { trouble: "ESERVFAIL" };
const NOW_MS = Date.parse("2026-03-01T10:00:00.000Z");

interface Case {
  zone: FakeZone;
  sendingIps?: string[];
  domains?: Domain[];
}

async function findings(dataDir: string, { zone, sendingIps = [IP], domains = [] }: Case): Promise<Finding[]> {
  // Nothing may be connected to: 192.0.2.0/24 is refused as no public address.
  const config = readConfig({ MTA_HOSTNAME: HOST, DATA_DIR: dataDir });
  return examine({ config, resolver: fakeResolver(zone), sendingIps, domains, secure: null, clock: fakeClock(NOW_MS) });
}

function named(all: Finding[], check: string): Finding {
  const found = all.find((finding) => finding.check === check);
  assert.ok(found, check);
  return found;
}

describe("the doctor", () => {
  it("tells a name that resolves to nothing from one that could not be looked up", async (t) => {
    const dir = tempDir(t);
    const nothing = named(await findings(dir, { zone: {} }), "hostname");
    assert.deepEqual([nothing.state, /resolves to nothing/.test(nothing.detail)], ["warning", true]);
    const here = named(await findings(dir, { zone: { [HOST]: { A: [IP], AAAA: SERVFAIL } } }), "hostname");
    assert.equal(here.state, "ok");
    for (const records of [{ A: SERVFAIL }, { A: ["192.0.2.99"], AAAA: SERVFAIL }]) {
      const trouble = named(await findings(dir, { zone: { [HOST]: records } }), "hostname");
      assert.deepEqual([trouble.state, /failed \(ESERVFAIL\)/.test(trouble.detail)], ["unclear", true]);
      assert.doesNotMatch(trouble.detail, /resolves to/);
    }
  });

  it("does so for reverse names too", async (t) => {
    const dir = tempDir(t);
    const reverse = async (zone: FakeZone) => named(await findings(dir, { zone }), `reverse_dns ${IP}`);
    assert.equal((await reverse({ [IP]: { PTR: [HOST] }, [HOST]: { A: [IP] } })).state, "ok");
    assert.equal((await reverse({ [IP]: { PTR: [HOST] }, [HOST]: { A: ["192.0.2.9"] } })).state, "problem");
    assert.equal((await reverse({})).state, "problem");
    assert.equal((await reverse({ [IP]: { PTR: SERVFAIL } })).state, "unclear");
    const forward = await reverse({ [IP]: { PTR: [HOST] }, [HOST]: { A: SERVFAIL } });
    assert.deepEqual([forward.state, /look-up of mta\.shop\.example failed/.test(forward.detail)], ["unclear", true]);
  });

  it("says why no sending address and no mail exchanger to try is known", async (t) => {
    const dir = tempDir(t);
    const silent = await findings(dir, {
      zone: { [HOST]: { A: SERVFAIL }, "gmail.com": { MX: SERVFAIL } },
      sendingIps: [],
    });
    assert.match(named(silent, "sending_ips").detail, /look-up of mta\.shop\.example failed \(ESERVFAIL\)/);
    assert.match(named(silent, "outbound_smtp").detail, /failed \(ESERVFAIL\)/);
    const empty = await findings(dir, { zone: {}, sendingIps: [] });
    assert.equal(named(empty, "sending_ips").state, "problem");
    assert.doesNotMatch(named(empty, "sending_ips").detail, /failed/);
    assert.match(named(empty, "outbound_smtp").detail, /have no mail exchanger/);
  });

  it("calls the resolver dead only when it answers nothing at all", async (t) => {
    const dir = tempDir(t);
    const own = named(await findings(dir, { zone: { [HOST]: { TXT: SERVFAIL } } }), "resolver");
    assert.equal(own.state, "ok");
    const zone = { [HOST]: { TXT: SERVFAIL }, "gmail.com": { MX: SERVFAIL }, "outlook.com": { MX: SERVFAIL } };
    assert.equal(named(await findings(dir, { zone }), "resolver").state, "problem");
  });

  it("calls a disk that is full or nearly so a problem, and one that fills a warning", async (t) => {
    const MIB = 1024 ** 2;
    const state = (freeMib: number) => diskFinding("/data", freeMib * MIB).state;
    assert.deepEqual([0, 100, 500, 2000].map(state), ["problem", "problem", "warning", "ok"]);
    assert.match(diskFinding("/data", 0).detail, /^0 MiB are free where the spool lies \(\/data\)\. Make room/);
    const below = named(await findings(`${tempDir(t)}/not/made/yet`, { zone: {} }), "disk");
    assert.match(below.detail, /MiB are free/);
  });
});

const KEY = `v=DKIM1; k=rsa; p=${"A".repeat(392)}`;

function domain(state: CheckState, failedAtMs = NOW_MS): Domain {
  const seen = { state, detail: `Publish ${KEY} instead of “${KEY}”.`, expected: KEY, found: [KEY] };
  const good = { ...seen, state: "verified" as const, detail: "Found." };
  const fresh = initialChecks();
  const checks = Object.fromEntries(
    Object.entries(fresh).map(([name, check]) => [name, applyCheck(check, good, failedAtMs - 1)]),
  ) as DomainChecks;
  checks.dkim = applyCheck(checks.dkim, seen, failedAtMs);
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

describe("the doctor on a domain", () => {
  it("says until when a failing check still counts", async (t) => {
    const finding = named(await findings(tempDir(t), { zone: {}, domains: [domain("failed")] }), "domain shop.example");
    assert.equal(finding.state, "warning");
    const end = new Date(NOW_MS + GRACE_MS).toISOString();
    assert.ok(
      finding.detail.startsWith(
        `It may still send. dkim first failed at 2026-03-01T10:00:00.000Z, and stops counting as verified at ${end} unless it is fixed. dkim failed: `,
      ),
      finding.detail,
    );
  });

  it("shows whole keys in JSON only, and one line each in the table", async (t) => {
    const all = await findings(tempDir(t), { zone: {}, domains: [domain("failed")] });
    assert.ok(named(all, "domain shop.example").detail.includes(KEY));
    const lines = findingsTable(all).split("\n");
    assert.equal(lines.length, all.length + 1);
    for (const line of lines) assert.ok(line.length < 500, line);
    assert.doesNotMatch(findingsTable(all), /A{60}/);
    assert.match(findingsTable(all), /p=A+… instead of “v=DKIM1; k=rsa; p=A+…”\./);
  });

  it("warns of a domain whose verified checks have warnings, such as an MX that mail cannot reach", async (t) => {
    const sound = domain("verified");
    const warning = "The MX host mx.shop.example has no address: give it an A or AAAA record.";
    const mx = { ...sound.checks.mx, detail: `Mail goes there. ${warning}`, warnings: [warning] };
    const warned = { ...sound, checks: { ...sound.checks, mx } };
    const finding = async (one: Domain) =>
      named(await findings(tempDir(t), { zone: {}, domains: [one] }), "domain shop.example");
    assert.equal((await finding(sound)).state, "ok");
    assert.deepEqual(
      [(await finding(warned)).state, (await finding(warned)).detail],
      ["warning", `It may send. mx: ${warning}`],
    );
    const failing = domain("failed");
    const both = await finding({ ...failing, checks: { ...failing.checks, mx } });
    assert.match(both.detail, /It may still send\..* dkim failed: .* mx: The MX host mx\.shop\.example has no address/);
  });
});
