/** Input for the doctor: a zone in memory, a stopped clock, and loopback only. */
import assert from "node:assert/strict";
import { type Environment, readConfig } from "../../src/config.ts";
import { runChecks } from "../../src/doctor/checks.ts";
import type { DoctorInput, Finding } from "../../src/doctor/finding.ts";
import type { Domain } from "../../src/spool/port/domains.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";

export const NOW_MS = Date.parse("2026-03-01T10:00:00.000Z");
export const HOST = "mta.shop.example";
export const IP = "192.0.2.10";

const LOCATION = { setting: "DATA_DIR", value: "/data" } as const;

export function doctorInput(zone: FakeZone, env: Environment = {}, parts: Partial<DoctorInput> = {}): DoctorInput {
  return {
    config: readConfig({ MTA_HOSTNAME: HOST, BLOCKLISTS: "none", ...env }),
    resolver: fakeResolver(zone),
    secure: null,
    sendingIps: [IP],
    domains: [],
    location: LOCATION,
    clock: fakeClock(NOW_MS),
    ...parts,
  };
}

interface RunOptions {
  zone: FakeZone;
  sendingIps?: string[];
  domains?: Domain[];
  env?: Environment;
}

/** Runs every check. Connects to no host: 192.0.2.0/24 is not a public address. */
export async function runOn(
  dataDir: string,
  { zone, sendingIps = [IP], domains = [], env = {} }: RunOptions,
): Promise<Finding[]> {
  const config = readConfig({ MTA_HOSTNAME: HOST, DATA_DIR: dataDir, ...env });
  return runChecks({
    config,
    resolver: fakeResolver(zone),
    sendingIps,
    domains,
    location: { setting: "DATA_DIR", value: dataDir },
    secure: null,
    clock: fakeClock(NOW_MS),
  });
}

export function findingOf(findings: Finding[], check: string): Finding {
  const found = findings.find((finding) => finding.check === check);
  assert.ok(found, check);
  return found;
}
