/** Copies the spool in the files of an installation into a database. */
import { resolve } from "node:path";
import type { Installation } from "../app/installation/installation-parts.ts";
import { describeMissingKey, hasMasterKey, masterKeyState } from "../app/installation/master-key.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import { openVault } from "../security/vault.ts";
import { copySpool } from "../spool/copy/spool-copy.ts";
import type { CopyReport } from "../spool/port/spool-copy.ts";
import { sqliteMaintenance } from "./sqlite-maintenance.ts";

/** With DATABASE_URL as well: it may name the database that the service is going to use. */
export async function copyFiles(
  { dataDir, certsDir, nodeName }: Pick<Config, "dataDir" | "certsDir" | "nodeName">,
  url: string,
): Promise<CopyReport> {
  const files = { certsDir, spool: sqliteMaintenance(dataDir) };
  if (!(await files.spool.exists())) {
    throw new Error(`there is no spool in ${resolve(dataDir)}: set DATA_DIR to the service's`);
  }
  const fingerprint = await keyInFiles(files);
  return copySpool({ url, nowMs: systemClock.now(), dataDir, fingerprint, nodeName });
}

/** The fingerprint of the master key; null if there is none, and nothing is sealed. */
async function keyInFiles(files: Pick<Installation, "certsDir" | "spool">): Promise<string | null> {
  const state = await masterKeyState(files);
  const { certsDir, spool } = files;
  if (state === null) throw new Error(describeMissingKey(files));
  if (!hasMasterKey(files)) return null;
  const opened = state.domains.opened + state.secondFactors.opened + state.webhooks.opened;
  const unopened = state.domains.unopened.length + state.secondFactors.unopened + state.webhooks.unopened;
  if (opened === 0 && unopened > 0) {
    throw new Error(`CERTS_DIR=${certsDir} has another master.key than the service that used ${spool.location.value}`);
  }
  const [fingerprint] = openVault(certsDir).fingerprints;
  return fingerprint;
}
