/** Commands for backup, restore, and resuming delivery after a restore. */
import { resolve } from "node:path";
import { backUp, type RestoredBackup, restoreBackup } from "../app/installation/backup.ts";
import { rfc3339 } from "../lib/clock.ts";
import { readDeliveryPause } from "../spool/port/delivery-pause.ts";
import {
  type BareContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  pluralize,
  Refusal,
  UsageError,
} from "./command.ts";

export const backup: Implementation = {
  async run({ installation, nowMs }, { positionals: [name = ""], options }) {
    const file = resolve(name);
    const withMasterKey = options["without-master-key"] !== true;
    const { sizeBytes, hasMasterKey } = await backUp(installation, { file, nowMs, withMasterKey });
    const json = { file, bytes: sizeBytes, made_at: rfc3339(nowMs), master_key: hasMasterKey };
    const warning = hasMasterKey
      ? "It holds the master key and all messages: protect it as you protect those."
      : "It does not hold the master key: without that key, a restored service cannot sign.";
    return { json, text: `${file}: ${sizeBytes} bytes, as of ${json.made_at}.\n${warning}` };
  },
};

export const restore: Implementation = {
  neverOpensSpool: true,
  run: restoreFile,
  runWithoutSpool: restoreFile,
};

export const queueResume: Implementation = {
  async run({ store, nowMs, confirm }, { options: { hold, send } }) {
    if ((hold === true) === (send === true))
      throw new UsageError("queue resume needs either --hold or --send for the recipients that were waiting");
    if ((await readDeliveryPause(store)) === null) throw new Refusal("delivery is not paused");
    if (send === true) {
      await confirm(
        "Send to the recipients that waited in the backup? Those delivered to since get the message twice.",
      );
    }
    const resumed = await store.resumeDelivery({ nowMs, waiting: hold === true ? "hold" : "send" });
    const { unknown, unreadable } = resumed ?? { unknown: 0, unreadable: 0 };
    const outcome =
      hold === true
        ? `${pluralize(unknown, "recipient")} became unknown; see queue resolve and queue retry.`
        : "Waiting recipients are sent to.";
    const left =
      unreadable === 0 ? "" : `\n${pluralize(unreadable, "recipient")} cannot be read: see queue quarantined.`;
    return { json: { resumed: true, unknown, unreadable }, text: `Delivery resumed. ${outcome}${left}` };
  },
};

async function restoreFile(
  { installation, confirm }: BareContext,
  { positionals: [name = ""] }: ParsedArguments,
): Promise<CommandResult> {
  const file = resolve(name);
  const { value } = installation.spool.location;
  await confirm(`Restore ${file} into ${value}? API keys revoked since the backup become valid again.`);
  const backup = restoreBackup(installation, file);
  const madeAt = backup.madeAtMs === null ? null : rfc3339(backup.madeAtMs);
  const lines = [
    `Restored the backup of ${madeAt ?? "an unknown time"} into ${installation.spool.location.value}.`,
    masterKeyLine(backup),
    "Delivery is paused: recipients waiting at that time may have been delivered to since. Those being delivered to are now unknown.",
    "API keys revoked since then are valid again, and passwords are those of that time.",
    "Start the service, check queue list, then run: postrider queue resume --hold, or --send.",
  ];
  return { json: { made_at: madeAt, delivery: "paused" }, text: lines.join("\n") };
}

function masterKeyLine({ masterKey, masterKeyFile }: RestoredBackup): string {
  switch (masterKey) {
    case "restored":
      return `Its master key is at ${masterKeyFile}.`;
    case "kept":
      return `It has no master key: ${masterKeyFile} is used.`;
    case "missing":
      return `It has no master key: put yours at ${masterKeyFile} before the service starts.`;
  }
}
