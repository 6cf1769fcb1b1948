/**
 * The spool as it was found: whether its file is sound, and which messages are set aside because they cannot be read.
 */
import type { QuarantineReport } from "../spool/port/quarantine.ts";
import type { Finding, Patient } from "./finding.ts";

/** Messages that are named. */
const NAMED_MAX = 3;

export async function examineSpoolFile({ checkFile }: Patient): Promise<Finding> {
  const check = "spool_file";
  if (checkFile === undefined) return { check, state: "unclear", detail: "There is no spool that could be checked." };
  const { sizeBytes, faults } = await checkFile();
  const mib = `${Math.ceil(sizeBytes / 1024 ** 2)} MiB`;
  if (faults === null) {
    const detail = `The file is too large to be checked while it is in use (${mib}). Check a backup of it, or stop the service: sqlite3 postrider.db 'PRAGMA quick_check'.`;
    return { check, state: "ok", detail };
  }
  if (faults.length === 0) return { check, state: "ok", detail: `The pages of the file fit together (${mib}).` };
  const detail = `The file is damaged: ${faults.join("; ")}. Look at the disk, then restore a backup, or recover what can be read.`;
  return { check, state: "problem", detail };
}

export async function examineQuarantine({ quarantined }: Patient): Promise<Finding> {
  if (quarantined === undefined)
    return { check: "quarantine", state: "unclear", detail: "There is no spool that could be looked at." };
  return quarantineFinding(await quarantined());
}

/** What it means that so many messages are in quarantine. */
export function quarantineFinding({ count, messages, places }: QuarantineReport): Finding {
  const check = "quarantine";
  const elsewhere = places.filter((place) => !place.startsWith("the message"));
  const found = elsewhere.length === 0 ? "" : ` Other parts were damaged when they were read: ${elsewhere.join("; ")}.`;
  if (count === 0 && found === "") return { check, state: "ok", detail: "Every message that was read is sound." };
  if (count === 0) return { check, state: "warning", detail: `No message is damaged.${found}` };
  const named = messages.slice(0, NAMED_MAX).map(({ seq, messageId }) => messageId ?? `row ${seq}`);
  const more = count > named.length ? ` and ${count - named.length} more` : "";
  const what =
    count === 1 ? "1 message is damaged and is not delivered" : `${count} messages are damaged and are not delivered`;
  const todo = `"postrider queue quarantined" lists what was found; repair the file, then "postrider queue retry ID".`;
  return { check, state: "problem", detail: `${what}: ${named.join(", ")}${more}. ${todo}${found}` };
}
