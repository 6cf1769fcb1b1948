/**
 * Explains what a check could not read: records that the resolver left out because they exceed a limit
 * (dns/answer-limits.ts). Such a record counts as absent, for the domain's own name as for an include.
 */
import { RECORDS_MAX, TXT_BYTES_MAX, TXT_RECORDS_MAX } from "../dns/answer-limits.ts";
import type { DnsAnswer, Omission, Resolver } from "../dns/resolver.ts";

/** Each sentence costs room in the detail of a check. */
const SENTENCES_MAX = 3;

export interface WatchedResolver {
  resolver: Resolver;
  /** What was left out of the answers so far, in sentences; empty where nothing was. */
  omissions(): string[];
}

/** A resolver with the answers of `resolver`, which remembers what was left out of them. */
export function watchOmissions(resolver: Resolver): WatchedResolver {
  const sentences = new Set<string>();
  const watch =
    <T>(type: string, lookUp: (name: string) => Promise<DnsAnswer<T>>) =>
    async (name: string): Promise<DnsAnswer<T>> => {
      const answer = await lookUp(name);
      const omitted = "omitted" in answer ? answer.omitted : undefined;
      if (omitted !== undefined && sentences.size < SENTENCES_MAX) sentences.add(explain(type, name, omitted));
      return answer;
    };
  const watched: Resolver = {
    mx: watch("MX", (name) => resolver.mx(name)),
    txt: watch("TXT", (name) => resolver.txt(name)),
    a: watch("A", (name) => resolver.a(name)),
    aaaa: watch("AAAA", (name) => resolver.aaaa(name)),
    ptr: watch("PTR", (address) => resolver.ptr(address)),
    cname: watch("CNAME", (name) => resolver.cname(name)),
  };
  return { resolver: watched, omissions: () => [...sentences] };
}

function explain(type: string, name: string, { longestOctets, furtherRecords }: Omission): string {
  if (longestOctets > 0) {
    return `A TXT record at ${name} has ${longestOctets} octets and is not read: shorten it to at most ${TXT_BYTES_MAX}, or remove it.`;
  }
  const max = type === "TXT" ? TXT_RECORDS_MAX : RECORDS_MAX;
  return `${name} has ${max + furtherRecords} ${type} records, of which ${max} are read: remove those that you no longer use.`;
}
