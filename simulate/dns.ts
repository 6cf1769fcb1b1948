/**
 * DNS: a small zone of recipient domains with their mail hosts, and a resolver that stalls, fails and returns wrong
 * answers.
 */
import type { DnsAnswer, Resolver } from "../src/dns/resolver.ts";
import type { SecureResolver } from "../src/dns/secure-resolver.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { History } from "./history.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Prng } from "./prng.ts";

export const SERVICE_HOSTNAME = "mta.sender.example";

const QUERY_MS = [0.5, 60] as const;
const STALL_MS = [5_000, 40_000] as const;

/** Addresses that the service must never connect to. */
const PRIVATE = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1"] as const;

interface Host {
  name: string;
  preference: number;
  addresses: string[];
}

const DOMAINS = 6;
const ADDRESSLESS_HOSTS = 300;

export class Zone {
  readonly domains = new Map<string, Host[]>();
  readonly #prng: Prng;
  readonly #hostDomainOf: (domain: string) => string;
  /** All addresses ever assigned: former hosts still respond. */
  readonly #addresses = new Set<string>();
  /** Until when the hosts of a domain refuse connections, by the domain's number. */
  readonly #downUntilMs = new Map<number, number>();
  #hostsCreated = 0;

  /** `hostDomainOf`: the domain that a recipient domain's hosts are in. */
  constructor(prng: Prng, hostDomainOf = (domain: string): string => domain) {
    this.#prng = prng;
    this.#hostDomainOf = hostDomainOf;
    for (let i = 0; i < DOMAINS; i += 1) this.#assignHosts(i);
  }

  /** Assigns new mail hosts with new addresses to one domain. */
  moveHosts(): void {
    this.#assignHosts(this.#prng.integer(0, DOMAINS - 1));
  }

  /** Adds preferred hosts without an address to one domain; the returned function removes them. */
  addAddresslessHosts(): () => void {
    const domain = this.anyDomain();
    const hosts = Array.from({ length: ADDRESSLESS_HOSTS }, (_, i): Host => {
      return { name: `empty${i}.${domain}`, preference: 1 + (i % 5), addresses: [] };
    });
    this.domains.set(domain, [...hosts, ...(this.domains.get(domain) ?? [])]);
    return () => {
      const left = (this.domains.get(domain) ?? []).filter(({ addresses }) => addresses.length > 0);
      this.domains.set(domain, left);
    };
  }

  anyDomain(): string {
    return domainName(this.#prng.integer(0, DOMAINS - 1));
  }

  #assignHosts(i: number): void {
    const prng = this.#prng;
    const hosts = Array.from({ length: prng.integer(1, 3) }, (): Host => {
      this.#hostsCreated += 1;
      const addresses = Array.from({ length: prng.integer(1, 2) }, (_, k) => `11.${i}.${this.#hostsCreated}.${k + 1}`);
      for (const address of addresses) this.#addresses.add(address);
      return {
        name: `mx${this.#hostsCreated}.${this.#hostDomainOf(domainName(i))}`,
        preference: prng.pick([10, 10, 20]),
        addresses,
      };
    });
    this.domains.set(domainName(i), hosts);
  }

  /** The domain that has or had the peer's address. */
  domainOf(address: string): string {
    return domainName(Number(address.split(".")[1]));
  }

  /** Takes down the hosts of one domain, including its former ones. */
  takeDown(untilMs: number): void {
    this.#downUntilMs.set(this.#prng.integer(0, DOMAINS - 1), untilMs);
  }

  bringAllUp(): void {
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

export interface ResolverOptions {
  zone: Zone;
  incarnation: Incarnation;
  prng: Prng;
  faults: FaultInjector;
  history: History;
}

/** Creates the resolver of one process incarnation. */
export function createResolver(parts: ResolverOptions): Resolver {
  const { zone, incarnation, prng, faults, history } = parts;
  const query = <T>(correct: () => DnsAnswer<T>, wrong: () => DnsAnswer<T>): Promise<DnsAnswer<T>> =>
    new Promise((resolve) => {
      const isStalled = faults.occurs("dns_stalls");
      incarnation.effect("dns", () => {
        incarnation.after(prng.logUniform(isStalled ? STALL_MS : QUERY_MS), () => {
          if (isStalled) resolve({ type: "failure", code: "ETIMEOUT" });
          else if (faults.occurs("dns_servfail")) resolve({ type: "failure", code: "ESERVFAIL" });
          else resolve(faults.occurs("dns_wrong") ? wrong() : correct());
        });
      });
    });
  const wrongMx = (domain: string): DnsAnswer<{ exchange: string; preference: number }> => {
    const kind = prng.pick(["nxdomain", "null_mx", "own_host", "nodata", "other_host"] as const);
    faults.tally.add(`wrong_${kind}`);
    if (kind === "nodata") return { type: "nodata" };
    if (kind === "other_host") return { type: "found", records: [{ exchange: "nowhere.example", preference: 1 }] };
    if (kind === "own_host") return { type: "found", records: [{ exchange: SERVICE_HOSTNAME, preference: 0 }] };
    history.denied.add(domain);
    if (kind === "nxdomain") return { type: "nxdomain" };
    return { type: "found", records: [{ exchange: "", preference: 0 }] };
  };
  const wrongA = (): DnsAnswer<string> => {
    if (prng.chance(0.4)) return { type: "nodata" };
    faults.tally.add("wrong_private_address");
    return { type: "found", records: [prng.pick(PRIVATE)] };
  };
  const noData = <T>(): Promise<DnsAnswer<T>> =>
    query<T>(
      () => ({ type: "nodata" }),
      () => ({ type: "nxdomain" }),
    );
  return {
    mx: (domain) =>
      query(
        () => zone.mx(domain),
        () => wrongMx(domain),
      ),
    a: (name) => query(() => zone.a(name), wrongA),
    aaaa: () => noData(),
    txt: () => noData(),
    ptr: () => noData(),
    cname: () => noData(),
  };
}

/** The simulated resolver does not validate, so DANE is not used. */
export const nonValidatingResolver: SecureResolver = {
  trusted: false,
  mx: async () => ({ type: "failure", code: "EREFUSED" }),
  a: async () => ({ type: "failure", code: "EREFUSED" }),
  aaaa: async () => ({ type: "failure", code: "EREFUSED" }),
  tlsa: async () => ({ type: "failure", code: "EREFUSED" }),
};
