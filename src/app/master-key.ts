/**
 * The master key in CERTS_DIR against the secrets in the spool: whether it opens them, and whether a new one may be made. Never
 * beside secrets that it could not open, unless an operator declares their key lost.
 */
import { resolve } from "node:path";
import {
  dkimSealName,
  type MasterKeyState,
  openVault,
  totpSealName,
  type Vault,
  webhookSealName,
} from "../security/vault.ts";
import type { SealedValue } from "../spool/port/maintenance.ts";
import type { Installation } from "./installation.ts";
import { hasFile, SettingError } from "./startup-checks.ts";

export const MASTER_KEY_FILE = "master.key";

/** Values of each kind that are tried. */
const TRIED_MAX = 1000;

export const hasMasterKey = ({ certsDir }: Pick<Installation, "certsDir">): boolean =>
  hasFile("CERTS_DIR", certsDir, MASTER_KEY_FILE);

/** Opens the vault. Makes its key if nothing is sealed yet; throws a SettingError if secrets are sealed and their key is missing. */
export function openInstalledVault(installation: Installation): Vault {
  const { certsDir, dataDir, spool } = installation;
  if (!hasMasterKey(installation) && spool.sealedValues(1).length > 0) {
    throw new SettingError(
      `CERTS_DIR=${certsDir} has no master.key, but DATA_DIR=${dataDir} holds secrets sealed with one: put the key back into ${resolve(certsDir)}; if it is lost for good, run "postrider master-key new"`,
    );
  }
  return openVault(certsDir);
}

/** Tries the key on the sealed values. Null if values are sealed and there is no key. */
export function masterKeyState(installation: Installation): MasterKeyState | null {
  const values = installation.spool.sealedValues(TRIED_MAX);
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
