/**
 * Reads the data of DNS records (RFC 1035 §3.3, RFC 3596, RFC 6698), of as many as answer-limits.ts leaves. The functions
 * throw where a record is malformed; reply-reader.ts makes that the end of its reply.
 */
import { type BoundedRecords, boundCount, boundMx, boundTexts } from "./answer-limits.ts";
import { type AnswerRecord, type RecordTypeName, readName } from "./reply-reader.ts";
import type { MxRecord } from "./resolver.ts";

/** A TLSA record (RFC 6698 §2.1). */
export interface TlsaRecord {
  usage: number;
  selector: number;
  matchingType: number;
  data: Buffer;
}

/** Reads the records of one type at one name. */
type RecordsReader<T> = (bytes: Buffer, records: AnswerRecord[]) => BoundedRecords<T>;

/** What is looked up, and how its records are read. */
export interface RecordKind<T> {
  type: RecordTypeName;
  read: RecordsReader<T>;
}

const each =
  <T>(read: (bytes: Buffer, record: AnswerRecord) => T): RecordsReader<T> =>
  (bytes, records) => {
    const bounded = boundCount(records);
    return { ...bounded, records: bounded.records.map((record) => read(bytes, record)) };
  };

const readNames = each((bytes, { start }) => readName(bytes, start));

const readIpv4 = each((bytes, record) => dataOf(bytes, record, 4).join("."));

const readIpv6 = each((bytes, record) => {
  const data = dataOf(bytes, record, 16);
  const groups = Array.from({ length: 8 }, (_, index) => data.readUInt16BE(2 * index).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
});

const readTlsa = each<TlsaRecord>((bytes, { start, end }) => ({
  usage: bytes.readUInt8(start),
  selector: bytes.readUInt8(start + 1),
  matchingType: bytes.readUInt8(start + 2),
  data: Buffer.from(bytes.subarray(start + 3, end)),
}));

/** Only the names of the lowest preferences are read. */
const readMx: RecordsReader<MxRecord> = (bytes, records) => {
  const found = records.map(({ start }) => ({ preference: bytes.readUInt16BE(start), start }));
  const bounded = boundMx(found);
  return {
    ...bounded,
    records: bounded.records.map(({ preference, start }) => ({ exchange: readName(bytes, start + 2), preference })),
  };
};

/** One text for each record, with a character for each octet. */
const readTexts: RecordsReader<string> = (bytes, records) => {
  const bounded = boundTexts(records.map((record) => ({ record, octets: textOctets(bytes, record) })));
  return { ...bounded, records: bounded.records.map(({ record }) => joinStrings(bytes, record)) };
};

function dataOf(bytes: Buffer, { start, end }: AnswerRecord, length: number): Buffer {
  if (end - start !== length) throw new RangeError(`an address of ${end - start} octets`);
  return bytes.subarray(start, end);
}

/** Of all character-strings of a TXT record, without their lengths. */
function textOctets(bytes: Buffer, { start, end }: AnswerRecord): number {
  let strings = 0;
  let at = start;
  for (; at < end; strings += 1) at += 1 + bytes.readUInt8(at);
  if (at > end) throw new RangeError("a character-string ends behind its record");
  return end - start - strings;
}

function joinStrings(bytes: Buffer, { start, end }: AnswerRecord): string {
  let text = "";
  for (let at = start; at < end; at += 1 + bytes.readUInt8(at)) {
    text += bytes.toString("latin1", at + 1, at + 1 + bytes.readUInt8(at));
  }
  return text;
}

export const A: RecordKind<string> = { type: "A", read: readIpv4 };
export const AAAA: RecordKind<string> = { type: "AAAA", read: readIpv6 };
export const CNAME: RecordKind<string> = { type: "CNAME", read: readNames };
export const MX: RecordKind<MxRecord> = { type: "MX", read: readMx };
export const PTR: RecordKind<string> = { type: "PTR", read: readNames };
export const TLSA: RecordKind<TlsaRecord> = { type: "TLSA", read: readTlsa };
export const TXT: RecordKind<string> = { type: "TXT", read: readTexts };
