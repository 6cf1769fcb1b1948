/**
 * The master key in CERTS_DIR against the secrets in the spool: whether it opens them, and whether a new one may be made. Never
 * beside secrets that it could not open, unless an operator declares their key lost.
 */
import { resolve } from "node:path";
import {
  dkimSealName,
  type MasterKeyState,
  openVault,
  secretSealName,
  totpSealName,
  type Vault,
  webhookSealName,
} from "../../security/vault.ts";
import type { SealedValue } from "../../spool/port/maintenance.ts";
import type { Installation } from "./installation-parts.ts";
import { hasFile, SettingError } from "./startup-checks.ts";

export const MASTER_KEY_FILE = "master.key";

/** Values of each kind that are tried. */
const TRIED_MAX = 1000;

export const hasMasterKey = ({ certsDir }: Pick<Installation, "certsDir">): boolean =>
  hasFile("CERTS_DIR", certsDir, MASTER_KEY_FILE);

/** A master key is in use, and CERTS_DIR has none. */
export class MissingMasterKey extends SettingError {
  override name = "MissingMasterKey";
}

/**
 * Opens the vault, which seals with the key in use. Makes a key if none is in use yet. Rejects with MissingMasterKey if one is,
 * and with SettingError if it is another one.
 */
export async function openInstalledVault(installation: Installation): Promise<Vault> {
  const { certsDir, spool } = installation;
  const makeKey = (): string => openVault(certsDir).fingerprints[0];
  if (!hasMasterKey(installation) && !(await spool.makeFirstKey(makeKey))) {
    throw new MissingMasterKey(describeMissingKey(installation));
  }
  const vault = openVault(certsDir);
  const inUse = await spool.keyInUse();
  const sealing = inUse === null ? vault : vault.sealingWith(inUse);
  if (sealing !== null) return sealing;
  const { setting, value } = spool.location;
  throw new SettingError(
    `CERTS_DIR=${certsDir} has another master.key than the nodes that use ${setting}=${value}: copy master.key from one of them`,
  );
}

export function describeMissingKey({
  certsDir,
  spool: { location },
}: Pick<Installation, "certsDir" | "spool">): string {
  const { setting, value } = location;
  const missing = `CERTS_DIR=${certsDir} has no master.key`;
  const otherwise = 'if it is lost, run "postrider master-key new"';
  return setting === "DATA_DIR"
    ? `${missing}, but DATA_DIR=${value} holds secrets sealed with one: put the key back into ${resolve(certsDir)}; ${otherwise}`
    : `${missing}, but the nodes that use DATABASE_URL=${value} have one: copy it from one of them into ${resolve(certsDir)}; ${otherwise}`;
}

/** Tries the key on the sealed values. Null if values are sealed and there is no key. */
export async function masterKeyState(
  installation: Pick<Installation, "certsDir" | "spool">,
): Promise<MasterKeyState | null> {
  const values = await installation.spool.sealedValues(TRIED_MAX);
  if (!hasMasterKey(installation)) return values.length === 0 ? stateOf([], null) : null;
  return stateOf(values, openVault(installation.certsDir));
}

/** The name that a stored value was sealed under. */
export function sealNameOf(value: SealedValue): string {
  switch (value.kind) {
    case "dkim":
      return dkimSealName(value.domain, value.selector);
    case "totp":
      return totpSealName(value.userId);
    case "webhook":
      return webhookSealName(value.endpointId);
    case "secret":
      return secretSealName(value.name);
  }
}

function stateOf(values: SealedValue[], vault: Vault | null): MasterKeyState {
  const state: MasterKeyState = {
    domains: { opened: 0, unopened: [] },
    secondFactors: { opened: 0, unopened: 0 },
    webhooks: { opened: 0, unopened: 0 },
    isRotationUnfinished: vault?.isRotationUnfinished ?? false,
  };
  for (const value of values) {
    const isOpened = vault !== null && opens(value, vault);
    const counted = isOpened ? "opened" : "unopened";
    if (value.kind === "secret") continue;
    if (value.kind === "totp") state.secondFactors[counted] += 1;
    else if (value.kind === "webhook") state.webhooks[counted] += 1;
    else if (isOpened) state.domains.opened += 1;
    else state.domains.unopened.push(value.domain);
  }
  return state;
}

function opens(value: SealedValue, vault: Vault): boolean {
  try {
    vault.open(sealNameOf(value), value.bytes);
    return true;
  } catch {
    return false;
  }
}
