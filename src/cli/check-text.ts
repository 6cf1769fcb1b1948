/** How the commands of domains print records and checks, as text and as JSON. */
import type { RecordToPublish } from "../domains/records.ts";
import { type DomainCheck, isWarned } from "../spool/port/domains.ts";

/** Records in the JSON of a command. */
export const publishedRecords = (records: RecordToPublish[]) =>
  records.map(({ check, type, name, value }) => ({ check, type, name, value }));

/** A record with its hint, in four lines. */
export const recordLines = ({ check, type, name, value, note }: RecordToPublish): string =>
  `${check}\n  ${type} ${name}\n  ${value}\n  ${note}`;

export const checkJson = ({ state, detail, expected, found, warnings = [], foundAt, expectedAt }: DomainCheck) => ({
  ...{ state, detail, expected, found },
  ...(warnings.length === 0 ? {} : { warnings }),
  ...(foundAt === undefined ? {} : { found_at: foundAt }),
  ...(expectedAt === undefined ? {} : { expected_at: expectedAt }),
});

/** `NAME STATE DETAIL` in columns. */
export const checkLine = (name: string, check: DomainCheck): string =>
  `${name.padEnd(10)} ${stateWord(check).padEnd(18)} ${check.detail}`;

export const stateWord = (check: DomainCheck): string => (isWarned(check) ? "verified, warning" : check.state);
