/**
 * The receivers: those with a profile, those that mail goes to at this moment, and those for which an operator has set limits; with
 * the limits in effect, what delivery knows of them, and the results of the last day.
 */
import { blockOf, type ClosedDestination } from "../../message/result/closed-destination.ts";
import { type LimitSources, limitsByReceiver, limitsOf, type ReceiverOverride } from "../../receivers/limits.ts";
import { addressIn, isReceiver, keyOf, nameOf, receiversIn, withoutSource } from "../../receivers/names.ts";
import { PROFILES, type ReceiverProfile } from "../../receivers/profiles.ts";
import { hostsOf, profileOf } from "../../receivers/receiver.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { DestinationTraffic, NodeTraffic } from "../../spool/port/node-traffic.ts";
import { readReceiverOverrides } from "../../spool/port/receiver-limits.ts";
import {
  newCounts,
  type ReceiverCounts,
  type ResultsRange,
  readReceiverResults,
} from "../../spool/port/receiver-results.ts";
import { type PreflightReceiver, readPreflights, type StoredPreflight } from "./preflight.ts";

/** `paused` after replies about the rate, `blocked` after refusals of this server's address or name, `closed` after anything else. */
export type ReceiverState = "open" | "paused" | "blocked" | "closed";

export interface ReceiverReport {
  name: string;
  /** Null where there is none. */
  profile: ReceiverProfile | null;
  limits: ReceiverOverride;
  /** What an operator has set. */
  overridden: (keyof ReceiverOverride)[];
  state: ReceiverState;
  /** Null while it is open, from one sending address at least. */
  closed: ClosedDestination | null;
  /** The sending addresses that mail has left from lately; empty where the system chooses. */
  addresses: AddressAtReceiver[];
  /** Attempts under way, and connections, on all nodes. */
  attempts: number;
  connections: number;
  /** Results of attempts in the last 24 hours. */
  lastDay: ReceiverCounts;
  /** From each sending address, as of the last preflight. */
  sessions: PreflightSession[];
}

/** What a receiver does with mail from one sending address. */
export interface AddressAtReceiver {
  address: string;
  state: ReceiverState;
  closed: ClosedDestination | null;
}

/** What a receiver accepts no mail from. */
export interface ClosedAddress {
  /** Null for every address of this service. */
  address: string | null;
  state: ReceiverState;
  closed: ClosedDestination;
}

export function closedAt({ closed, addresses }: Pick<ReceiverReport, "closed" | "addresses">): ClosedAddress[] {
  if (closed !== null && addresses.length === 0) return [{ address: null, state: stateOf(closed), closed }];
  return addresses.flatMap(({ address, state, closed: each }) =>
    each === null ? [] : [{ address, state, closed: each }],
  );
}

/** What a receiver did with a session of a preflight. */
export interface PreflightSession extends PreflightReceiver {
  address: string | null;
  atMs: number;
}

export interface ReceiverSources {
  spool: Pick<KeyValueStore, "readValue" | "readLiveNodeValues">;
  /** Of each node that reports. */
  traffic: readonly NodeTraffic[];
  /** DESTINATION_LIMITS. */
  configured: ReadonlyMap<string, number>;
  nowMs: number;
}

/** One receiver, also one that nothing was sent to lately; null for a name that no receiver has. */
export async function readReceiver(sources: ReceiverSources, typed: string): Promise<ReceiverReport | null> {
  const name = typed.trim().toLowerCase();
  const receivers = await readReceivers(sources, hostsOf(name) === null ? [] : [name]);
  return receivers.find((receiver) => receiver.name === name) ?? null;
}

/** All receivers, by name, and those that are named besides. */
export async function readReceivers(
  { spool, traffic, configured, nowMs }: ReceiverSources,
  named: readonly string[] = [],
): Promise<ReceiverReport[]> {
  const overrides = await readReceiverOverrides(spool);
  const [lastDay, preflights] = await Promise.all([
    readReceiverResults(spool, { nowMs, days: 1 }),
    readPreflights(spool),
  ]);
  const sources = { configured: limitsByReceiver(configured), overrides };
  const keys = new Set([
    ...PROFILES.map(({ name }) => keyOf(name)),
    ...[...overrides.keys(), ...lastDay.keys(), ...named].map(keyOf),
    ...traffic.flatMap(({ destinations }) => destinations.flatMap(({ name }) => receiversNamed(name))),
  ]);
  const reports = [...keys].map((key) => {
    const name = nameOf(key);
    return {
      ...reportOf(key, sources, traffic),
      lastDay: lastDay.get(name) ?? newCounts(),
      sessions: sessionsWith(name, preflights),
    };
  });
  return reports.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function reportOf(
  key: string,
  sources: LimitSources,
  traffic: readonly NodeTraffic[],
): Omit<ReceiverReport, "lastDay" | "sessions"> {
  const of = traffic.flatMap(({ destinations }) =>
    destinations.filter(({ name }) => receiversNamed(name).includes(key)),
  );
  const sum = (field: "attempts" | "connections"): number => of.reduce((total, each) => total + each[field], 0);
  // A destination of several receivers shows nothing of one of them.
  const alone = of.filter(({ name }) => withoutSource(name) === key).toSorted((a, b) => b.usedAtMs - a.usedAtMs);
  const addresses = addressesOf(alone);
  const closed = (addresses.every((each) => each.closed !== null) ? alone[0]?.closed : null) ?? null;
  const name = nameOf(key);
  return {
    name,
    profile: profileOf(key),
    limits: limitsOf(key, sources),
    overridden: Object.keys(sources.overrides.get(name) ?? {}) as (keyof ReceiverOverride)[],
    state: stateOf(closed),
    closed,
    addresses,
    attempts: sum("attempts"),
    connections: sum("connections"),
  };
}

/** The newest first, so that of several nodes the one that has used it last counts. */
function addressesOf(destinations: readonly DestinationTraffic[]): AddressAtReceiver[] {
  const byAddress = new Map<string, AddressAtReceiver>();
  for (const { name, closed } of destinations) {
    const address = addressIn(name);
    if (address === null || byAddress.has(address)) continue;
    byAddress.set(address, { address, state: stateOf(closed), closed });
  }
  return [...byAddress.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Recipients that failed at a receiver. */
export interface ReceiverFailures {
  name: string;
  label: string;
  failed: number;
}

/** Of all accounts in the last days, those with most failures first; at most `limit`. */
export async function failuresByReceiver(
  spool: Pick<KeyValueStore, "readLiveNodeValues">,
  { limit, ...range }: ResultsRange & { limit: number },
): Promise<ReceiverFailures[]> {
  const counts = await readReceiverResults(spool, range);
  const failures = [...counts].flatMap(([name, { failed }]) => {
    return failed === 0 ? [] : [{ name, label: profileOf(keyOf(name))?.label ?? name, failed }];
  });
  return failures.sort((a, b) => b.failed - a.failed || (a.name < b.name ? -1 : 1)).slice(0, limit);
}

function sessionsWith(name: string, preflights: readonly StoredPreflight[]): PreflightSession[] {
  return preflights.flatMap(({ atMs, addresses }) =>
    addresses.flatMap(({ address, receivers }) =>
      receivers.filter((each) => each.name === name).map((each) => ({ ...each, address, atMs })),
    ),
  );
}

function stateOf(closed: ClosedDestination | null): ReceiverState {
  if (closed === null) return "open";
  if (blockOf(closed) !== null) return "blocked";
  return closed.last?.cause === "rate_limited" ? "paused" : "closed";
}

const receiversNamed = (destination: string): string[] => receiversIn(destination).filter(isReceiver);
