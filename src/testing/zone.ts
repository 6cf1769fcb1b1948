/**
 * Zone data in memory, and the answers to questions: records, CNAME chains, NODATA or NXDOMAIN (RFC 1034 §4.3.2). Authoritative for
 * every name, without wildcards and delegations. zone-server.ts has the wire format.
 */
import { isIPv4, isIPv6 } from "node:net";
import type { Answer, TlsaData } from "dns-packet";

export type ZoneType = "A" | "AAAA" | "CNAME" | "MX" | "NS" | "PTR" | "TLSA" | "TXT";

/** A record's data as in a zone file ("10 mail.example." for MX, "3 1 1 0a1b…" for TLSA). For TXT, an array sets the character-strings. */
export type ZoneValue = string | string[];

export interface ZoneRecord {
  name: string;
  type: ZoneType;
  values: ZoneValue[];
}

interface ZoneAnswer {
  exists: boolean;
  answers: Answer[];
}

export interface Zone {
  /** Replaces the records of that name and type. Throws if the data is not valid for the type. */
  set(name: string, type: ZoneType, values: ZoneValue[]): void;
  /** Removes the records of one type, or all records of the name. */
  remove(name: string, type?: ZoneType): void;
  /** `bareCname` stops at the first CNAME instead of following the chain within the zone. */
  lookup(name: string, type: string, bareCname: boolean): ZoneAnswer;
}

/** Answers must not be cached: a change takes effect with the next question. */
const TTL_SECONDS = 0;
const CHAIN_MAX = 16;
const CHARACTER_STRING_BYTES_MAX = 255;

type Build = (name: string) => Answer;

/** Names compare without case and final dot. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** An empty zone, or one with `records`. */
export function createZone(records: ZoneRecord[] = []): Zone {
  const zone = new MemoryZone();
  for (const { name, type, values } of records) zone.set(name, type, values);
  return zone;
}

class MemoryZone implements Zone {
  readonly #names = new Map<string, Map<string, Build[]>>();

  set(name: string, type: ZoneType, values: ZoneValue[]): void {
    const builds = values.map((value) => buildRecord(type, value));
    const types = this.#names.get(canonicalName(name)) ?? new Map<string, Build[]>();
    this.#names.set(canonicalName(name), types.set(type, builds));
  }

  remove(name: string, type?: ZoneType): void {
    const types = this.#names.get(canonicalName(name));
    if (type !== undefined) types?.delete(type);
    if (type === undefined || types?.size === 0) this.#names.delete(canonicalName(name));
  }

  lookup(name: string, type: string, bareCname: boolean): ZoneAnswer {
    const answers: Answer[] = [];
    const seen = new Set<string>();
    let current = name;
    while (true) {
      const types = this.#names.get(canonicalName(current));
      const found = types?.get(type) ?? [];
      answers.push(...found.map((build) => build(current)));
      const alias = found.length === 0 ? types?.get("CNAME")?.[0]?.(current) : undefined;
      if (alias?.type !== "CNAME") return { exists: exists(this.#names, current), answers };
      answers.push(alias);
      seen.add(canonicalName(current));
      current = alias.data;
      if (bareCname || seen.has(canonicalName(current)) || seen.size === CHAIN_MAX) return { exists: true, answers };
    }
  }
}

/** A name exists if it or a name below it has records (RFC 8020). */
function exists(names: ReadonlyMap<string, unknown>, name: string): boolean {
  const canonical = canonicalName(name);
  return names.has(canonical) || [...names.keys()].some((owner) => owner.endsWith(`.${canonical}`));
}

function buildRecord(type: ZoneType, value: ZoneValue): Build {
  if (type === "TXT") {
    const data = characterStrings(value);
    // The encoder modifies the array.
    return (name) => ({ type, name, ttl: TTL_SECONDS, data: [...data] });
  }
  if (typeof value !== "string") throw new TypeError(`${type} data must be one string`);
  if (type === "MX") {
    const [, preference, exchange] = /^(\d{1,5})\s+(\S+)$/.exec(value.trim()) ?? [];
    if (exchange === undefined) throw new TypeError(`MX data must be "preference exchange": ${value}`);
    return (name) => ({ type, name, ttl: TTL_SECONDS, data: { preference: Number(preference), exchange } });
  }
  if (type === "TLSA") {
    const data = tlsaData(value);
    return (name) => ({ type, name, ttl: TTL_SECONDS, data });
  }
  if ((type === "A" && !isIPv4(value)) || (type === "AAAA" && !isIPv6(value))) {
    throw new TypeError(`${type} data must be an address: ${value}`);
  }
  return (name) => ({ type, name, ttl: TTL_SECONDS, data: value });
}

function tlsaData(value: string): TlsaData {
  const [, usage, selector, matchingType, hex = ""] =
    /^(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\s+((?:[0-9a-f]{2})+)$/i.exec(value.trim()) ?? [];
  if (hex === "") throw new TypeError(`TLSA data must be "usage selector matching-type hex": ${value}`);
  const [first, second, third] = [Number(usage), Number(selector), Number(matchingType)];
  return { usage: first, selector: second, matchingType: third, certificate: Buffer.from(hex, "hex") };
}

function characterStrings(value: ZoneValue): Buffer[] {
  const strings = (Array.isArray(value) ? value : [value]).map((text) => Buffer.from(text));
  return strings.flatMap((bytes) => {
    const count = Math.max(1, Math.ceil(bytes.length / CHARACTER_STRING_BYTES_MAX));
    return Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * CHARACTER_STRING_BYTES_MAX, (index + 1) * CHARACTER_STRING_BYTES_MAX),
    );
  });
}
