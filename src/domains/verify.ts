/** Runs the five checks of a domain once. verification-state.ts interprets the results; the caller saves them. */
import type { Domain, DomainChecks } from "../spool/port/domains.ts";
import { type CheckContext, type CheckResult, type RecordCheck, replaceControls } from "./check.ts";
import { checkDkim } from "./dkim.ts";
import { checkDmarc } from "./dmarc.ts";
import { checkMx } from "./mx.ts";
import { checkOwnership } from "./ownership.ts";
import { checkSpf } from "./spf.ts";
import { applyResult, isVerified, nextCheckAtMs } from "./verification-state.ts";

export interface Verification {
  checks: DomainChecks;
  verified: boolean;
  nextCheckAtMs: number;
}

/** Runs the five checks concurrently. The resolver bounds the duration. */
export async function verifyDomain(domain: Domain, context: CheckContext, nowMs: number): Promise<Verification> {
  // The sending addresses may change meanwhile, when a node joins.
  const fixed = { ...context };
  const run = async (check: RecordCheck): Promise<CheckResult> => {
    const result = await check(domain, fixed);
    const clean = { ...result, detail: replaceControls(result.detail), expected: replaceControls(result.expected) };
    return result.warnings === undefined ? clean : { ...clean, warnings: result.warnings.map(replaceControls) };
  };
  const [ownership, mx, spf, dkim, dmarc] = await Promise.all([
    run(checkOwnership),
    run(checkMx),
    run(checkSpf),
    run(checkDkim),
    run(checkDmarc),
  ]);
  const checks: DomainChecks = {
    ownership: applyResult(domain.checks.ownership, ownership, nowMs),
    mx: applyResult(domain.checks.mx, mx, nowMs),
    spf: applyResult(domain.checks.spf, spf, nowMs),
    dkim: applyResult(domain.checks.dkim, dkim, nowMs),
    dmarc: applyResult(domain.checks.dmarc, dmarc, nowMs),
  };
  return { checks, verified: isVerified(checks), nextCheckAtMs: nextCheckAtMs(checks, nowMs) };
}
