/** Rotating a domain's DKIM key: the next key is stored beside the present one, and signs only once DNS shows its record. */

import type { CheckContext } from "../../domains/check.ts";
import { checkDkim } from "../../domains/dkim.ts";
import { generateDkimKey } from "../../domains/dkim-key.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { MINUTE_MS } from "../../lib/units.ts";
import { dkimSealName, type Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain, Rotation } from "../../spool/port/domains.ts";

/** Between checks for the records of waiting keys. */
const CHECK_INTERVAL_MS = 5 * MINUTE_MS;

/** Creates the next key with its own selector; an earlier key still waiting for its record is dropped. */
export async function startRotation(
  registry: Registry,
  vault: Vault,
  at: { domain: Domain; nowMs: number },
): Promise<void> {
  const { domain, nowMs } = at;
  const { selector, publicKey, privateKeyPem } = await generateDkimKey();
  const sealedPrivateKey = vault.seal(dkimSealName(domain.name, selector), privateKeyPem);
  await registry.startRotation({ domainId: domain.id, selector, publicKey, sealedPrivateKey, startedAtMs: nowMs });
}

/** Activates the next key if DNS shows its record. Returns whether it did. */
export async function finishRotation(
  registry: Registry,
  rotation: Rotation,
  at: { domain: Domain; context: CheckContext; nowMs: number },
): Promise<boolean> {
  const { domain, context, nowMs } = at;
  const { selector, publicKey } = rotation;
  const check = await checkDkim({ ...domain, selector, publicKey }, context);
  if (check.state !== "verified") return false;
  return registry.finishRotation(domain.id, selector, nowMs);
}

/**
 * Checks every waiting key: those of an account one after another, those of different accounts concurrently, so slow DNS delays
 * keys of the same account only. `underWay` holds the accounts that an earlier call is still checking; they are skipped.
 */
export async function finishRotations(
  registry: Registry,
  { underWay, ...at }: { context: CheckContext; nowMs: number; underWay: Set<string> },
): Promise<void> {
  const waiting = new Map((await registry.rotations()).map((rotation) => [rotation.domainId, rotation]));
  if (waiting.size === 0) return;
  const finishOf = async (accountId: string): Promise<void> => {
    underWay.add(accountId);
    try {
      for (const domain of await registry.domains(accountId)) {
        const rotation = waiting.get(domain.id);
        if (rotation !== undefined) await finishRotation(registry, rotation, { domain, ...at });
      }
    } finally {
      underWay.delete(accountId);
    }
  };
  const accounts = (await registry.accounts()).filter(({ id }) => !underWay.has(id));
  await Promise.all(accounts.map(({ id }) => finishOf(id)));
}

export interface RotationCheckParts {
  registry: Registry;
  context: CheckContext;
  clock: Clock;
  log: Logger;
}

/** Checks waiting keys regularly; returns how to stop. */
export function startRotationChecks({ registry, context, clock, log }: RotationCheckParts): () => void {
  const underWay = new Set<string>();
  let cancel = (): void => {};
  const checkLater = (): void => {
    cancel = clock.after(CHECK_INTERVAL_MS, () => {
      finishRotations(registry, { context, nowMs: clock.now(), underWay }).catch((error) => {
        log.warn({ err: error }, "DKIM rotation check failed");
      });
      checkLater();
    });
  };
  checkLater();
  return () => cancel();
}
