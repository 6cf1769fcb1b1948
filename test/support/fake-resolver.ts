/**
 * A Resolver over a map of names, for tests that need no wire.
 * Negative answers follow from the map as they would from a zone: a name with other types or names below it is NODATA,
 * any other absent name NXDOMAIN.
 */
import type { DnsAnswer, MxRecord, Resolver } from "../../src/dns/resolver.ts";

type RecordType = "MX" | "TXT" | "A" | "AAAA" | "PTR" | "CNAME";

/** Values as text ("10 mail.example.com" for MX, "0 ." for the null MX), or the code of the failure to return. */
export type FakeZone = Record<string, Partial<Record<RecordType, string[] | { failure: string }>>>;

export interface FakeResolver extends Resolver {
  /** What was asked, as "TYPE name". */
  asked: string[];
}

const CNAME_HOPS_MAX = 8;

/** The zone may be changed between questions. */
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
  if (records !== undefined && records.length > 0) return { type: "found", records };
  const alias = zone[name]?.CNAME;
  if (type !== "CNAME" && Array.isArray(alias) && alias[0] !== undefined) {
    if (hops === CNAME_HOPS_MAX) return { type: "failure", code: "CNAME_LOOP" };
    return lookUp(zone, alias[0], type, hops + 1);
  }
  const exists = Object.keys(zone).some((owner) => owner === name || owner.endsWith(`.${name}`));
  return { type: exists ? "nodata" : "nxdomain" };
}

function parsedMx(answer: DnsAnswer<string>): DnsAnswer<MxRecord> {
  if (answer.type !== "found") return answer;
  const records = answer.records.map((record) => {
    const [preference = "0", exchange = ""] = record.split(" ");
    return { preference: Number(preference), exchange: exchange === "." ? "" : exchange.toLowerCase() };
  });
  return { type: "found", records };
}
