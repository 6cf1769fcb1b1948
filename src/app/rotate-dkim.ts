/**
 * A DKIM key that takes over from another: made beside it, and signing only once its record is seen. Here because it
 * joins domains/, the vault and the registry, as binding.ts does.
 */
import type { CheckContext } from "../domains/check.ts";
import { checkDkim } from "../domains/dkim.ts";
import { createDomain } from "../domains/new-domain.ts";
import { dkimSealName, type Vault } from "../security/vault.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { Domain, Rotation } from "../spool/port/domains.ts";

/** Makes the next key with a selector of its own; a key that waited before is dropped. */
export async function startRotation(
  registry: Registry,
  vault: Vault,
  at: { domain: Domain; nowMs: number },
): Promise<void> {
  const { domain, nowMs } = at;
  const made = await createDomain({ accountId: domain.accountId, name: domain.name, nowMs });
  const { selector, publicKey, privateKeyPem } = made;
  const sealedPrivateKey = vault.seal(dkimSealName(domain.name, selector), privateKeyPem);
  await registry.startRotation({ domainId: domain.id, selector, publicKey, sealedPrivateKey, startedAtMs: nowMs });
}

/** Lets the waiting key take over if DNS shows its record. Returns whether it did. */
export async function finishRotation(
  registry: Registry,
  rotation: Rotation,
  at: { domain: Domain; context: CheckContext; nowMs: number },
): Promise<boolean> {
  const { domain, context, nowMs } = at;
  const { selector, publicKey } = rotation;
  const seen = await checkDkim({ ...domain, selector, publicKey }, context);
  if (seen.state !== "verified") return false;
  return registry.finishRotation(domain.id, nowMs);
}

/**
 * Looks at every key that waits: an account's one after another, accounts side by side, so that slow DNS delays keys of
 * the same account only. `underWay` holds the accounts that an earlier look is not through with; they are left out.
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
