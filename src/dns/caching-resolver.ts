/**
 * A resolver that remembers found answers for a moment and asks each question once at a time, so that a burst of mail
 * to one domain is one look-up. Trouble and most negative answers are never remembered: a zone just mended is seen at
 * once. That a host has no address of one family is remembered too, for most have none, and the other serves.
 */
import type { Clock } from "../lib/clock.ts";
import { TtlCache } from "../lib/ttl-cache.ts";
import type { DnsAnswer, Resolver } from "./resolver.ts";

/** node:dns shows no TTL for most types; this short, no published TTL that matters is overstayed by much. */
const CACHED_MS = 10_000;
const ANSWERS_MAX = 20_000;

/** The same answers as `resolver` gives, at most 10 s old. */
export function cachingResolver(resolver: Resolver, clock: Clock): Resolver {
  const kept = new TtlCache<DnsAnswer<unknown>>({
    clock,
    keptMs: CACHED_MS,
    max: ANSWERS_MAX,
    worthKeeping: ({ type }) => type === "found",
  });
  const addresses = new TtlCache<DnsAnswer<string>>({
    clock,
    keptMs: CACHED_MS,
    max: ANSWERS_MAX,
    worthKeeping: ({ type }) => type === "found" || type === "nodata",
  });
  const ask = <T>(type: string, name: string, look: (name: string) => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> =>
    kept.get(`${type} ${name}`, () => look(name)) as Promise<DnsAnswer<T>>;

  return {
    mx: (name) => ask("mx", name, resolver.mx),
    txt: (name) => ask("txt", name, resolver.txt),
    a: (name) => addresses.get(`a ${name}`, () => resolver.a(name)),
    aaaa: (name) => addresses.get(`aaaa ${name}`, () => resolver.aaaa(name)),
    ptr: (address) => ask("ptr", address, resolver.ptr),
    cname: (name) => ask("cname", name, resolver.cname),
  };
}
