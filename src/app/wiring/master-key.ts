/**
 * Whether the master key in CERTS_DIR opens what the spool holds sealed, and whether one may be made: not over secrets that
 * it could never open, unless an operator says that their key is lost.
 */
import { resolve } from "node:path";
import { dkimSealName, type MasterKeyState, openVault, totpSealName, type Vault } from "../../security/vault.ts";
import { type SealedValue, sealedValues } from "../../spool/sqlite/sealed-values.ts";
import { hasFile, SettingError } from "../startup-checks.ts";

/** Values of each kind that are tried. */
const TRIED_MAX = 1000;

interface Places {
  certsDir: string;
  dataDir: string;
}

/** The vault of CERTS_DIR. Makes its key where nothing is sealed yet; throws one line where the key is missing. */
export function openVaultFor({ certsDir, dataDir }: Places): Vault {
  if (!hasFile("CERTS_DIR", certsDir, "master.key") && sealedValues(dataDir, 1).length > 0) {
    throw new SettingError(
      `CERTS_DIR=${certsDir} has no master.key, but DATA_DIR=${dataDir} holds secrets sealed with one: put the key back into ${resolve(certsDir)}; if it is lost for good, run "postrider master-key new"`,
    );
  }
  return openVault(certsDir);
}

/** Tries the key on what is sealed. Null where there is no key. */
export function masterKeyState({ certsDir, dataDir }: Places): MasterKeyState | null {
  const values = sealedValues(dataDir, TRIED_MAX);
  if (!hasFile("CERTS_DIR", certsDir, "master.key")) return values.length === 0 ? stateOf([], null) : null;
  return stateOf(values, openVault(certsDir));
}

function stateOf(values: SealedValue[], vault: Vault | null): MasterKeyState {
  const state: MasterKeyState = {
    domains: { opened: 0, unopened: [] },
    secondFactors: { opened: 0, unopened: 0 },
    isRotationUnfinished: vault?.isRotationUnfinished ?? false,
  };
  for (const value of values) {
    const isOpened = vault !== null && opens(value, vault);
    if (value.kind === "totp") state.secondFactors[isOpened ? "opened" : "unopened"] += 1;
    else if (isOpened) state.domains.opened += 1;
    else state.domains.unopened.push(value.domain);
  }
  return state;
}

function opens(value: SealedValue, vault: Vault): boolean {
  const name = value.kind === "dkim" ? dkimSealName(value.domain, value.selector) : totpSealName(value.userId);
  try {
    vault.open(name, value.bytes);
    return true;
  } catch {
    return false;
  }
}
