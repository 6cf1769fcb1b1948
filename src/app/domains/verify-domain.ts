/** Verifying a bound domain now: running its checks and storing their results. domains/ decides what a passing check is. */
import type { CheckContext } from "../../domains/check.ts";
import { saveVerification, verifyBound } from "../../domains/verify.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";
import { finishRotation } from "./rotate-dkim.ts";

export interface CheckTime {
  context: CheckContext;
  nowMs: number;
}

/** Runs all five checks now, and those of the return path if it is on, and stores their results; returns the domain with them. */
export async function verifyNow(registry: Registry, domain: Domain, at: CheckTime): Promise<Domain> {
  const verification = await verifyBound(registry, domain, at);
  await saveVerification(registry, domain.id, verification);
  const { checks, verified, nextCheckAtMs } = verification;
  return { ...domain, checks, verified, nextCheckAtMs };
}

/** Verifies a domain, and completes the rotation of its DKIM key if DNS shows the new record. Does nothing if it is no longer bound. */
export async function verifyAndFinishRotation(
  registry: Registry,
  { accountId, name }: Pick<Domain, "accountId" | "name">,
  at: CheckTime,
): Promise<void> {
  // Read again: other checks of the domain may have run since the caller read it.
  const domain = await registry.domainNamed(accountId, name);
  if (domain === null) return;
  const verified = await verifyNow(registry, domain, at);
  const rotation = (await registry.rotations()).find(({ domainId }) => domainId === domain.id);
  if (rotation === undefined || !(await finishRotation(registry, rotation, { domain: verified, ...at }))) return;
  // The rotation has changed the record that the DKIM check expects.
  const renewed = await registry.domainNamed(accountId, name);
  if (renewed !== null) await verifyNow(registry, renewed, at);
}
