/** Whether the spool's file or database is undamaged, and which messages are quarantined because they cannot be read. */

import { rfc3339 } from "../lib/clock.ts";
import { DAY_MS } from "../lib/units.ts";
import type { FailoverLoss, SpoolLocation, StoreCheck } from "../spool/port/maintenance.ts";
import type { QuarantineReport } from "../spool/port/quarantine.ts";
import type { DoctorInput, Finding } from "./finding.ts";

/** The number of messages to name. */
const NAMED_MAX = 3;

/** A failover that lost transactions is reported for this time. */
const LOSS_REPORTED_MS = 7 * DAY_MS;

/** The check of what holds the spool. */
export const storeCheckName = ({ setting }: SpoolLocation) => (setting === "DATA_DIR" ? "spool_file" : "database");

export async function checkStore({ checkStore: examine, location, clock }: DoctorInput): Promise<Finding> {
  if (examine === undefined) {
    return { check: storeCheckName(location), state: "unclear", detail: "There is no spool to check." };
  }
  return storeFinding(await examine(), clock.now());
}

/** The finding for a spool's file or database. */
export function storeFinding(found: StoreCheck, nowMs: number): Finding {
  const mib = `${Math.ceil(found.sizeBytes / 1024 ** 2)} MiB`;
  if (found.type === "database") {
    const checksums = found.hasChecksums
      ? "its checksums reveal damaged pages"
      : "it has no data checksums, so a damaged page may not be noticed (pg_checksums turns them on)";
    const server = `The database has ${mib}. The server runs PostgreSQL ${found.serverVersion}; ${checksums}.`;
    const losses = [formerLoss(found.loss, nowMs), asynchronousReplication(found)].filter((text) => text !== null);
    return { check: "database", state: losses.length === 0 ? "ok" : "warning", detail: [server, ...losses].join(" ") };
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

/** What the last failover has lost; null if it was none, or one that an operator knows of by now. */
function formerLoss(loss: FailoverLoss | null, nowMs: number): string | null {
  if (loss === null || nowMs - loss.atMs > LOSS_REPORTED_MS) return null;
  const { atMs, fromMs, toMs, messages, recipients } = loss;
  const span = fromMs === null || toMs === null ? "" : ` of ${rfc3339(fromMs)} to ${rfc3339(toMs)}`;
  return (
    `It failed over at ${rfc3339(atMs)} and has lost transactions${span}: ${messages} messages that were answered with 202 are ` +
    `gone, and ${recipients} recipients became unknown. The log lines that begin with "the database has lost work" have the ` +
    "ids: ask their senders to send them again. See docs/CLUSTER.md#a-failover-that-loses-transactions."
  );
}

/** What a failover can lose; null if no standby is there, or commits wait for one. */
function asynchronousReplication({
  standbys,
  isSynchronous,
  behindBytes,
}: Extract<StoreCheck, { type: "database" }>): string | null {
  if (standbys === 0 || isSynchronous) return null;
  const who = standbys === 1 ? "Its standby replicates" : `Its ${standbys} standbys replicate`;
  const behind = behindBytes === null ? "" : ` (${Math.ceil(behindBytes / 1024)} KiB behind now)`;
  return (
    `${who} asynchronously${behind}: a failover can lose the last messages that were answered with 202, and the results of the ` +
    "last deliveries, whose recipients become unknown. Set synchronous_standby_names if it must lose nothing."
  );
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
  if (count === 0 && found === "") return { check, state: "ok", detail: "No damaged messages found." };
  if (count === 0) return { check, state: "warning", detail: `No message is damaged.${found}` };
  const named = messages.slice(0, NAMED_MAX).map(({ seq, messageId }) => messageId ?? `row ${seq}`);
  const more = count > named.length ? ` and ${count - named.length} more` : "";
  const what =
    count === 1 ? "1 message is damaged and is not delivered" : `${count} messages are damaged and are not delivered`;
  const todo = `"postrider queue quarantined" lists the damage. Repair the file, then run "postrider queue retry ID"; "postrider queue discard ID" ends a message that cannot be repaired.`;
  return { check, state: "problem", detail: `${what}: ${named.join(", ")}${more}. ${todo}${found}` };
}
