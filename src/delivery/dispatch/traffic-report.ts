/** Gathers what this node does for each recipient domain, from the parts of delivery that know it. */
import type { Clock } from "../../lib/clock.ts";
import type { ClosedDestination } from "../../message/result/closed-destination.ts";
import { isTestRoute } from "../../message/test-route.ts";
import type { DestinationTraffic, OwnTraffic } from "../../spool/port/node-traffic.ts";
import type { OpenConnections } from "../smtp/open-connections.ts";
import type { DestinationThrottle } from "../throttle/destination-throttle.ts";
import type { NodeWindows } from "../throttle/node-windows.ts";
import type { SourceWindows } from "../throttle/source-windows.ts";
import { closedOf, slotsOf } from "../throttle/window-state.ts";
import type { KnownWindow } from "../throttle/windows.ts";
import type { AcceptPriority } from "./accept-priority.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { DomainTrafficCounts } from "./domain-traffic.ts";

/** The most entries that are reported of each list. */
const LISTED_MAX = 500;

export interface TrafficParts {
  attemptsMax: number;
  clock: Clock;
  dispatcher: Pick<Dispatcher, "attemptsInShares" | "accountsAtShare">;
  domains: Pick<DomainTrafficCounts, "list">;
  throttle: Pick<DestinationThrottle, "used" | "domainsOf">;
  destinations: Pick<NodeWindows, "look" | "limitOf" | "start">;
  /** The same by sending address. */
  windows: Pick<SourceWindows, "windowsOf" | "closed" | "isInUse">;
  connections: Pick<OpenConnections, "count" | "destinations">;
  acceptPriority: Pick<AcceptPriority, "isActive">;
}

export function trafficReport(parts: TrafficParts): OwnTraffic {
  const { attemptsMax, clock, dispatcher, throttle, acceptPriority } = parts;
  const domains = parts.domains.list().sort((a, b) => b.inFlight - a.inFlight);
  const destinations = destinationsOf(parts).slice(0, LISTED_MAX);
  return {
    atMs: clock.now(),
    attempts: dispatcher.attemptsInShares,
    attemptsMax,
    accountsAtShare: dispatcher.accountsAtShare,
    hasAcceptPriority: acceptPriority.isActive,
    domains: domains.slice(0, LISTED_MAX),
    destinations,
    destinationOf: throttle.domainsOf(new Set(destinations.map(({ name }) => name)), LISTED_MAX),
  };
}

/** With times of the wall clock, which is ahead by so much. */
function reportedClosed(
  { sinceMs, probeAtMs, isProbing, causes, last }: ClosedDestination,
  aheadMs: number,
): ClosedDestination {
  const wallMs = (ms: number): number => Math.round(ms + aheadMs);
  const lastTrouble = last && { ...last, atMs: wallMs(last.atMs) };
  return { sinceMs: wallMs(sinceMs), probeAtMs: wallMs(probeAtMs), isProbing, causes, last: lastTrouble };
}

/** The closed ones first, then those with most attempts. */
function destinationsOf({ clock, throttle, destinations, windows, connections }: TrafficParts): DestinationTraffic[] {
  const nowMs = clock.monotonicMs();
  const aheadMs = clock.now() - nowMs;
  const used = new Set([...throttle.used, ...connections.destinations].filter((name) => !isTestRoute(name)));
  const listed = new Map<string, DestinationTraffic>();
  const add = (name: string, known: Pick<DestinationTraffic, "attempts" | "window" | "usedAtMs" | "closed">): void => {
    const limit = destinations.limitOf(name);
    const window = Math.min(known.window, limit ?? known.window);
    listed.set(name, { name, ...known, window, limit, connections: connections.count(name) });
  };
  const unused = { attempts: 0, window: destinations.start, usedAtMs: 0 };
  const knownOf = ({ state, active }: Pick<KnownWindow, "state" | "active">) => {
    const closed = closedOf(state, nowMs);
    return {
      attempts: active,
      window: slotsOf(state, { active, nowMs }),
      usedAtMs: Math.round(state.usedAtMs + aheadMs),
      closed: closed && reportedClosed(closed, aheadMs),
    };
  };
  // Of one whose mail leaves from several addresses, what holds for all of them together.
  const looked = new Map(destinations.look(windows.windowsOf(used)).map((each) => [each.name, each]));
  for (const name of used) {
    const closed = windows.closed(name, nowMs);
    const own = [...windows.windowsOf([name])].flatMap((each) => looked.get(each) ?? []).map(knownOf);
    const together = {
      attempts: own.reduce((sum, { attempts }) => sum + attempts, 0),
      window: own.reduce((sum, { window }) => sum + window, 0),
      usedAtMs: Math.max(...own.map(({ usedAtMs }) => usedAtMs)),
    };
    add(name, { ...(own.length === 0 ? unused : together), closed: closed && reportedClosed(closed, aheadMs) });
  }
  for (const each of looked.values())
    if (!isTestRoute(each.name) && windows.isInUse(each.name)) add(each.name, knownOf(each));
  const rank = ({ closed, attempts }: DestinationTraffic): number =>
    closed === null ? attempts : Number.POSITIVE_INFINITY;
  return [...listed.values()].sort((a, b) => rank(b) - rank(a) || b.connections - a.connections);
}
