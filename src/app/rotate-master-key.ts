/**
 * Replacing the master key while the service is stopped: a running service holds the key and may seal with it at any moment. A
 * rotation writes the new key beside the old one, reseals every secret in one transaction, and then removes the old key. After
 * an interruption, the service and the command line work with both keys, and the same command continues.
 */
import {
  beginMasterKeyRotation,
  finishMasterKeyRotation,
  type MasterKeyState,
  openVault,
  type Vault,
} from "../security/vault.ts";
import type { SealedValue } from "../spool/port/maintenance.ts";
import type { Installation } from "./installation.ts";
import { hasMasterKey, masterKeyState, sealNameOf } from "./master-key.ts";
import { directoryFault, prepareDirectory } from "./startup-checks.ts";

export interface MasterKeyRotation {
  /** Secrets sealed with the new key. */
  resealed: number;
  /** Former DKIM keys and webhook secrets that no master key opens; they stay as they were. */
  unopened: number;
}

/** Rotates the master key. Throws one line where it cannot; the old key then still opens everything. */
export function rotateMasterKey(installation: Installation): MasterKeyRotation {
  const { certsDir } = installation;
  if (!hasMasterKey(installation)) throw new Error(`CERTS_DIR=${certsDir} has no master.key to rotate`);
  const fault = directoryFault(certsDir);
  if (fault !== null) throw new Error(`CERTS_DIR=${certsDir} ${fault}`);
  return withExclusiveLocks(installation, () => resealWithNewKey(installation));
}

/** Makes another key where the old one is lost for good. Returns the secrets that stay sealed with the lost key. */
export function replaceLostMasterKey(installation: Installation): Omit<MasterKeyState, "isRotationUnfinished"> {
  const { certsDir } = installation;
  prepareDirectory("CERTS_DIR", certsDir);
  if (hasMasterKey(installation)) {
    throw new Error(`CERTS_DIR=${certsDir} has a master.key: to replace it, run "postrider master-key rotate"`);
  }
  withExclusiveLocks(installation, () => openVault(certsDir));
  return masterKeyState(installation) ?? NOTHING_SEALED;
}

const NOTHING_SEALED = {
  domains: { opened: 0, unopened: [] },
  secondFactors: { opened: 0, unopened: 0 },
  webhooks: { opened: 0, unopened: 0 },
};

function withExclusiveLocks<T>({ spool }: Installation, run: () => T): T {
  const unlockDataDir = spool.lockDataDir();
  try {
    const unlockSealing = spool.lockSealing({ alone: true });
    try {
      return run();
    } finally {
      unlockSealing();
    }
  } finally {
    unlockDataDir();
  }
}

/** Opens every secret before the rotation begins, so a refusal leaves master.key unchanged. */
function resealWithNewKey({ certsDir, spool }: Installation): MasterKeyRotation {
  const rotation = { resealed: 0, unopened: 0 };
  spool.resealAll((all) => {
    const present = openVault(certsDir);
    const secrets = all.map((sealed) => openSealed(sealed, present));
    rotation.unopened = secrets.filter((secret) => secret === null).length;
    rotation.resealed = secrets.length - rotation.unopened;
    const vault = beginMasterKeyRotation(certsDir);
    return secrets.map((secret) => secret && vault.seal(secret.name, secret.plaintext));
  });
  finishMasterKeyRotation(certsDir);
  return rotation;
}

/** Null for a former secret that does not open: its master key was lost before another secret took its place. */
function openSealed(sealed: SealedValue, vault: Vault): { name: string; plaintext: string } | null {
  const name = sealNameOf(sealed);
  try {
    return { name, plaintext: vault.open(name, sealed.bytes) };
  } catch {
    if (sealed.kind !== "totp" && sealed.isFormer) return null;
    throw new Error(
      `the sealed value ${name} opens with no key in master.key, which is unchanged: put the key that sealed it back, in a line below; if it is lost, see docs/OPERATIONS.md, Keys`,
    );
  }
}
