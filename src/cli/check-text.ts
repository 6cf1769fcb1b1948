/** How the commands of domains print records and checks. */
import type { NamedCheck } from "../app/domains/domain-view.ts";
import type { RecordToPublish } from "../domains/records.ts";
import { type DomainCheck, isWarned } from "../spool/port/domains.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

/** A record with its hint, in four lines; in three without a value. */
export const recordLines = ({ check, type, name, value, note }: RecordToPublish): string =>
  [check, `${type} ${name}`, ...(value === "" ? [] : [value]), note].join("\n  ");

export function checkTable(checks: readonly NamedCheck[]): string {
  const rows = checks.map(([name, check]) => [
    name,
    resultCell(isWarned(check) ? "warning" : check.state, stateWord(check)),
    check.detail,
  ]);
  return table(["CHECK", "STATE", "DETAIL"], rows, "");
}

export const stateWord = (check: DomainCheck): string => (isWarned(check) ? "verified, warning" : check.state);
