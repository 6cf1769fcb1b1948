/** Whether the spool's file is undamaged, and which messages are quarantined because they cannot be read. */
import type { QuarantineReport } from "../spool/port/quarantine.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** The number of messages to name. */
const NAMED_MAX = 3;

export async function checkSpoolFile({ checkFile }: DoctorInput): Promise<Finding> {
  const check = "spool_file";
  if (checkFile === undefined) return { check, state: "unclear", detail: "There is no spool to check." };
  const { sizeBytes, faults } = await checkFile();
  const mib = `${Math.ceil(sizeBytes / 1024 ** 2)} MiB`;
  if (faults === null) {
    const detail = `The file is too large to check while it is in use (${mib}). Check a backup, or stop the service and run: sqlite3 postrider.db 'PRAGMA quick_check'.`;
    return { check, state: "ok", detail };
  }
  if (faults.length === 0) return { check, state: "ok", detail: `The file's pages are consistent (${mib}).` };
  const detail = `The file is damaged: ${faults.join("; ")}. Check the disk, then restore a backup, or recover the readable part.`;
  return { check, state: "problem", detail };
}

export async function checkQuarantine({ quarantined }: DoctorInput): Promise<Finding> {
  if (quarantined === undefined)
    return { check: "quarantine", state: "unclear", detail: "There is no spool to check." };
  return quarantineFinding(await quarantined());
}

/** The finding for the messages in quarantine. */
export function quarantineFinding({ count, messages, places }: QuarantineReport): Finding {
  const check = "quarantine";
  const elsewhere = places.filter((place) => !place.startsWith("the message"));
  const found = elsewhere.length === 0 ? "" : ` Other damaged parts were found: ${elsewhere.join("; ")}.`;
  if (count === 0 && found === "") return { check, state: "ok", detail: "Every message that was read is undamaged." };
  if (count === 0) return { check, state: "warning", detail: `No message is damaged.${found}` };
  const named = messages.slice(0, NAMED_MAX).map(({ seq, messageId }) => messageId ?? `row ${seq}`);
  const more = count > named.length ? ` and ${count - named.length} more` : "";
  const what =
    count === 1 ? "1 message is damaged and is not delivered" : `${count} messages are damaged and are not delivered`;
  const todo = `"postrider queue quarantined" lists the damage. Repair the file, then run "postrider queue retry ID".`;
  return { check, state: "problem", detail: `${what}: ${named.join(", ")}${more}. ${todo}${found}` };
}
