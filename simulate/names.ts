/**
 * DNS: a small zone of recipient domains with their mail hosts, and a resolver that stalls, fails and lies about it.
 */
import type { DnsAnswer, Resolver } from "../src/dns/resolver.ts";
import type { SecureResolver } from "../src/dns/secure-resolver.ts";
import type { Books } from "./books.ts";
import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { Weather } from "./weather.ts";

export const OUR_NAME = "mta.sender.example";

const QUERY_MS = [0.5, 60] as const;
const STALL_MS = [5_000, 40_000] as const;

/** Addresses that mail must never be sent to. */
const PRIVATE = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1"] as const;

interface Host {
  name: string;
  preference: number;
  addresses: string[];
}

const DOMAINS = 6;
const HOLLOW_HOSTS = 300;

export class Zone {
  readonly domains = new Map<string, Host[]>();
  readonly #chance: Chance;
  /** All that ever were: who has moved away goes on answering. */
  readonly #addresses = new Set<string>();
  /** Until when a domain's hosts take no connection, by its number. */
  readonly #downUntilMs = new Map<number, number>();
  #made = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
    for (let i = 0; i < DOMAINS; i += 1) this.#place(i);
  }

  /** Gives one domain other mail hosts, at other addresses. */
  move(): void {
    this.#place(this.#chance.whole(0, DOMAINS - 1));
  }

  /** Puts hosts without an address before one domain's; the returned function takes them away. */
  hollow(): () => void {
    const domain = this.anyDomain();
    const hosts = Array.from({ length: HOLLOW_HOSTS }, (_, i): Host => {
      return { name: `hollow${i}.${domain}`, preference: 1 + (i % 5), addresses: [] };
    });
    this.domains.set(domain, [...hosts, ...(this.domains.get(domain) ?? [])]);
    return () => {
      const left = (this.domains.get(domain) ?? []).filter(({ addresses }) => addresses.length > 0);
      this.domains.set(domain, left);
    };
  }

  anyDomain(): string {
    return domainName(this.#chance.whole(0, DOMAINS - 1));
  }

  #place(i: number): void {
    const chance = this.#chance;
    const hosts = Array.from({ length: chance.whole(1, 3) }, (): Host => {
      this.#made += 1;
      const addresses = Array.from({ length: chance.whole(1, 2) }, (_, k) => `11.${i}.${this.#made}.${k + 1}`);
      for (const address of addresses) this.#addresses.add(address);
      return { name: `mx${this.#made}.d${i}.example`, preference: chance.pick([10, 10, 20]), addresses };
    });
    this.domains.set(domainName(i), hosts);
  }

  /** The domain that a peer's address has, or had. */
  domainOf(address: string): string {
    return domainName(Number(address.split(".")[1]));
  }

  /** The hosts of one domain, also those it has moved away from, go down. */
  goDown(untilMs: number): void {
    this.#downUntilMs.set(this.#chance.whole(0, DOMAINS - 1), untilMs);
  }

  allUp(): void {
    this.#downUntilMs.clear();
  }

  isDown(address: string, nowMs: number): boolean {
    return nowMs < (this.#downUntilMs.get(Number(address.split(".")[1])) ?? 0);
  }

  isPeer(address: string): boolean {
    return this.#addresses.has(address);
  }

  mx(domain: string): DnsAnswer<{ exchange: string; preference: number }> {
    const hosts = this.domains.get(domain);
    if (hosts === undefined) return { type: "nxdomain" };
    return { type: "found", records: hosts.map(({ name, preference }) => ({ exchange: name, preference })) };
  }

  a(name: string): DnsAnswer<string> {
    const host = [...this.domains.values()].flat().find((h) => h.name === name);
    if (host === undefined) return { type: "nxdomain" };
    return host.addresses.length === 0 ? { type: "nodata" } : { type: "found", records: host.addresses };
  }
}

const domainName = (i: number): string => `d${i}.example`;

export interface ResolverParts {
  zone: Zone;
  life: Life;
  chance: Chance;
  weather: Weather;
  books: Books;
}

/** The resolver that one life of the service asks. */
export function resolverOn(parts: ResolverParts): Resolver {
  const { zone, life, chance, weather, books } = parts;
  const ask = <T>(truth: () => DnsAnswer<T>, lie: () => DnsAnswer<T>): Promise<DnsAnswer<T>> =>
    new Promise((resolve) => {
      const isStalled = weather.strikes("dns_stalls");
      life.effect("dns", () => {
        life.after(chance.spread(isStalled ? STALL_MS : QUERY_MS), () => {
          if (isStalled) resolve({ type: "failure", code: "ETIMEOUT" });
          else if (weather.strikes("dns_trouble")) resolve({ type: "failure", code: "ESERVFAIL" });
          else resolve(weather.strikes("dns_lies") ? lie() : truth());
        });
      });
    });
  const liedMx = (domain: string): DnsAnswer<{ exchange: string; preference: number }> => {
    const kind = chance.pick(["nxdomain", "null_mx", "ourselves", "nodata", "elsewhere"] as const);
    weather.tally.add(`lied_${kind}`);
    if (kind === "nodata") return { type: "nodata" };
    if (kind === "elsewhere") return { type: "found", records: [{ exchange: "nowhere.example", preference: 1 }] };
    if (kind === "ourselves") return { type: "found", records: [{ exchange: OUR_NAME, preference: 0 }] };
    books.denied.add(domain);
    if (kind === "nxdomain") return { type: "nxdomain" };
    return { type: "found", records: [{ exchange: "", preference: 0 }] };
  };
  const liedA = (): DnsAnswer<string> => {
    if (chance.hit(0.4)) return { type: "nodata" };
    weather.tally.add("lied_private_address");
    return { type: "found", records: [chance.pick(PRIVATE)] };
  };
  const nothing = <T>(): Promise<DnsAnswer<T>> =>
    ask<T>(
      () => ({ type: "nodata" }),
      () => ({ type: "nxdomain" }),
    );
  return {
    mx: (domain) =>
      ask(
        () => zone.mx(domain),
        () => liedMx(domain),
      ),
    a: (name) => ask(() => zone.a(name), liedA),
    aaaa: () => nothing(),
    txt: () => nothing(),
    ptr: () => nothing(),
    cname: () => nothing(),
  };
}

/** No resolver here validates, so there is no DANE. */
export const untrusted: SecureResolver = {
  trusted: false,
  mx: async () => ({ type: "failure", code: "EREFUSED" }),
  a: async () => ({ type: "failure", code: "EREFUSED" }),
  aaaa: async () => ({ type: "failure", code: "EREFUSED" }),
  tlsa: async () => ({ type: "failure", code: "EREFUSED" }),
};
