/**
 * Reports the queue by recipient domain: what is due, deferred and in an attempt, and why each domain waits. It joins what the
 * spool has stored with what delivery does at this moment; the two are read one after the other, so the numbers in an attempt are
 * never more than those that the spool counts as due.
 */
import { type ClosedDestination, withoutReply } from "../../message/result/closed-destination.ts";
import { addressIn, withoutSource } from "../../receivers/names.ts";
import { readDeliveryPause } from "../../spool/port/delivery-pause.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { DestinationTraffic, DomainTraffic, NodeTraffic } from "../../spool/port/node-traffic.ts";
import type { Reports, WaitingDomain, WaitingFilter, WaitingMail } from "../../spool/port/reports.ts";

/** Why the recipients of a domain wait. Times are milliseconds since the epoch. */
export type QueueWait =
  | { type: "nothing_waits" }
  | { type: "domain_paused"; sinceMs: number }
  /** The whole spool was restored from a backup, and nobody has resumed delivery. */
  | { type: "delivery_paused" }
  /** Its mail servers accepted nothing for some time, and are only probed. */
  | { type: "closed"; closed: ClosedDestination }
  /** The connections that its receiver allows are in use. */
  | { type: "connection_limit"; limit: number }
  /** As many attempts are in progress as its mail servers accept at one time, as far as is known. */
  | { type: "window"; attempts: number }
  /** Every account that waits has as many attempts in progress as one may have now. */
  | { type: "account_share" }
  | { type: "attempts_max"; max: number }
  | { type: "accept_priority" }
  /** Nothing keeps it from its attempt. */
  | { type: "next" }
  | { type: "in_attempt" }
  /** All wait for a later attempt, after a temporary failure. */
  | { type: "deferred"; nextAttemptAtMs: number | null };

export interface QueueDestination extends Omit<WaitingDomain, "due"> {
  /** Recipients that are due and in no attempt. */
  due: number;
  /** Recipients that wait for a later attempt. */
  deferred: number;
  /** Recipients in an attempt. */
  inFlight: number;
  /** Null while no node reports its traffic. */
  deliveredLastMinute: number | null;
  /** Of the destination that serves the domain, on all nodes; null while nothing is known of it. */
  destination: QueuedDestination | null;
  wait: QueueWait;
}

export interface QueuedDestination {
  name: string;
  attempts: number;
  /** Attempts that may be in progress at one time. */
  window: number;
  connections: number;
  /** The most connections, by the receiver's limit; null without one. */
  limit: number | null;
}

/** A closed destination for which no listed domain waits. */
export interface IdleClosing {
  name: string;
  /** Recipient domains that it serves, as far as they are known. */
  domains: string[];
  closed: ClosedDestination;
}

export interface QueueReport extends Omit<WaitingMail, "domains"> {
  domains: QueueDestination[];
  /** Of the whole service: empty in the report of an account. */
  idleClosings: IdleClosing[];
  /** The whole spool was restored from a backup, and nobody has resumed delivery. */
  isDeliveryPaused: boolean;
  /** The sums of the listed domains. */
  due: number;
  deferred: number;
  inFlight: number;
}

export interface QueueReaders {
  reports: Pick<Reports, "waiting">;
  spool: Pick<KeyValueStore, "readValue">;
  /** As TrafficBoard.all, or storedTraffic. */
  traffic: () => Promise<NodeTraffic[]>;
}

/** Reads the queue as it is now. */
export async function readQueue(
  { reports, spool, traffic }: QueueReaders,
  filter: WaitingFilter,
): Promise<QueueReport> {
  const [waiting, nodes, pause] = await Promise.all([reports.waiting(filter), traffic(), readDeliveryPause(spool)]);
  const { accountId } = filter;
  return queueReport({ waiting, traffic: nodes, accountId, isDeliveryPaused: pause !== null });
}

export interface QueueSources {
  waiting: WaitingMail;
  /** Of each node that reports; empty while none does. */
  traffic: readonly NodeTraffic[];
  /** The account that the report is about; null for all. */
  accountId: string | null;
  isDeliveryPaused: boolean;
}

export function queueReport({ waiting, ...sources }: QueueSources): QueueReport {
  const traffic = new Traffic(sources.traffic, sources.accountId);
  const domains = waiting.domains.map((entry) => destinationOf(entry, traffic, sources));
  const sum = (name: "due" | "deferred" | "inFlight"): number =>
    domains.reduce((total, domain) => total + domain[name], 0);
  const counts = { due: sum("due"), deferred: sum("deferred"), inFlight: sum("inFlight") };
  const { accountId, isDeliveryPaused } = sources;
  const waitsFor = new Set(
    domains.flatMap(({ waiting: waits, destination }) =>
      waits === 0 || destination === null ? [] : [destination.name, withoutSource(destination.name)],
    ),
  );
  // One of several sending addresses that is refused, while recipients wait for the receiver, is in the report of receivers.
  const isIdle = ({ name }: IdleClosing): boolean =>
    !waitsFor.has(name) && (addressIn(name) === null || !waitsFor.has(withoutSource(name)));
  const idleClosings = accountId === null ? traffic.closings().filter(isIdle) : [];
  return { ...waiting, domains, ...counts, idleClosings, isDeliveryPaused };
}

/**
 * The closed destinations of recipient domains, by the traffic of all nodes; open ones have no entry. Only an operator may see what
 * their servers replied.
 */
export function closedAmong(
  traffic: readonly NodeTraffic[],
  domains: Iterable<string>,
  { isOperator }: { isOperator: boolean },
): Map<string, ClosedDestination> {
  const all = new Traffic(traffic, null);
  const found = new Map<string, ClosedDestination>();
  for (const domain of domains) {
    const { closed } = all.destination(domain);
    if (closed !== null) found.set(domain, isOperator ? closed : withoutReply(closed));
  }
  return found;
}

type Circumstances = Omit<QueueSources, "waiting">;

function destinationOf(entry: WaitingDomain, traffic: Traffic, sources: Circumstances): QueueDestination {
  const own = traffic.domain(entry.domain);
  const inFlight = Math.min(own.inFlight, entry.due);
  const counted = { ...entry, due: entry.due - inFlight, deferred: entry.waiting - entry.due, inFlight };
  const { destination, closed } = traffic.destination(entry.domain);
  return {
    ...counted,
    deliveredLastMinute: traffic.isKnown ? own.deliveredLastMinute : null,
    destination,
    wait: waitOf(counted, { ...sources, destination, closed, traffic }),
  };
}

type Counted = WaitingDomain & Pick<QueueDestination, "deferred" | "inFlight">;

interface WaitCauses extends Pick<QueueSources, "accountId" | "isDeliveryPaused"> {
  destination: QueuedDestination | null;
  closed: DestinationTraffic["closed"];
  traffic: Traffic;
}

function waitOf(entry: Counted, causes: WaitCauses): QueueWait {
  if (entry.pausedAtMs !== null) return { type: "domain_paused", sinceMs: entry.pausedAtMs };
  if (entry.waiting === 0) return { type: "nothing_waits" };
  if (causes.isDeliveryPaused) return { type: "delivery_paused" };
  if (causes.closed !== null) return { type: "closed", closed: readable(causes.closed, causes) };
  if (entry.due > 0) return dueWaitOf(entry, causes);
  if (entry.deferred === 0) return { type: "in_attempt" };
  return { type: "deferred", nextAttemptAtMs: entry.nextAttemptAtMs };
}

const readable = (closed: ClosedDestination, { accountId }: Pick<QueueSources, "accountId">): ClosedDestination =>
  accountId === null ? closed : withoutReply(closed);

/** Why recipients that are due are in no attempt. */
function dueWaitOf({ accountIds }: Counted, { destination, traffic }: WaitCauses): QueueWait {
  if (destination !== null && destination.attempts > 0) {
    const { attempts, window, connections, limit } = destination;
    if (limit !== null && (attempts >= limit || connections >= limit)) return { type: "connection_limit", limit };
    if (attempts >= window) return { type: "window", attempts };
  }
  if (traffic.isFull) return { type: "attempts_max", max: traffic.attemptsMax };
  if (traffic.areAllAtShare(accountIds)) return { type: "account_share" };
  return traffic.hasAcceptPriority ? { type: "accept_priority" } : { type: "next" };
}

/** The traffic of all nodes together. */
class Traffic {
  readonly #nodes: readonly NodeTraffic[];
  readonly #domains = new Map<string, Pick<DomainTraffic, "inFlight" | "deliveredLastMinute">>();
  readonly #destinations = new Map<string, DestinationTraffic>();

  constructor(traffic: readonly NodeTraffic[], accountId: string | null) {
    this.#nodes = traffic;
    for (const { domains, destinations } of traffic) {
      for (const each of domains) if (accountId === null || each.accountId === accountId) this.#addDomain(each);
      for (const each of destinations) this.#addDestination(each);
    }
  }

  get isKnown(): boolean {
    return this.#nodes.length > 0;
  }

  get attemptsMax(): number {
    return this.#nodes.reduce((sum, node) => sum + node.attemptsMax, 0);
  }

  /** Whether no node may begin another attempt. */
  get isFull(): boolean {
    return this.#everyNode(({ attempts, attemptsMax }) => attempts >= attemptsMax);
  }

  get hasAcceptPriority(): boolean {
    return this.#everyNode((node) => node.hasAcceptPriority);
  }

  areAllAtShare(accountIds: readonly string[]): boolean {
    if (accountIds.length === 0) return false;
    return this.#everyNode(({ accountsAtShare }) => accountIds.every((id) => accountsAtShare.includes(id)));
  }

  domain(domain: string): Pick<DomainTraffic, "inFlight" | "deliveredLastMinute"> {
    return this.#domains.get(domain) ?? { inFlight: 0, deliveredLastMinute: 0 };
  }

  destination(domain: string): {
    destination: QueuedDestination | null;
    closed: DestinationTraffic["closed"];
  } {
    const names = this.#nodes.flatMap(({ destinationOf }) =>
      Object.hasOwn(destinationOf, domain) ? [destinationOf[domain] ?? ""] : [],
    );
    const found = names.map((name) => this.#destinations.get(name)).find((destination) => destination !== undefined);
    if (found === undefined) return { destination: null, closed: null };
    const { closed, usedAtMs: _, ...destination } = found;
    return { destination, closed };
  }

  /** The closed destinations, with their domains. */
  closings(): IdleClosing[] {
    const domains = new Map<string, Set<string>>();
    for (const { destinationOf } of this.#nodes)
      for (const [domain, name] of Object.entries(destinationOf))
        domains.set(name, (domains.get(name) ?? new Set()).add(domain));
    return [...this.#destinations.values()].flatMap(({ name, closed }) =>
      closed === null ? [] : [{ name, domains: [...(domains.get(name) ?? [])].sort(), closed }],
    );
  }

  #everyNode(holds: (node: NodeTraffic) => boolean): boolean {
    return this.isKnown && this.#nodes.every(holds);
  }

  #addDomain({ domain, inFlight, deliveredLastMinute }: DomainTraffic): void {
    const known = this.domain(domain);
    this.#domains.set(domain, {
      inFlight: known.inFlight + inFlight,
      deliveredLastMinute: known.deliveredLastMinute + deliveredLastMinute,
    });
  }

  /** Nodes share a window: the one that has used the destination last knows it best. */
  #addDestination(each: DestinationTraffic): void {
    const known = this.#destinations.get(each.name);
    if (known === undefined) {
      this.#destinations.set(each.name, each);
      return;
    }
    this.#destinations.set(each.name, {
      ...(each.usedAtMs > known.usedAtMs ? each : known),
      attempts: known.attempts + each.attempts,
      connections: known.connections + each.connections,
    });
  }
}
