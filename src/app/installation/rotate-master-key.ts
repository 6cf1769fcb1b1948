/**
 * Replacing the master key while the service, or every node of it, is stopped: a running one holds the key and may seal with it at
 * any moment. A rotation writes the new key beside the old one, reseals every secret in one transaction, and then removes the old key. After
 * an interruption, the service and the command line work with both keys, and the same command continues.
 */
import {
  beginMasterKeyRotation,
  finishMasterKeyRotation,
  type MasterKeyState,
  openVault,
  type Vault,
} from "../../security/vault.ts";
import type { KeyExchange, SealedValue } from "../../spool/port/maintenance.ts";
import type { Installation } from "./installation-parts.ts";
import { hasMasterKey, masterKeyState, openInstalledVault, sealNameOf } from "./master-key.ts";
import { directoryFault, prepareDirectory } from "./startup-checks.ts";

export interface MasterKeyRotation {
  /** Secrets sealed with the new key. */
  resealed: number;
  /** Former DKIM keys and webhook secrets, and replaceable secrets, that no master key opens; they stay as they were. */
  unopened: number;
}

/** Rotates the master key. Rejects with one line where it cannot; the old key then still opens everything. */
export async function rotateMasterKey(installation: Installation): Promise<MasterKeyRotation> {
  const { certsDir } = installation;
  if (!hasMasterKey(installation)) throw new Error(`CERTS_DIR=${certsDir} has no master.key to rotate`);
  const fault = directoryFault(certsDir);
  if (fault !== null) throw new Error(`CERTS_DIR=${certsDir} ${fault}`);
  return installation.spool.exchangeKey((values) => resealWithNewKey(installation, values));
}

/** Makes another key where the old one is lost. Returns the secrets that stay sealed with the lost key. */
export async function replaceLostMasterKey(
  installation: Installation,
): Promise<Omit<MasterKeyState, "isRotationUnfinished">> {
  const { certsDir } = installation;
  prepareDirectory("CERTS_DIR", certsDir);
  if (hasMasterKey(installation)) {
    throw new Error(`CERTS_DIR=${certsDir} has a master.key: to replace it, run "postrider master-key rotate"`);
  }
  await installation.spool.exchangeKey(async (values) => {
    await values.forgetKey();
    openVault(certsDir);
  });
  return (await masterKeyState(installation)) ?? NOTHING_SEALED;
}

const NOTHING_SEALED = {
  domains: { opened: 0, unopened: [] },
  secondFactors: { opened: 0, unopened: 0 },
  webhooks: { opened: 0, unopened: 0 },
};

/** Opens every secret before the rotation begins, so a refusal leaves master.key unchanged. */
async function resealWithNewKey(installation: Installation, values: KeyExchange): Promise<MasterKeyRotation> {
  const { certsDir } = installation;
  const rotation = { resealed: 0, unopened: 0 };
  const present = await openInstalledVault(installation);
  await values.resealAll((all) => {
    const secrets = all.map((sealed) => openSealed(sealed, present));
    rotation.unopened = secrets.filter((secret) => secret === null).length;
    rotation.resealed = secrets.length - rotation.unopened;
    const vault = beginMasterKeyRotation(certsDir);
    const resealed = secrets.map((secret) => secret && vault.seal(secret.name, secret.plaintext));
    return { values: resealed, fingerprint: vault.fingerprints[0] };
  });
  finishMasterKeyRotation(certsDir);
  return rotation;
}

/**
 * Null for a former secret that does not open, whose master key was lost before another secret took its place, and for a secret
 * of the whole service, which makes another one.
 */
function openSealed(sealed: SealedValue, vault: Vault): { name: string; plaintext: string } | null {
  const name = sealNameOf(sealed);
  try {
    return { name, plaintext: vault.open(name, sealed.bytes) };
  } catch {
    if (sealed.kind === "secret" || (sealed.kind !== "totp" && sealed.isFormer)) return null;
    throw new Error(
      `the sealed value ${name} opens with no key in master.key, which is unchanged: put the key that sealed it back, in a line below; if it is lost, see docs/OPERATIONS.md#keys`,
    );
  }
}
