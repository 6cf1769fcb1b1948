/**
 * Exchanging the master key, while the service is stopped: it holds the key and may seal with it at any moment. The new key
 * is written beside the old one, everything sealed is sealed with it in one transaction, and only then the old one goes.
 * Whatever breaks it off, service and command line work with both keys, and the same command goes on where it was.
 */

import { directoryFault, hasFile, prepareDirectory } from "../app/startup-checks.ts";
import { masterKeyState } from "../app/wiring/master-key.ts";
import {
  beginMasterKeyRotation,
  dkimSealName,
  finishMasterKeyRotation,
  openVault,
  totpSealName,
  type Vault,
} from "../security/vault.ts";
import { lockDataDir, lockSealing } from "../spool/sqlite/database.ts";
import { resealAll, type Sealed } from "../spool/sqlite/reseal.ts";
import { type Command, pluralize, Refusal } from "./command.ts";

const rotate: Command = {
  usage: "master-key rotate",
  summary: "with the service stopped: make a new master key and seal all secrets with it",
  async run({ config: { certsDir, dataDir } }) {
    if (!hasFile("CERTS_DIR", certsDir, "master.key")) throw new Refusal(`there is no master key in ${certsDir}`);
    const fault = directoryFault(certsDir);
    if (fault !== null) throw new Refusal(`CERTS_DIR=${certsDir} cannot take a new key: ${fault}`);
    const { resealed, unopened } = whileNobodySeals(dataDir, () => exchangeKey({ certsDir, dataDir }));
    const lines = [
      `${pluralize(resealed, "secret")} sealed with a new master key. Backups made before need the old one; they hold it unless made with --without-master-key.`,
    ];
    if (unopened > 0) lines.push(`Left as before: ${pluralize(unopened, "former DKIM key")} that no master key opens.`);
    return { json: { resealed, unopened }, text: lines.join("\n") };
  },
};

const renew: Command = {
  usage: "master-key new",
  summary: "with the service stopped, where the master key is lost for good: make another, which opens no old secret",
  async run({ config: { certsDir, dataDir } }) {
    prepareDirectory("CERTS_DIR", certsDir);
    if (hasFile("CERTS_DIR", certsDir, "master.key"))
      throw new Refusal(`there is a master key in ${certsDir}: to exchange it, use master-key rotate`);
    whileNobodySeals(dataDir, () => openVault(certsDir));
    const { domains, secondFactors } = masterKeyState({ certsDir, dataDir }) ?? NOTHING_SEALED;
    const lost = { domains: domains.unopened, second_factors: secondFactors.unopened };
    const lines = [
      `Made a new master key in ${certsDir}. It does not open secrets sealed with an earlier key:`,
      `- second factors of ${pluralize(lost.second_factors, "user")}: turn each off with "users reset-second-factor EMAIL".`,
      `- DKIM keys of ${pluralize(lost.domains.length, "domain")}: after the start, make a new key at each domain in the dashboard and publish its record. Mail of the domain waits until the record is seen.`,
    ];
    return { json: lost, text: lines.join("\n") };
  },
};

const NOTHING_SEALED = { domains: { unopened: [] }, secondFactors: { unopened: 0 } };

export const masterKeyCommands = [rotate, renew];

function whileNobodySeals<T>(dataDir: string, run: () => T): T {
  const unlockDataDir = lockDataDir(dataDir);
  try {
    const unlockSealing = lockSealing(dataDir, { alone: true });
    try {
      return run();
    } finally {
      unlockSealing();
    }
  } finally {
    unlockDataDir();
  }
}

/** Opens everything before the exchange begins, so that a refusal leaves master.key unchanged. */
function exchangeKey({ certsDir, dataDir }: { certsDir: string; dataDir: string }): {
  resealed: number;
  unopened: number;
} {
  const count = { resealed: 0, unopened: 0 };
  resealAll(dataDir, (all) => {
    const present = openVault(certsDir);
    const secrets = all.map((sealed) => opened(sealed, present));
    count.unopened = secrets.filter((secret) => secret === null).length;
    count.resealed = secrets.length - count.unopened;
    const vault = beginMasterKeyRotation(certsDir);
    return secrets.map((secret) => secret && vault.seal(secret.name, secret.plaintext));
  });
  finishMasterKeyRotation(certsDir);
  return count;
}

/** Null for a former DKIM key that does not open: the master key that sealed it was lost before the domain got another. */
function opened(sealed: Sealed, vault: Vault): { name: string; plaintext: string } | null {
  const name = sealed.kind === "dkim" ? dkimSealName(sealed.domain, sealed.selector) : totpSealName(sealed.userId);
  try {
    return { name, plaintext: vault.open(name, sealed.bytes) };
  } catch {
    if (sealed.kind === "dkim" && sealed.isFormer) return null;
    throw new Refusal(
      `the sealed value ${name} opens with no key in master.key, which is unchanged: put the key that sealed it back, in a line below; if it is lost, see docs/OPERATIONS.md, Keys`,
    );
  }
}
