/**
 * The destinations of recipient domains, as far as released jobs have named them: mail of these domains counts as the destination's
 * in claims. Also notes the destinations whose mail is left to other nodes at the moment.
 */
import { boundedMap } from "../../../../lib/bounded-map.ts";
import type { Clock } from "../../../../lib/clock.ts";

const DOMAINS_MAX = 50_000;

/** A domain may move to another mail host. */
const KEPT_MS = 600_000;

/** The same if other mail of the domain may go to another destination: that mail must not wait for long. */
const KEPT_OF_SEVERAL_MS = 1000;

export class DomainDestinations {
  readonly #clock: Clock;
  readonly #found = boundedMap<{ destination: string; untilMs: number }>(DOMAINS_MAX);
  #elsewhere: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The domain's mail was found to go to this destination. */
  note(domain: string, destination: string, isOneOfSeveral = false): void {
    const keptMs = isOneOfSeveral ? KEPT_OF_SEVERAL_MS : KEPT_MS;
    this.#found.set(domain, { destination, untilMs: this.#clock.monotonicMs() + keptMs });
  }

  /** Null if it is not known. */
  of(domain: string): string | null {
    const found = this.#found.peek(domain);
    if (found === undefined) return null;
    if (this.#clock.monotonicMs() < found.untilMs) return found.destination;
    this.#found.delete(domain);
    return null;
  }

  /** Mail of these destinations is left to other nodes until the next call. Returns whether there are any. */
  leave(destinations: readonly string[]): boolean {
    this.#elsewhere = new Set(destinations);
    return destinations.length > 0;
  }

  /** Whether the domain's mail is left to other nodes. */
  isElsewhere(domain: string): boolean {
    if (this.#elsewhere.size === 0) return false;
    const destination = this.of(domain);
    return destination !== null && this.#elsewhere.has(destination);
  }
}
