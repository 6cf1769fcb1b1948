/**
 * What a DNS answer may hold. record-data.ts passes the records of each answer through this file before it reads their data:
 * anybody's zone can return 64 KiB of anything at each look-up. What exceeds a limit is left out and reported as omitted. It
 * is never a failure, which could expire mail; the callers decide what an answer means without it.
 */
import type { Omission } from "./resolver.ts";

/**
 * Octets of one TXT record, its character-strings joined. The longest text with a use in mail is a DKIM key: 2.8 KB at 16,384
 * bits.
 */
export const TXT_BYTES_MAX = 4096;

/** Records of an answer. Some domains have more than 100 TXT records at their name; more than 20 of another type are rare. */
export const TXT_RECORDS_MAX = 500;
export const RECORDS_MAX = 100;

export interface BoundedRecords<T> {
  records: T[];
  /** Absent where nothing was left out. */
  omitted?: Omission;
}

/** Takes the octets of each text. */
export function boundTexts<T extends { octets: number }>(texts: T[]): BoundedRecords<T> {
  const readable = texts.filter(({ octets }) => octets <= TXT_BYTES_MAX);
  const longest = texts.reduce((most, { octets }) => Math.max(most, octets), 0);
  return omitting(readable, TXT_RECORDS_MAX, longest > TXT_BYTES_MAX ? longest : 0);
}

/** Keeps those of the lowest preferences. */
export function boundMx<T extends { preference: number }>(records: T[]): BoundedRecords<T> {
  const best =
    records.length > RECORDS_MAX ? records.toSorted((one, other) => one.preference - other.preference) : records;
  return omitting(best);
}

/** For records of a limited length: names, addresses, TLSA. */
export function boundCount<T>(records: T[]): BoundedRecords<T> {
  return omitting(records);
}

function omitting<T>(records: T[], max = RECORDS_MAX, longestOctets = 0): BoundedRecords<T> {
  const furtherRecords = Math.max(0, records.length - max);
  if (furtherRecords === 0 && longestOctets === 0) return { records };
  return { records: records.slice(0, max), omitted: { longestOctets, furtherRecords } };
}
