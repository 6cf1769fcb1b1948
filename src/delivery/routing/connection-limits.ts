/**
 * The limits of a destination's connections: those of its receivers' profiles, unless DESTINATION_LIMITS names others. A destination
 * with several receivers has the least of their limits.
 */
import { profileOf, receiversUnder } from "../../receivers/receiver.ts";
import { receiversIn } from "./route.ts";

/** Of one destination; null for no limit. */
export interface DestinationLimits {
  connections: number | null;
  messagesPerConnection: number | null;
}

/**
 * Returns the limits of a destination by its name. `configured`: connections at one time, by a domain or one of its hosts, or by the
 * sink's `host:port`.
 */
export function destinationLimits(configured: ReadonlyMap<string, number>): (destination: string) => DestinationLimits {
  const byReceiver = new Map<string, number>();
  for (const [domain, limit] of configured) {
    for (const receiver of domain.includes(":") ? [domain] : receiversUnder(domain))
      byReceiver.set(receiver, Math.min(limit, byReceiver.get(receiver) ?? limit));
  }
  return (destination) => {
    const receivers = receiversIn(destination);
    return {
      connections: leastOf(receivers.map((each) => byReceiver.get(each) ?? profileOf(each)?.limits.connections)),
      messagesPerConnection: leastOf(receivers.map((each) => profileOf(each)?.limits.messagesPerConnection)),
    };
  };
}

function leastOf(limits: readonly (number | undefined)[]): number | null {
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}
