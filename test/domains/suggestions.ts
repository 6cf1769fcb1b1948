/** Publishes the record that a failed check suggests, and asserts that it then passes. */
import assert from "node:assert/strict";
import type { CheckResult, RecordCheck } from "../../src/domains/check.ts";
import { checkDkim } from "../../src/domains/dkim.ts";
import { checkDmarc } from "../../src/domains/dmarc.ts";
import { checkOwnership } from "../../src/domains/ownership.ts";
import { dkimRecord, dmarcRecord, ownershipRecord } from "../../src/domains/records.ts";
import { checkSpf } from "../../src/domains/spf.ts";
import { isWarned } from "../../src/spool/port/domains.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import type { Random } from "./mutations.ts";
import { contextOf, IP4, IP6, sampleDomain } from "./sample.ts";

export const domain = sampleDomain();

export const NAMES: Record<string, string> = {
  ownership: ownershipRecord(domain).name,
  spf: "example.com",
  dkim: dkimRecord(domain).name,
  dmarc: dmarcRecord(domain).name,
};

export const CHECKS: Record<string, RecordCheck> = {
  ownership: checkOwnership,
  spf: checkSpf,
  dkim: checkDkim,
  dmarc: checkDmarc,
};

/** The result of the check for a zone. Asserts that the suggested record is verified without warnings once it is published. */
export async function suggest(check: string, zone: FakeZone, ips = [IP4, IP6]): Promise<CheckResult> {
  const run = CHECKS[check] ?? assert.fail(check);
  const result = await run(domain, contextOf(zone, ips));
  const name = result.expectedAt ?? NAMES[check] ?? "";
  const repaired = { ...zone, [name]: { ...zone[name], TXT: [result.expected] } };
  const after = await run(domain, contextOf(repaired, ips));
  const message = `${JSON.stringify(zone)}: ${result.detail} → ${after.detail}`;
  assert.equal(after.state, "verified", message);
  assert.equal(isWarned(after), false, message);
  assert.equal(after.expected, result.expected, message);
  if (result.state === "failed") assert.ok(result.detail.includes(result.expected), message);
  return result;
}

export const choose = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
