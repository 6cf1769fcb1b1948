/** What to publish after what a check has found: a correction of the published record, or the record as it was proposed. */
import { type DomainCheck, isWarned } from "../spool/port/domains.ts";
import type { RecordToPublish } from "./records.ts";

/** The record to publish now, with a hint for the user who enters it. The same record before the check has run. */
export function correctedRecord(record: RecordToPublish, check: DomainCheck): RecordToPublish {
  if (check.expected === "") return record;
  return { ...record, name: check.expectedAt ?? record.name, value: check.expected, note: noteOf(record, check) };
}

function noteOf({ note }: RecordToPublish, check: DomainCheck): string {
  const { state, found, foundAt, expected, expectedAt } = check;
  const isImproved = isWarned(check) && !found.includes(expected);
  if (found.length === 0 || (state !== "failed" && !isImproved)) return note;
  if (foundAt !== undefined && foundAt !== expectedAt) return `Add it at this name, and delete the one at ${foundAt}.`;
  if (found.length > 1) return "This record replaces all published records: delete the others.";
  return "This replaces the published record: change it instead of adding a second one.";
}
