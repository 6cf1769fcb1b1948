/** The limits of a destination: the least of those of its receivers (receivers/limits.ts). */
import { boundedMap } from "../../lib/bounded-map.ts";
import { type LimitSources, limitsOf, type ReceiverOverride, type ReceiverOverrides } from "../../receivers/limits.ts";
import { receiversIn } from "../../receivers/receiver.ts";

/** Of one destination; null where none is known. */
export interface DestinationLimits {
  connections: number | null;
  messagesPerConnection: number | null;
  /** An operator's pause after a reply about the rate; the longest. */
  pauseSeconds: number | null;
}

/** Destinations whose limits are remembered. */
const DESTINATIONS_MAX = 10_000;

/** Each attempt needs the limits of its destination several times. */
export class LimitsOfDestinations {
  #sources: LimitSources;
  #known = boundedMap<DestinationLimits>(DESTINATIONS_MAX);

  constructor(configured: LimitSources["configured"]) {
    this.#sources = { configured, overrides: new Map() };
  }

  /** Replaces what operators have set. */
  set(overrides: ReceiverOverrides): void {
    this.#sources = { ...this.#sources, overrides };
    this.#known = boundedMap<DestinationLimits>(DESTINATIONS_MAX);
  }

  of(destination: string): DestinationLimits {
    const known = this.#known.peek(destination);
    if (known !== undefined) return known;
    const receivers = receiversIn(destination).map((receiver) => limitsOf(receiver, this.#sources));
    const values = (name: keyof ReceiverOverride): number[] => receivers.flatMap((limits) => limits[name] ?? []);
    const limits = {
      connections: least(values("connections")),
      messagesPerConnection: least(values("messagesPerConnection")),
      pauseSeconds: values("pauseSeconds").sort((a, b) => b - a)[0] ?? null,
    };
    this.#known.set(destination, limits);
    return limits;
  }
}

const least = (limits: readonly number[]): number | null => (limits.length === 0 ? null : Math.min(...limits));
