/**
 * DNS: a small zone of recipient domains with their mail hosts, and a resolver that stalls, fails and lies about it.
 */
import type { Answer, Resolver } from "../src/dns/resolver.ts";
import type { SecureResolver } from "../src/dns/secure-query.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { History } from "./history.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Prng } from "./prng.ts";

export const SERVICE_HOSTNAME = "mta.sender.example";

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
const ADDRESSLESS_HOSTS = 300;

export class Zone {
  readonly domains = new Map<string, Host[]>();
  readonly #prng: Prng;
  /** All that ever were: who has moved away goes on answering. */
  readonly #addresses = new Set<string>();
  /** Until when a domain's hosts take no connection, by its number. */
  readonly #downUntilMs = new Map<number, number>();
  #hostsCreated = 0;

  constructor(prng: Prng) {
    this.#prng = prng;
    for (let i = 0; i < DOMAINS; i += 1) this.#assignHosts(i);
  }

  /** Gives one domain other mail hosts, at other addresses. */
  moveHosts(): void {
    this.#assignHosts(this.#prng.integer(0, DOMAINS - 1));
  }

  /** Puts hosts without an address before one domain's; the returned function takes them away. */
  addAddresslessHosts(): () => void {
    const domain = this.anyDomain();
    const hosts = Array.from({ length: ADDRESSLESS_HOSTS }, (_, i): Host => {
      return { name: `hollow${i}.${domain}`, preference: 1 + (i % 5), addresses: [] };
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
      return { name: `mx${this.#hostsCreated}.d${i}.example`, preference: prng.pick([10, 10, 20]), addresses };
    });
    this.domains.set(domainName(i), hosts);
  }

  /** The domain that a peer's address has, or had. */
  domainOf(address: string): string {
    return domainName(Number(address.split(".")[1]));
  }

  /** The hosts of one domain, also those it has moved away from, go down. */
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

  mx(domain: string): Answer<{ exchange: string; preference: number }> {
    const hosts = this.domains.get(domain);
    if (hosts === undefined) return { type: "nxdomain" };
    return { type: "found", records: hosts.map(({ name, preference }) => ({ exchange: name, preference })) };
  }

  a(name: string): Answer<string> {
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

/** The resolver that one life of the service asks. */
export function createResolver(parts: ResolverOptions): Resolver {
  const { zone, incarnation, prng, faults, history } = parts;
  const query = <T>(truth: () => Answer<T>, lie: () => Answer<T>): Promise<Answer<T>> =>
    new Promise((resolve) => {
      const isStalled = faults.occurs("dns_stalls");
      incarnation.effect("dns", () => {
        incarnation.after(prng.logUniform(isStalled ? STALL_MS : QUERY_MS), () => {
          if (isStalled) resolve({ type: "trouble", code: "ETIMEOUT" });
          else if (faults.occurs("dns_trouble")) resolve({ type: "trouble", code: "ESERVFAIL" });
          else resolve(faults.occurs("dns_lies") ? lie() : truth());
        });
      });
    });
  const wrongMx = (domain: string): Answer<{ exchange: string; preference: number }> => {
    const kind = prng.pick(["nxdomain", "null_mx", "ourselves", "nodata", "elsewhere"] as const);
    faults.tally.add(`lied_${kind}`);
    if (kind === "nodata") return { type: "nodata" };
    if (kind === "elsewhere") return { type: "found", records: [{ exchange: "nowhere.example", preference: 1 }] };
    if (kind === "ourselves") return { type: "found", records: [{ exchange: SERVICE_HOSTNAME, preference: 0 }] };
    history.denied.add(domain);
    if (kind === "nxdomain") return { type: "nxdomain" };
    return { type: "found", records: [{ exchange: "", preference: 0 }] };
  };
  const wrongA = (): Answer<string> => {
    if (prng.chance(0.4)) return { type: "nodata" };
    faults.tally.add("lied_private_address");
    return { type: "found", records: [prng.pick(PRIVATE)] };
  };
  const noData = <T>(): Promise<Answer<T>> =>
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

/** No resolver here validates, so there is no DANE. */
export const nonValidatingResolver: SecureResolver = {
  trusted: false,
  mx: async () => ({ type: "trouble", code: "EREFUSED" }),
  a: async () => ({ type: "trouble", code: "EREFUSED" }),
  aaaa: async () => ({ type: "trouble", code: "EREFUSED" }),
  tlsa: async () => ({ type: "trouble", code: "EREFUSED" }),
};
