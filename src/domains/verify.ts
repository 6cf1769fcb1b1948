/**
 * One look at all five checks of a domain.
 * Decides nothing itself: each check says what it saw, standing.ts what that means. Saving is left to the caller.
 */
import type { Domain, DomainChecks } from "../spool/port/domains.ts";
import { type Check, type CheckContext, printable, type Seen } from "./check.ts";
import { checkDkim } from "./dkim.ts";
import { checkDmarc } from "./dmarc.ts";
import { checkMx } from "./mx.ts";
import { checkOwnership } from "./ownership.ts";
import { checkSpf } from "./spf.ts";
import { applyCheck, nextCheckAtMs, standing } from "./standing.ts";

export interface Verification {
  checks: DomainChecks;
  verified: boolean;
  nextCheckAtMs: number;
}

/** Runs the five checks side by side; bounded in time by the resolver. */
export async function verifyDomain(domain: Domain, context: CheckContext, nowMs: number): Promise<Verification> {
  const look = async (check: Check): Promise<Seen> => {
    const seen = await check(domain, context);
    const clean = { ...seen, detail: printable(seen.detail), expected: printable(seen.expected) };
    return seen.warnings === undefined ? clean : { ...clean, warnings: seen.warnings.map(printable) };
  };
  const [ownership, mx, spf, dkim, dmarc] = await Promise.all([
    look(checkOwnership),
    look(checkMx),
    look(checkSpf),
    look(checkDkim),
    look(checkDmarc),
  ]);
  const checks: DomainChecks = {
    ownership: applyCheck(domain.checks.ownership, ownership, nowMs),
    mx: applyCheck(domain.checks.mx, mx, nowMs),
    spf: applyCheck(domain.checks.spf, spf, nowMs),
    dkim: applyCheck(domain.checks.dkim, dkim, nowMs),
    dmarc: applyCheck(domain.checks.dmarc, dmarc, nowMs),
  };
  return { checks, verified: standing(checks), nextCheckAtMs: nextCheckAtMs(checks, nowMs) };
}
