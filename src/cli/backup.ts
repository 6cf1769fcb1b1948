/**
 * Backing the spool up while the service runs, putting a backup back, and letting delivery go on after that.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { preparePlace } from "../app/startup-checks.ts";
import type { Config } from "../config.ts";
import { rfc3339 } from "../lib/clock.ts";
import { putKey } from "../security/vault.ts";
import { readDeliveryPause } from "../spool/port/delivery-pause.ts";
import { makeBackup } from "../spool/sqlite/backup.ts";
import { lockSealing } from "../spool/sqlite/database.ts";
import { type Backup, readBackup, refuseLeftovers, restoreBackup } from "../spool/sqlite/restore.ts";
import { type Command, type CommandAnswer, counted, Refusal, UsageError } from "./command.ts";

const backup: Command = {
  usage: "backup FILE",
  about: "copy spool, keys and settings into one file, also while the service runs",
  options: { "without-master-key": { type: "boolean", usage: "[--without-master-key]" } },
  async run({ config, nowMs }, { positionals: [file = ""], options }) {
    const path = resolve(file);
    if (existsSync(path)) throw new Refusal(`${path} is there already`);
    const withKey = options["without-master-key"] !== true;
    const { sizeBytes, hasKey } = attempted(path, () => backUp(config, { file: path, nowMs, withKey }));
    const json = { file: path, bytes: sizeBytes, made_at: rfc3339(nowMs), master_key: hasKey };
    const warning = hasKey
      ? "It holds the master key and all mail: keep it as you keep those."
      : "The master key is not in it: without that, a restored service cannot sign.";
    return { json, text: `${path}: ${sizeBytes} bytes, as of ${json.made_at}.\n${warning}` };
  },
};

const restore: Command = {
  usage: "restore FILE",
  about: "put a backup into a DATA_DIR that holds no spool; delivery stays paused",
  neverOpensSpool: true,
  run: async ({ config }, { positionals: [file = ""] }) => restored(resolve(file), config),
  runWithoutSpool: async (config, { positionals: [file = ""] }) => restored(resolve(file), config),
};

const resume: Command = {
  usage: "queue resume",
  about: "after a restore, deliver again: mail that waited is held as unknown, or sent, perhaps twice",
  options: {
    hold: { type: "boolean", usage: "--hold" },
    send: { type: "boolean", usage: "| --send" },
  },
  async run({ store, nowMs }, { options: { hold, send } }) {
    if ((hold === true) === (send === true))
      throw new UsageError("say what becomes of mail that waited: --hold or --send");
    if ((await readDeliveryPause(store)) === null) throw new Refusal("delivery is not paused");
    const resumed = await store.resumeDelivery({ nowMs, waiting: hold === true ? "hold" : "send" });
    const { held, unreadable } = resumed ?? { held: 0, unreadable: 0 };
    const what =
      hold === true ? `${counted(held, "recipient")} became unknown; see queue retry.` : "What waited is sent.";
    const left = unreadable === 0 ? "" : `\n${counted(unreadable, "recipient")} cannot be read: see queue quarantined.`;
    return { json: { resumed: true, held, unreadable }, text: `Delivery goes on. ${what}${left}` };
  },
};

export const backupCommands = [backup, restore, resume];

interface BackUp {
  file: string;
  nowMs: number;
  withKey: boolean;
}

function backUp(config: Config, { withKey, ...made }: BackUp): { sizeBytes: number; hasKey: boolean } {
  const { dataDir } = config;
  // The key in it must be the one that its secrets are sealed with.
  const unlockSealing = lockSealing(dataDir, { alone: false });
  try {
    const masterKey = withKey ? masterKeyOf(config) : null;
    return { sizeBytes: makeBackup({ ...made, dataDir, masterKey }), hasKey: masterKey !== null };
  } finally {
    unlockSealing();
  }
}

function masterKeyOf({ certsDir }: Config): string | null {
  const file = join(certsDir, "master.key");
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

function restored(file: string, config: Config): CommandAnswer {
  const dataDir = resolve(config.dataDir);
  if (!existsSync(file)) throw new Refusal(`there is no file ${file}`);
  attempted(`restore ${file}`, () => refuseLeftovers(dataDir));
  const found = attempted(file, () => readBackup(file));
  if (found === null) throw new Refusal(`${file} is not a backup that postrider backup has made`);
  preparePlace("DATA_DIR", config.dataDir);
  preparePlace("CERTS_DIR", config.certsDir);
  let key = "";
  const beforePlacing = (): void => {
    key = placeKey(found, config);
  };
  attempted(`${file} cannot be restored into ${dataDir}`, () => restoreBackup({ file, dataDir, beforePlacing }));
  const madeAt = found.madeAtMs === null ? null : rfc3339(found.madeAtMs);
  const lines = [
    `Restored the backup of ${madeAt ?? "an unknown time"} into ${dataDir}.`,
    key,
    "Delivery is paused: what waited then may have been delivered since. What was being handed over is unknown.",
    "Keys that were revoked since then are valid again, and passwords are those of then.",
    "Start the service, look at queue list, then: postrider queue resume --hold, or --send.",
  ];
  return { json: { made_at: madeAt, delivery: "paused" }, text: lines.join("\n") };
}

/** Puts the backup's key where the service looks for it; what there is to say of it. */
function placeKey({ masterKey }: Backup, config: Config): string {
  const file = join(config.certsDir, "master.key");
  const present = masterKeyOf(config);
  if (masterKey === null) {
    return present === null
      ? `It has no master key: put yours at ${file} before the service starts.`
      : `It is used with ${file}.`;
  }
  if (present === null) putKey(config.certsDir, masterKey);
  if (masterKeyOf(config)?.trim() !== masterKey.trim()) {
    throw new Refusal(`${file} is not the key of this backup: move it away first`);
  }
  return `Its master key is at ${file}.`;
}

/** An error of `run` as a Refusal that begins with what was attempted, or the file it was attempted on. */
function attempted<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Refusal(`${what}: ${(error as Error).message}`);
  }
}
