/**
 * The rows of a domain's table of records: what to publish now, after what the checks have found. Only the pages and the zone
 * file show them; the checks themselves are in domains/.
 */
import { correctedRecord } from "../../domains/corrected-record.ts";
import { fieldsOf, type RecordFields, zoneOf } from "../../domains/record-fields.ts";
import type { RecordToPublish } from "../../domains/records.ts";
import {
  type CheckName,
  type Domain,
  type DomainCheck,
  isWarned,
  type ReturnPathCheckName,
  type Rotation,
} from "../../spool/port/domains.ts";
import type { ReturnPath } from "../../spool/port/return-paths.ts";
import type { DashboardParts } from "../web/parts.ts";
import { CHECK_TITLES, checkLabel, type Label } from "./labels.ts";

const CHECK_PURPOSES: Readonly<Record<CheckName | ReturnPathCheckName, string>> = {
  ownership: "Ties the domain to your account",
  mx: "Receives replies and bounces",
  spf: "Lists the hosts that may send for the domain",
  dkim: "Lets receivers verify the signature",
  dmarc: "Tells receivers how to treat forged messages",
  return_path_mx: "Directs bounces and reports to Postrider",
  return_path_spf: "Lists the hosts that may send with the return path",
};

export interface PublishedRecord {
  /** The id of the row. */
  id: string;
  title: string;
  purpose: string;
  label: Label;
  /** What to publish: a correction of the published record once the check has run. */
  record: RecordToPublish;
  fields: RecordFields;
  /** The name at which the check looks. */
  name: string;
  /** Null for the key of a rotation, which has no check of its own. */
  check: DomainCheck | null;
}

export interface PublishingState {
  domain: Domain;
  /** The pending DKIM key; null without a rotation. */
  rotation: Rotation | null;
  /** Null if it is off. */
  returnPath: ReturnPath | null;
}

/** The records of the domain, that of a new DKIM key, and those of the return path, as far as they are to be published. */
export function recordsOf(
  { domain, rotation, returnPath }: PublishingState,
  actions: Pick<DashboardParts["domains"], "records" | "returnPathRecords" | "rotationRecord">,
): PublishedRecord[] {
  const zone = zoneOf(domain.name);
  const rows: PublishedRecord[] = [];
  for (const record of actions.records({ ...domain, hasReturnPath: returnPath !== null })) {
    rows.push(checkedRecord(record, domain.checks[record.check], zone));
    if (record.check !== "dkim" || rotation === null) continue;
    rows.push(pendingRecord(actions.rotationRecord(domain, rotation), zone));
  }
  if (returnPath === null) return rows;
  const ofPath = actions.returnPathRecords(domain);
  return [...rows, ...ofPath.map((record) => checkedRecord(record, returnPath.checks[record.check], zone))];
}

function checkedRecord(wanted: RecordToPublish, check: DomainCheck, zone: string): PublishedRecord {
  const record = correctedRecord(wanted, check);
  return {
    id: `check-${record.check}`,
    title: CHECK_TITLES[record.check],
    purpose: CHECK_PURPOSES[record.check],
    label: checkLabel(check),
    fields: fieldsOf(record, zone),
    record,
    name: wanted.name,
    check,
  };
}

function pendingRecord(record: RecordToPublish, zone: string): PublishedRecord {
  return {
    id: "check-dkim-new",
    title: "DKIM, new key",
    purpose: "Replaces the current key as soon as it is published",
    label: { text: "Waiting for its record", tone: "wait" },
    fields: fieldsOf(record, zone),
    record,
    name: record.name,
    check: null,
  };
}

/** Whether there is nothing to do about a record: it is verified without a warning. */
export const isDone = ({ check }: PublishedRecord): boolean =>
  check !== null && check.state === "verified" && !isWarned(check);
