/**
 * Looks up what an attempt must know about its recipient domain before it takes a destination's slot: the route and the domain's
 * TLS policies. The look-ups depend on servers that the domain names, so no slot is held meanwhile: a silent server would keep a
 * provider's slots from other mail.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
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

/** How long a domain's result is reused after its destination turned out to be full. */
const KEPT_MS = 60_000;
const KEPT_MAX = 10_000;

export interface PreparationParts {
  routing: RoutingPolicy;
  testSink: Pick<TestSink, "route">;
  policiesOf: PolicyLookup;
  clock: Clock;
}

export class Preparation {
  readonly #parts: PreparationParts;
  readonly #kept = boundedMap<{ prepared: PreparedDomain; untilMs: number }>(KEPT_MAX);

  constructor(parts: PreparationParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async prepare(domain: string): Promise<PreparedDomain> {
    if (isTestRoute(domain)) return this.#toTestSink(domain);
    const kept = this.#kept.peek(domain);
    if (kept !== undefined && this.#parts.clock.monotonicMs() < kept.untilMs) return kept.prepared;
    this.#kept.delete(domain);
    return this.#lookUp(domain);
  }

  /**
   * Call when the destination was full. With new look-ups each time, a domain with slow servers would find it full each time.
   * Keeping a domain again does not extend its time.
   */
  keep(domain: string, prepared: PreparedDomain): void {
    if (this.#kept.has(domain)) return;
    this.#kept.set(domain, { prepared, untilMs: this.#parts.clock.monotonicMs() + KEPT_MS });
  }

  /** A destination of the account's own, whatever the sink is asked to do: nothing about it concerns other mail. */
  async #toTestSink(domain: string): Promise<PreparedDomain> {
    return { route: await this.#parts.testSink.route(), destination: domain, policyFor: await opportunistic(domain) };
  }

  async #lookUp(domain: string): Promise<PreparedDomain> {
    const { routing, policiesOf } = this.#parts;
    const route = await routeTo(domain, routing);
    const destination = destinationOf(domain, route);
    // Without hosts, no policy is looked up.
    if (destination === null) return { route, destination, policyFor: failing(new Error("the route has no hosts")) };
    try {
      return { route, destination, policyFor: await policiesOf(domain) };
    } catch (error) {
      // The attempt aborts with this error, as with any other internal error.
      return { route, destination, policyFor: failing(error as Error) };
    }
  }
}

const failing = (error: Error): HostPolicyLookup => {
  return () => Promise.reject(error);
};
