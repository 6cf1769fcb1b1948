/**
 * What a node currently does for each recipient domain. Delivery knows it in its memory; the node stores it every few seconds
 * as one of its values (see key-value.ts), so that other nodes and the command line can report it. Times are milliseconds since
 * the epoch.
 */

import type { ClosedDestination } from "../../message/result/closed-destination.ts";

/** The messages of one account to one recipient domain. Test messages are left out. */
export interface DomainTraffic {
  accountId: string;
  domain: string;
  /** Recipients in an attempt. */
  inFlight: number;
  deliveredLastMinute: number;
}

/** A receiver, or several that serve the same domains, with all recipient domains that it serves. */
export interface DestinationTraffic {
  name: string;
  /** Attempts in progress. */
  attempts: number;
  /** How many attempts may be in progress at one time, on all nodes together. */
  window: number;
  /** The receiver's limit for the connections of all nodes; null without one. */
  limit: number | null;
  /** Open connections, idle ones included. */
  connections: number;
  /** When the node last learnt something about the window; 0 if it never has. */
  usedAtMs: number;
  /** Null while it accepts messages. */
  closed: ClosedDestination | null;
}

export interface NodeTraffic {
  /** The node's name; of a service without nodes the host's. */
  node: string;
  atMs: number;
  attempts: number;
  attemptsMax: number;
  /** Accounts that have as many attempts in progress as one account may have now. */
  accountsAtShare: string[];
  /** Whether new messages are accepted first, with few attempts meanwhile. */
  hasAcceptPriority: boolean;
  domains: DomainTraffic[];
  /** Those with attempts or connections, and those that are closed or full. */
  destinations: DestinationTraffic[];
  /** The destinations of recipient domains, as far as they are among those listed. */
  destinationOf: Record<string, string>;
}

/** What delivery knows of its own process. */
export type OwnTraffic = Omit<NodeTraffic, "node">;

/** How long a stored report is valid: the node renews it earlier while there is any traffic. */
const TRAFFIC_VALID_MS = 30_000;

/** Decodes a stored report; null if it is too old or cannot be decoded. */
export function parseTraffic(text: string, nowMs: number): NodeTraffic | null {
  try {
    const traffic = JSON.parse(text) as NodeTraffic;
    for (const destination of traffic.destinations) completeClosed(destination);
    const isWhole = [traffic.domains, traffic.destinations, traffic.accountsAtShare].every(Array.isArray);
    return isWhole && Math.abs(nowMs - traffic.atMs) < TRAFFIC_VALID_MS ? traffic : null;
  } catch {
    return null;
  }
}

/** An earlier version stores less about a closed destination. */
function completeClosed(destination: DestinationTraffic): void {
  if (destination.closed !== null)
    destination.closed = {
      isProbing: false,
      causes: [],
      last: null,
      ...(destination.closed as Partial<ClosedDestination>),
    } as ClosedDestination;
}
