/**
 * Runs the checks of a domain and of its return path once, and stores their results. verification-state.ts interprets the
 * results.
 */
import type { Registry } from "../spool/port/accounts.ts";
import type { Domain, DomainCheck, DomainChecks } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import {
  type CheckContext,
  type CheckResult,
  type PublishingDomain,
  type RecordCheck,
  replaceControls,
} from "./check.ts";
import { checkDkim } from "./dkim.ts";
import { checkDmarc } from "./dmarc.ts";
import { checkMx } from "./mx.ts";
import { watchOmissions } from "./omitted-records.ts";
import { checkOwnership } from "./ownership.ts";
import { checkReturnPathMx } from "./return-path-mx.ts";
import { checkReturnPathSpf } from "./return-path-spf.ts";
import { checkSpf } from "./spf.ts";
import { applyResult, isActive, isVerified, nextCheckAtMs } from "./verification-state.ts";

export interface Verification {
  checks: DomainChecks;
  verified: boolean;
  nextCheckAtMs: number;
}

/** Runs the five checks concurrently. The resolver bounds the duration. */
export async function verifyDomain(
  domain: Domain & Pick<PublishingDomain, "hasReturnPath">,
  context: CheckContext,
  nowMs: number,
): Promise<Verification> {
  const run = runnerOf(domain, context, nowMs);
  const [ownership, mx, spf, dkim, dmarc] = await Promise.all([
    run(checkOwnership, domain.checks.ownership),
    run(checkMx, domain.checks.mx),
    run(checkSpf, domain.checks.spf),
    run(checkDkim, domain.checks.dkim),
    run(checkDmarc, domain.checks.dmarc),
  ]);
  const checks: DomainChecks = { ownership, mx, spf, dkim, dmarc };
  return { checks, verified: isVerified(checks), nextCheckAtMs: nextCheckAtMs(checks, nowMs) };
}

/** Runs the two checks of a domain's return path. */
async function verifyReturnPath(
  path: ReturnPath,
  run: ReturnType<typeof runnerOf>,
): Promise<Pick<ReturnPath, "checks" | "active">> {
  const { return_path_mx: mx, return_path_spf: spf } = path.checks;
  const [nextMx, nextSpf] = await Promise.all([run(checkReturnPathMx, mx), run(checkReturnPathSpf, spf)]);
  const checks = { return_path_mx: nextMx, return_path_spf: nextSpf };
  return { checks, active: isActive(checks) };
}

/** Returns a function that runs a check, and returns its state after the run. */
function runnerOf(domain: PublishingDomain, context: CheckContext, nowMs: number) {
  // The sending addresses may change meanwhile, when a node joins.
  const fixed = { ...context };
  return async (check: RecordCheck, previous: DomainCheck): Promise<DomainCheck> => {
    const { resolver, omissions } = watchOmissions(context.resolver);
    const result = await check(domain, { ...fixed, resolver });
    const detail = result.state === "verified" ? result.detail : [result.detail, ...omissions()].join(" ");
    return applyResult(previous, withoutControls({ ...result, detail }), nowMs);
  };
}

function withoutControls(result: CheckResult): CheckResult {
  const clean = { ...result, detail: replaceControls(result.detail), expected: replaceControls(result.expected) };
  return result.warnings === undefined ? clean : { ...clean, warnings: result.warnings.map(replaceControls) };
}

/** The results for a bound domain, which the caller saves. */
export interface BoundVerification extends Verification {
  /** Null if the return path is off. */
  returnPath: ReturnPath | null;
}

/** Runs the checks of a bound domain, and those of its return path if that is on. */
export async function verifyBound(
  registry: Pick<Registry, "returnPathNamed">,
  domain: Domain,
  { context, nowMs }: { context: CheckContext; nowMs: number },
): Promise<BoundVerification> {
  const path = await registry.returnPathNamed(domain.accountId, domain.name);
  const [verification, ofPath] = await Promise.all([
    verifyDomain({ ...domain, hasReturnPath: path !== null }, context, nowMs),
    path === null ? null : verifyReturnPath(path, runnerOf(domain, context, nowMs)),
  ]);
  if (path === null || ofPath === null) return { ...verification, returnPath: null };
  const nextMs = Math.min(verification.nextCheckAtMs, nextCheckAtMs(ofPath.checks, nowMs));
  return { ...verification, nextCheckAtMs: nextMs, returnPath: { ...path, ...ofPath } };
}

/** Stores the results. Those of the domain are the last, and with them the time of its next check. */
export async function saveVerification(
  registry: Pick<Registry, "saveChecks" | "saveReturnPath">,
  domainId: string,
  { checks, verified, nextCheckAtMs: nextMs, returnPath }: BoundVerification,
): Promise<void> {
  if (returnPath !== null) await registry.saveReturnPath(returnPath);
  await registry.saveChecks(domainId, checks, verified, nextMs);
}
