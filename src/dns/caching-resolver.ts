/**
 * A resolver with a short cache that merges concurrent identical queries: a burst of messages to one domain costs one
 * lookup. Failures and most negative answers are never cached, so a repaired zone is seen at once. The absence of addresses of
 * one family is cached: it is the usual case, and delivery uses the other family.
 */
import type { Clock } from "../lib/clock.ts";
import { TtlCache } from "../lib/ttl-cache.ts";
import type { DnsAnswer, Resolver } from "./resolver.ts";

/** node:dns returns no TTL for most types. This time is short enough to exceed no relevant TTL by much. */
const CACHED_MS = 10_000;
const ANSWERS_MAX = 20_000;

/** Returns the answers of `resolver`, at most 10 s old. */
export function cachingResolver(resolver: Resolver, clock: Clock): Resolver {
  const answers = new TtlCache<DnsAnswer<unknown>>({
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
  const cached = <T>(
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
