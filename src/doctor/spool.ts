/** Whether the spool's file or database is undamaged, and which messages are quarantined because they cannot be read. */
import type { SpoolLocation, StoreCheck } from "../spool/port/maintenance.ts";
import type { QuarantineReport } from "../spool/port/quarantine.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** The number of messages to name. */
const NAMED_MAX = 3;

/** The check of what holds the spool. */
export const storeCheckName = ({ setting }: SpoolLocation) => (setting === "DATA_DIR" ? "spool_file" : "database");

export async function checkStore({ checkStore: examine, location }: DoctorInput): Promise<Finding> {
  if (examine === undefined) {
    return { check: storeCheckName(location), state: "unclear", detail: "There is no spool to check." };
  }
  return storeFinding(await examine());
}

/** The finding for a spool's file or database. */
export function storeFinding(found: StoreCheck): Finding {
  const mib = `${Math.ceil(found.sizeBytes / 1024 ** 2)} MiB`;
  if (found.type === "database") {
    const checksums = found.hasChecksums
      ? "its checksums reveal damaged pages"
      : "it has no data checksums, so a damaged page may not be noticed (pg_checksums turns them on)";
    const detail = `The database has ${mib}. The server runs PostgreSQL ${found.serverVersion}; ${checksums}.`;
    return { check: "database", state: "ok", detail };
  }
  const check = "spool_file";
  const { faults } = found;
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
