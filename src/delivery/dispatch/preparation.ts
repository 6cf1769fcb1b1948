/**
 * Looks up what an attempt must know about its recipient domain before it takes a destination's slot: the route and the domain's
 * TLS policies. The look-ups depend on servers that the domain names, so no slot is held meanwhile: a silent server would keep a
 * provider's slots from other mail.
 */
import { type BoundedMap, boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { withinLimit } from "../../lib/time-limit.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { destinationOf, type Route, type RoutingPolicy, routeTo } from "../routing/route.ts";
import type { TestSink } from "../routing/test-sink.ts";
import { type HostPolicyLookup, opportunistic, type PolicyLookup } from "../tls/tls-policy.ts";

export interface PreparedDomain {
  route: Route;
  /** Null when the route has no hosts, so there is nothing to overload. */
  destination: string | null;
  /** Rejects where the domain's policy could not be read from the spool. */
  policyFor: HostPolicyLookup;
}

/** How long all messages for a domain share a result: the look-ups of one take as long as a twentieth of its way, cached as they are. */
const SHARED_MS = 1000;
/** How long a domain's result is reused after its destination turned out to be full. */
const KEPT_MS = 60_000;
const KEPT_MAX = 10_000;
/** Of a result that is kept: a domain may have a hundred hosts with names of 255 characters. */
const KEPT_HOSTS_MAX = 20;

interface KeptDomain {
  prepared: PreparedDomain;
  untilMs: number;
}

export interface PreparationParts {
  routing: RoutingPolicy;
  testSink: Pick<TestSink, "route">;
  policiesOf: PolicyLookup;
  clock: Clock;
}

export class Preparation {
  readonly #parts: PreparationParts;
  readonly #kept = boundedMap<KeptDomain>(KEPT_MAX);
  readonly #shared = boundedMap<KeptDomain>(KEPT_MAX);

  constructor(parts: PreparationParts) {
    this.#parts = parts;
  }

  /** The result that the domain's messages share now; null without one. */
  shared(domain: string): PreparedDomain | null {
    return this.#valid(this.#shared, domain);
  }

  /**
   * The look-ups take no longer than half of the time left to the message's deadline: the other half is for the attempt. Where
   * they do, the result is DNS trouble, as after their own limits. Never rejects.
   */
  async prepare(domain: string, leftMs?: number): Promise<PreparedDomain> {
    if (isTestRoute(domain)) return this.#toTestSink(domain);
    const kept = this.#valid(this.#kept, domain);
    if (kept !== null) return kept;
    this.#kept.delete(domain);
    if (leftMs === undefined) return this.#lookUp(domain);
    const limitMs = leftMs / 2;
    const { clock } = this.#parts;
    return withinLimit(this.#lookUp(domain, clock.monotonicMs() + limitMs), { clock, limitMs, late: LATE });
  }

  /**
   * Call when the destination was full. With new look-ups each time, a domain with slow servers would find it full each time.
   * Keeping a domain again does not extend its time. One with very many hosts is not kept.
   */
  keep(domain: string, prepared: PreparedDomain): void {
    if (this.#kept.has(domain) || hasManyHosts(prepared)) return;
    this.#kept.set(domain, { prepared, untilMs: this.#parts.clock.monotonicMs() + KEPT_MS });
  }

  #valid(results: BoundedMap<KeptDomain>, domain: string): PreparedDomain | null {
    const result = results.peek(domain);
    return result !== undefined && this.#parts.clock.monotonicMs() < result.untilMs ? result.prepared : null;
  }

  /** Messages must not share an order that was drawn for one. */
  #share(domain: string, prepared: PreparedDomain): void {
    const { route } = prepared;
    if (route.type !== "hosts" || route.isDrawn || hasManyHosts(prepared)) return;
    this.#shared.set(domain, { prepared, untilMs: this.#parts.clock.monotonicMs() + SHARED_MS });
  }

  /** A destination of the account's own, whatever the sink is asked to do: nothing about it concerns other mail. */
  async #toTestSink(domain: string): Promise<PreparedDomain> {
    return { route: await this.#parts.testSink.route(), destination: domain, policyFor: await opportunistic(domain) };
  }

  async #lookUp(domain: string, untilMs?: number): Promise<PreparedDomain> {
    const { routing, policiesOf, clock } = this.#parts;
    const route = await routeTo(domain, routing);
    const destination = destinationOf(domain, route);
    // Without hosts, no policy is looked up.
    if (destination === null) return { route, destination, policyFor: failing(new Error("the route has no hosts")) };
    // The message can be delivered without an MTA-STS policy, so the wait for one must end first.
    const stsLimitMs = untilMs === undefined ? undefined : (untilMs - clock.monotonicMs()) / 2;
    try {
      const prepared = { route, destination, policyFor: await policiesOf(domain, stsLimitMs) };
      // A message with little time may not have waited for the policy.
      if (untilMs === undefined) this.#share(domain, prepared);
      return prepared;
    } catch (error) {
      // The attempt aborts with this error, as with any other internal error.
      return { route, destination, policyFor: failing(error as Error) };
    }
  }
}

const hasManyHosts = ({ route }: PreparedDomain): boolean =>
  route.type === "hosts" && route.hosts.length > KEPT_HOSTS_MAX;

const failing = (error: Error): HostPolicyLookup => {
  return () => Promise.reject(error);
};

const LATE: PreparedDomain = {
  route: { type: "dns_trouble", code: "ETIMEOUT" },
  destination: null,
  policyFor: failing(new Error("the route has no hosts")),
};
