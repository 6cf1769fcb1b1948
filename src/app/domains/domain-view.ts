/** A sender domain as the command line and the management interface show it: its checks, its records, and its return path. */
import { correctedRecord } from "../../domains/corrected-record.ts";
import { dkimRecord, type RecordToPublish } from "../../domains/records.ts";
import { rfc3339 } from "../../lib/clock.ts";
import {
  CHECK_NAMES,
  type CheckName,
  type Domain,
  type DomainCheck,
  RETURN_PATH_CHECK_NAMES,
  type ReturnPathCheckName,
  type Rotation,
} from "../../spool/port/domains.ts";
import type { ReturnPath } from "../../spool/port/return-paths.ts";

export const recordViews = (records: readonly RecordToPublish[]) =>
  records.map(({ check, type, name, value }) => ({ check, type, name, value }));

const checkView = ({ state, detail, expected, found, warnings = [], foundAt, expectedAt }: DomainCheck) => ({
  state,
  detail,
  expected,
  found,
  ...(warnings.length === 0 ? {} : { warnings }),
  ...(foundAt === undefined ? {} : { found_at: foundAt }),
  ...(expectedAt === undefined ? {} : { expected_at: expectedAt }),
});

export const checkViews = ({ checks }: Pick<Domain, "checks">) =>
  Object.fromEntries(CHECK_NAMES.map((check) => [check, checkView(checks[check])]));

/** Null if the return path is off. */
export function returnPathView(path: ReturnPath | null) {
  if (path === null) return null;
  const checks = RETURN_PATH_CHECK_NAMES.map((name) => [name, checkView(path.checks[name])]);
  return { active: path.active, checks: Object.fromEntries(checks) };
}

/** A domain of a list: only the states of its checks. */
export function domainEntryView(domain: Domain, path: ReturnPath | null) {
  return {
    domain: domain.name,
    verified: domain.verified,
    created_at: rfc3339(domain.createdAtMs),
    next_check_at: rfc3339(domain.nextCheckAtMs),
    checks: Object.fromEntries(CHECK_NAMES.map((check) => [check, domain.checks[check].state])),
    return_path:
      path === null
        ? null
        : {
            active: path.active,
            checks: Object.fromEntries(RETURN_PATH_CHECK_NAMES.map((name) => [name, path.checks[name].state])),
          },
  };
}

export type NamedCheck = readonly [name: CheckName | ReturnPathCheckName, check: DomainCheck];

/** The checks of a domain, and those of its return path if it is on. */
export function namedChecks({ checks }: Pick<Domain, "checks">, path: ReturnPath | null): NamedCheck[] {
  const own = CHECK_NAMES.map((name): NamedCheck => [name, checks[name]]);
  if (path === null) return own;
  return [...own, ...RETURN_PATH_CHECK_NAMES.map((name): NamedCheck => [name, path.checks[name]])];
}

/** A record that a domain should have, as its last check leaves it to be published. */
export interface CheckedRecord {
  record: RecordToPublish;
  check: DomainCheck;
}

/** `wanted`: the records of the domain, and those of its return path if it is on. */
export function checkedRecords(
  domain: Domain,
  path: ReturnPath | null,
  wanted: readonly RecordToPublish[],
): CheckedRecord[] {
  return namedChecks(domain, path).flatMap(([name, check]) => {
    const record = wanted.find((each) => each.check === name);
    return record === undefined ? [] : [{ record: correctedRecord(record, check), check }];
  });
}

export interface DomainDetail {
  path: ReturnPath | null;
  records: readonly CheckedRecord[];
  /** The record of a new DKIM key that replaces the present one as soon as it is published; null without one. */
  newKey: RecordToPublish | null;
}

export function domainView(domain: Domain, { path, records, newKey }: DomainDetail) {
  return {
    domain: domain.name,
    verified: domain.verified,
    created_at: rfc3339(domain.createdAtMs),
    next_check_at: rfc3339(domain.nextCheckAtMs),
    checks: checkViews(domain),
    return_path: returnPathView(path),
    records: recordViews(records.map(({ record }) => record)),
    new_dkim_record: newKey === null ? null : recordViews([newKey])[0],
  };
}

/** Null unless a new DKIM key of the domain waits for its record. */
export function newKeyRecord({ id, name }: Domain, rotations: readonly Rotation[]): RecordToPublish | null {
  const rotation = rotations.find(({ domainId }) => domainId === id);
  if (rotation === undefined) return null;
  const { selector, publicKey } = rotation;
  return dkimRecord({ name, selector, publicKey });
}
