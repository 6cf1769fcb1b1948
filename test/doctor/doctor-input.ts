/** A patient for the doctor: a zone in memory and a clock that stands, on loopback only. */
import { type Environment, readConfig } from "../../src/config.ts";
import type { DoctorInput } from "../../src/doctor/finding.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";

export const NOW_MS = Date.parse("2026-03-01T10:00:00.000Z");
export const HOST = "mta.shop.example";
export const IP = "192.0.2.10";

export function patient(zone: FakeZone, env: Environment = {}, parts: Partial<DoctorInput> = {}): DoctorInput {
  return {
    config: readConfig({ MTA_HOSTNAME: HOST, BLOCKLISTS: "none", ...env }),
    resolver: fakeResolver(zone),
    secure: null,
    sendingIps: [IP],
    domains: [],
    clock: fakeClock(NOW_MS),
    ...parts,
  };
}
