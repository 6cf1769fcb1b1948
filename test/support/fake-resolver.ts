/**
 * A Resolver that answers from a map of names, without packets, within the limits of an answer. Negative answers follow as from a zone: a name with
 * other types or with names below it is NODATA, all other missing names are NXDOMAIN.
 */
import { boundCount, boundMx, boundTexts } from "../../src/dns/answer-limits.ts";
import type { DnsAnswer, MxRecord, Resolver } from "../../src/dns/resolver.ts";

type RecordType = "MX" | "TXT" | "A" | "AAAA" | "PTR" | "CNAME";

/** Values as text ("10 mail.example.com" for MX, "0 ." for the null MX), or the code of the failure to return. */
export type FakeZone = Record<string, Partial<Record<RecordType, string[] | { failure: string }>>>;

export interface FakeResolver extends Resolver {
  /** The queries so far, as "TYPE name". */
  asked: string[];
}

const CNAME_HOPS_MAX = 8;

/** The zone may change between queries. */
export function fakeResolver(zone: FakeZone): FakeResolver {
  const asked: string[] = [];
  const text = (name: string, type: RecordType) => {
    asked.push(`${type} ${name}`);
    return Promise.resolve(lookUp(zone, name.toLowerCase(), type));
  };
  return {
    asked,
    txt: (name) => text(name, "TXT"),
    a: (name) => text(name, "A"),
    aaaa: (name) => text(name, "AAAA"),
    ptr: (address) => text(address, "PTR"),
    cname: (name) => text(name, "CNAME"),
    mx: async (name) => parsedMx(await text(name, "MX")),
  };
}

function lookUp(zone: FakeZone, name: string, type: RecordType, hops = 0): DnsAnswer<string> {
  const records = zone[name]?.[type];
  if (records !== undefined && !Array.isArray(records)) return { type: "failure", code: records.failure };
  if (records !== undefined && records.length > 0) return bounded(type, records);
  const alias = zone[name]?.CNAME;
  if (type !== "CNAME" && Array.isArray(alias) && alias[0] !== undefined) {
    if (hops === CNAME_HOPS_MAX) return { type: "failure", code: "CNAME_LOOP" };
    return lookUp(zone, alias[0], type, hops + 1);
  }
  const exists = Object.keys(zone).some((owner) => owner === name || owner.endsWith(`.${name}`));
  return { type: exists ? "nodata" : "nxdomain" };
}

function bounded(type: RecordType, records: string[]): DnsAnswer<string> {
  // parsedMx bounds these.
  if (type === "MX") return { type: "found", records };
  const sized = records.map((text) => ({ text, octets: text.length }));
  const { records: readable, omitted } = type === "TXT" ? boundTexts(sized) : boundCount(sized);
  const kept = readable.map(({ text }) => text);
  if (kept.length === 0) return omitted === undefined ? { type: "nodata" } : { type: "nodata", omitted };
  return omitted === undefined ? { type: "found", records: kept } : { type: "found", records: kept, omitted };
}

function parsedMx(answer: DnsAnswer<string>): DnsAnswer<MxRecord> {
  if (answer.type !== "found") return answer;
  const records = answer.records.map((record) => {
    const [preference = "0", exchange = ""] = record.split(" ");
    return { preference: Number(preference), exchange: exchange === "." ? "" : exchange.toLowerCase() };
  });
  return { type: "found", ...boundMx(records) };
}
