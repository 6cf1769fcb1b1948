/** How the commands of domains print records and checks, as text and as JSON. */
import type { RecordToPublish } from "../domains/records.ts";
import {
  CHECK_NAMES,
  type CheckName,
  type Domain,
  type DomainCheck,
  isWarned,
  RETURN_PATH_CHECK_NAMES,
  type ReturnPathCheckName,
} from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

/** Records in the JSON of a command. */
export const publishedRecords = (records: RecordToPublish[]) =>
  records.map(({ check, type, name, value }) => ({ check, type, name, value }));

/** A record with its hint, in four lines. */
export const recordLines = ({ check, type, name, value, note }: RecordToPublish): string =>
  `${check}\n  ${type} ${name}\n  ${value}\n  ${note}`;

export const checkJson = ({ state, detail, expected, found, warnings = [], foundAt, expectedAt }: DomainCheck) => ({
  state,
  detail,
  expected,
  found,
  ...(warnings.length === 0 ? {} : { warnings }),
  ...(foundAt === undefined ? {} : { found_at: foundAt }),
  ...(expectedAt === undefined ? {} : { expected_at: expectedAt }),
});

export type NamedCheck = readonly [name: CheckName | ReturnPathCheckName, check: DomainCheck];

/** The checks of a domain, and those of its return path if it is on. */
export function namedChecks({ checks }: Pick<Domain, "checks">, path: ReturnPath | null): NamedCheck[] {
  const own = CHECK_NAMES.map((name): NamedCheck => [name, checks[name]]);
  if (path === null) return own;
  return [...own, ...RETURN_PATH_CHECK_NAMES.map((name): NamedCheck => [name, path.checks[name]])];
}

export function checkTable(checks: readonly NamedCheck[]): string {
  const rows = checks.map(([name, check]) => [
    name,
    resultCell(isWarned(check) ? "warning" : check.state, stateWord(check)),
    check.detail,
  ]);
  return table(["CHECK", "STATE", "DETAIL"], rows, "");
}

export const stateWord = (check: DomainCheck): string => (isWarned(check) ? "verified, warning" : check.state);
