/**
 * What an attempt must know of the recipient domain before it takes a place at a destination: where the mail goes, and what
 * the domain publishes about TLS. All of it depends on servers that the domain names, so it must not be waited for while a
 * place is held: a silent one would keep a provider's place from other mail.
 */
import type { Clock } from "../../lib/clock.ts";
import { destinationOf, type Route, type RoutingPolicy, routeTo } from "../routing/route.ts";
import type { HostPolicyLookup, PolicyLookup } from "../tls/tls-policy.ts";

export interface PreparedDomain {
  route: Route;
  /** Null when there is none to overload: mail for the domain goes nowhere at the moment. */
  destination: string | null;
  /** Rejects where what the domain publishes could not be read from the spool. */
  policyFor: HostPolicyLookup;
}

/** How long what was found for a domain is used again after its destination turned out to be full. */
const KEPT_MS = 60_000;
const KEPT_MAX = 10_000;

export interface PreparationParts {
  routing: RoutingPolicy;
  policiesOf: PolicyLookup;
  clock: Clock;
}

export class Preparation {
  readonly #parts: PreparationParts;
  readonly #kept = new Map<string, { prepared: PreparedDomain; untilMs: number }>();

  constructor(parts: PreparationParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async prepare(domain: string): Promise<PreparedDomain> {
    const kept = this.#kept.get(domain);
    if (kept !== undefined && this.#parts.clock.monotonicMs() < kept.untilMs) return kept.prepared;
    this.#kept.delete(domain);
    return this.#find(domain);
  }

  /** The destination was full. Found anew each time, a domain with slow servers would find it full each time. */
  keep(domain: string, prepared: PreparedDomain): void {
    if (this.#kept.has(domain)) return;
    this.#kept.set(domain, { prepared, untilMs: this.#parts.clock.monotonicMs() + KEPT_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #find(domain: string): Promise<PreparedDomain> {
    const { routing, policiesOf } = this.#parts;
    const route = await routeTo(domain, routing);
    const destination = destinationOf(domain, route);
    // Without hosts, nobody asks for their policies.
    if (destination === null) return { route, destination, policyFor: failing(new Error("the route has no hosts")) };
    try {
      return { route, destination, policyFor: await policiesOf(domain) };
    } catch (error) {
      // The attempt breaks off by it, as by any other fault of our own.
      return { route, destination, policyFor: failing(error as Error) };
    }
  }
}

const failing = (error: Error): HostPolicyLookup => {
  return () => Promise.reject(error);
};
