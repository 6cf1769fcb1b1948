/**
 * A resolver with a short cache that merges concurrent identical queries: a burst of messages to one domain costs one
 * lookup. Failures and most negative answers are never cached, so a repaired zone is seen at once. The absence of addresses of
 * one family is cached: it is the usual case, and delivery uses the other family. Long answers are not cached, because anybody who
 * sends can name thousands of domains with 64 KiB each.
 */
import type { Clock } from "../lib/clock.ts";
import { TtlCache } from "../lib/ttl-cache.ts";
import type { DnsAnswer, MxRecord, Resolver } from "./resolver.ts";

/** Short enough to exceed no relevant TTL by much. */
const CACHED_MS = 10_000;
const ANSWERS_MAX = 20_000;
/**
 * Characters of an answer that is cached, of which each record counts RECORD_LENGTH beside its own. Names of ten mail hosts have half of
 * them; 20,000 such answers take some 50 MB.
 */
export const ANSWER_LENGTH_MAX = 2048;
const RECORD_LENGTH = 64;

/** Returns the answers of `resolver`, at most 10 s old. */
export function cachingResolver(resolver: Resolver, clock: Clock): Resolver {
  const answers = new TtlCache<DnsAnswer<string | MxRecord>>({
    clock,
    keptMs: CACHED_MS,
    max: ANSWERS_MAX,
    worthKeeping: isShort,
  });
  const addresses = new TtlCache<DnsAnswer<string>>({
    clock,
    keptMs: CACHED_MS,
    max: ANSWERS_MAX,
    worthKeeping: (answer) => answer.type === "nodata" || isShort(answer),
  });
  const cached = <T extends string | MxRecord>(
    type: string,
    name: string,
    lookUp: (name: string) => Promise<DnsAnswer<T>>,
  ): Promise<DnsAnswer<T>> => answers.get(`${type} ${name}`, () => lookUp(name)) as Promise<DnsAnswer<T>>;

  return {
    mx: (name) => cached("mx", name, resolver.mx),
    txt: (name) => cached("txt", name, resolver.txt),
    a: (name) => addresses.get(`a ${name}`, () => resolver.a(name)),
    aaaa: (name) => addresses.get(`aaaa ${name}`, () => resolver.aaaa(name)),
    ptr: (address) => cached("ptr", address, resolver.ptr),
    cname: (name) => cached("cname", name, resolver.cname),
  };
}

/** Whether the answer has records, and is short enough to be cached. */
function isShort(answer: DnsAnswer<string | MxRecord>): boolean {
  if (answer.type !== "found") return false;
  const lengths = answer.records.map((record) => (typeof record === "string" ? record : record.exchange).length);
  return lengths.reduce((sum, length) => sum + length + RECORD_LENGTH, 0) <= ANSWER_LENGTH_MAX;
}
