/**
 * Which delivery jobs may start, by the windows of their destinations. Gives each claim its limits by destination and recipient
 * domain, so that jobs that cannot start stay in the spool. The mail of closed destinations stays there too: claims return only
 * probes, and expiry-sweep.ts claims expired mail separately. If more destinations are closed than
 * AWAITING_PROBE_OCTETS has room for, the mail of the others is claimed and deferred.
 */
import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { type ClosedDestination, type Trouble, withoutReply } from "../../message/result/closed-destination.ts";
import type { ClaimRequest } from "../../spool/port/mail.ts";
import type { ProbeRequest } from "../../spool/port/probe-requests.ts";
import { AskedProbes } from "./asked-probes.ts";
import { closedText } from "./closing-log.ts";
import type { LoadSignal } from "./load-signal.ts";
import { type MinutePace, UNPACED } from "./minute-pace.ts";
import { ProbeRotation, type ThrottledJob } from "./probe-rotation.ts";
import type { WindowSlot, Windows } from "./windows.ts";

/** To be returned with `release`. A null slot belongs to no destination. */
export interface Permit {
  type: "permit";
  job: ThrottledJob;
  slot: WindowSlot | null;
}

/** The destination's window has no free slot. */
export interface Full {
  type: "full";
  destination: string;
}

/** The destination is closed, and the job must not wait for it. */
export interface Deferral {
  type: "deferred";
  destination: string;
  closed: ClosedDestination;
  /** Whether it was due as a probe, and left that to another message. */
  givesWay: boolean;
}

/** Where persons' requests for probes come from. */
export interface ProbeRequestSource {
  /** Called for a destination that is found closed. */
  onClosed: () => void;
  /** Passes the requests of this moment to `ask`. Never rejects. */
  read: () => Promise<void>;
}

/** The limits of a claim by destination and recipient domain. */
export type Allowances = Required<Pick<ClaimRequest, "perDomain" | "allowance" | "elsewhere">>;

/** A job whose route and policy are being looked up. */
interface Preparing {
  domain: string;
  /** The last known destination of the domain; null when there is none. */
  destination: string | null;
  beganMs: number;
}

/**
 * How long a job in preparation counts as its destination's. No longer, because the look-ups depend on servers that the recipient
 * domain names, and these must not keep other domains' mail from a provider.
 */
const PREPARING_COUNTED_MS = 1000;

/** Domains whose last destination is remembered. */
const DOMAINS_MAX = 50_000;

/** Constrained destinations that each claim is given while they have no attempts. Jobs of others are claimed and released. */
const CONSTRAINED_MAX = 200;

/**
 * The names of closed destinations whose jobs wait in the spool: some 1,000, because each claim is given all of them. Jobs of others
 * are deferred.
 */
const AWAITING_PROBE_OCTETS = 32 * 1024;

export class DestinationThrottle {
  readonly #destinations: Windows;
  readonly #pace: MinutePace;
  /** The last destination of each recipient domain: a hint for claims, because each attempt determines its destination itself. */
  readonly #lastDestinations = boundedMap<string>(DOMAINS_MAX);
  /** By destination: the recipient domain whose mail goes there, as far as it is known; null if there are several. */
  readonly #onlyDomains = boundedMap<{ domain: string | null }>(DOMAINS_MAX);
  /** Attempts under way, by destination and recipient domain. */
  readonly #attempts = new Map<string, Map<string, number>>();
  /** Destinations that were full and may get less than a new one. A Set, because claims go through it and delete from it. */
  readonly #constrained = new Set<string>();
  /** Closed destinations whose jobs wait in the spool. */
  readonly #awaitingProbe = new Set<string>();
  #awaitingOctets = 0;
  /** Destinations that had no token for another message of this minute at the last claim. */
  readonly #spent = new Set<string>();
  readonly #preparing = new Set<Preparing>();
  readonly #rotation = new ProbeRotation();
  /** Destinations that were closed when they were last looked at. */
  readonly #closed = new Set<string>();
  #requests: ProbeRequestSource = { onClosed: () => {}, read: () => Promise.resolve() };
  /** Persons' requests for probes. */
  readonly #asked: AskedProbes;

  constructor(destinations: Windows, pace = UNPACED) {
    this.#destinations = destinations;
    this.#pace = pace;
    this.#asked = new AskedProbes(destinations, (domain) => this.#lastDestinations.peek(domain));
  }

  /**
   * How many jobs of each destination may be claimed now, and of each recipient domain with attempts under way. The spool learns
   * which other domains belong to a full destination when their jobs are released.
   */
  allowances(nowMs: number): Allowances {
    this.#spent.clear();
    const allowance: Record<string, number> = {};
    const expected = this.#expected(nowMs);
    const allow = (destination: string, capacity: number): void => {
      allowance[destination] = Math.max(0, capacity - (expected.get(destination) ?? 0));
    };
    this.#allowConstrained(allow, nowMs);
    this.#allowAwaitingProbe(allow, nowMs);
    for (const destination of new Set([...this.#attempts.keys(), ...expected.keys()]))
      allow(destination, this.#claimable(destination, nowMs));
    for (const [destination, domains] of this.#attempts) {
      for (const domain of domains.keys()) {
        if (this.#lastDestinations.peek(domain) === destination) allowance[domain] = allowance[destination] ?? 0;
      }
    }
    this.#limitPreparing(allowance, nowMs);
    const elsewhere = this.#destinations.elsewhere(nowMs);
    for (const destination of elsewhere) allowance[destination] = 0;
    return { perDomain: this.#destinations.start, allowance, elsewhere };
  }

  /** Sets where persons' requests for probes come from. */
  takeRequestsFrom(source: ProbeRequestSource): void {
    this.#requests = source;
  }

  /** Whether a destination is closed. */
  hasClosed(nowMs: number): boolean {
    for (const name of this.#closed) if (this.#destinations.closed(name, nowMs) === null) this.#closed.delete(name);
    return this.#closed.size > 0;
  }

  /** As a job is deferred that must not wait any longer; null while the destination is open. */
  deferralAt(destination: string, nowMs: number): Deferral | null {
    const closed = this.#destinations.closed(destination, nowMs);
    return closed && { type: "deferred", destination, closed, givesWay: false };
  }

  /** Takes the requests in effect. Returns whether one of them allows a probe now. */
  ask(requests: readonly ProbeRequest[], nowMs: number): boolean {
    return this.#asked.take(requests, nowMs);
  }

  /** How many attempts may begin, with the probe that a person asks for. */
  #capacity(destination: string, nowMs: number): number {
    const capacity = this.#open(destination, nowMs);
    return capacity === 0 && this.#asked.at(destination, nowMs) !== null ? 1 : capacity;
  }

  /** How many attempts may begin within the window and the pace. */
  #open(destination: string, nowMs: number): number {
    const capacity = this.#destinations.capacity(destination, nowMs);
    if (capacity === 0 || !this.#isPaced(destination, nowMs)) return capacity;
    const available = this.#pace.available(destination);
    if (available === 0) this.#spent.add(destination);
    return Math.min(capacity, available);
  }

  #isPaced(destination: string, nowMs: number): boolean {
    return this.#pace.governs(destination) && this.#destinations.closed(destination, nowMs) === null;
  }

  #allowConstrained(allow: (destination: string, capacity: number) => void, nowMs: number): void {
    for (const destination of this.#constrained) {
      const capacity = this.#open(destination, nowMs);
      if (capacity < this.#destinations.start) allow(destination, capacity);
      else this.#constrained.delete(destination);
    }
  }

  #allowAwaitingProbe(allow: (destination: string, capacity: number) => void, nowMs: number): void {
    for (const destination of this.#awaitingProbe) {
      const closed = this.#destinations.closed(destination, nowMs);
      if (closed === null) {
        this.#addConstrained(destination);
        this.#awaitingProbe.delete(destination);
        this.#awaitingOctets -= destination.length;
      } else allow(destination, this.#capacity(destination, nowMs));
    }
  }

  /** How many jobs in preparation count as each destination's. */
  #expected(nowMs: number): Map<string, number> {
    const expected = new Map<string, number>();
    for (const { destination, beganMs } of this.#preparing) {
      if (destination !== null && nowMs < beganMs + PREPARING_COUNTED_MS) count(expected, destination, 1);
    }
    return expected;
  }

  /** Limits each domain's jobs in preparation to the capacity of its destination. */
  #limitPreparing(allowance: Record<string, number>, nowMs: number): void {
    const preparing = new Map<string, number>();
    for (const { domain } of this.#preparing) count(preparing, domain, 1);
    for (const [domain, jobs] of preparing) {
      const last = this.#lastDestinations.peek(domain);
      const capacity = last === undefined ? this.#destinations.start : this.#claimable(last, nowMs);
      allowance[domain] = Math.min(allowance[domain] ?? capacity, Math.max(0, capacity - jobs));
    }
  }

  /**
   * The next time at which there may be capacity without the end of an attempt: at a destination whose jobs wait for a probe or for
   * the next minute's messages, whose mail was left to other nodes, or whose jobs take long to prepare. Null when there is none.
   */
  nextCapacityMs(nowMs: number): number | null {
    const moments: number[] = [];
    for (const destination of this.#constrained) {
      const retryAtMs = this.#destinations.retryAtMs(destination, nowMs);
      if (retryAtMs !== null) moments.push(retryAtMs);
    }
    // A token may have come since.
    for (const destination of this.#spent) moments.push(nowMs + Math.max(1, this.#pace.waitMs(destination)));
    for (const destination of this.#awaitingProbe) {
      const closed = this.#destinations.closed(destination, nowMs);
      if (closed !== null) moments.push(closed.probeAtMs);
    }
    for (const { destination, beganMs } of this.#preparing)
      if (destination !== null) moments.push(beganMs + PREPARING_COUNTED_MS);
    const nextMs = Math.min(...moments.filter((ms) => ms > nowMs));
    return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
  }

  /** Counts a job at the domain as in preparation until the returned function is called, just before `acquire`. */
  trackPreparation(domain: string, nowMs: number): () => void {
    const preparing = { domain, destination: this.#lastDestinations.peek(domain) ?? null, beganMs: nowMs };
    this.#preparing.add(preparing);
    return () => void this.#preparing.delete(preparing);
  }

  /** As `acquire`, but waits for a slot that other nodes leave to this one soon. `now` reads the monotonic clock. */
  async enter(job: ThrottledJob, destination: string | null, now: () => number): Promise<Permit | Full | Deferral> {
    if (destination === null) return { type: "permit", job, slot: null };
    if (!this.#isPaced(destination, now())) return this.#enterOrAsk(job, destination, now);
    if (!(await this.#pace.take(destination))) {
      this.#arrive(job, destination, now());
      return this.#refuse(job, destination, now());
    }
    const entered = await this.#enterOrAsk(job, destination, now);
    if (entered.type !== "permit") this.#pace.putBack(destination);
    return entered;
  }

  async #enterOrAsk(job: ThrottledJob, destination: string, now: () => number): Promise<Permit | Full | Deferral> {
    const entered = await this.#enter(job, destination, now);
    if (entered.type !== "deferred") return entered;
    // Who made the job due may have asked for a probe just before, and a deferred job cannot be one.
    await this.#requests.read();
    return this.#asked.isEmpty ? entered : this.#enter(job, destination, now);
  }

  async #enter(job: ThrottledJob, destination: string, now: () => number): Promise<Permit | Full | Deferral> {
    const nowMs = now();
    const asked = this.#arrive(job, destination, nowMs);
    const entered = this.#acquire(job, destination, { nowMs, asked });
    if (entered.type !== "full") return entered;
    const slot = await this.#destinations.waitFor(destination, asked?.id ?? null);
    return slot === null ? this.#refuse(job, destination, now()) : this.#permit(job, slot);
  }

  /** Takes a slot for a job whose mail goes to the destination; null for none. */
  acquire(job: ThrottledJob, destination: string | null, nowMs: number): Permit | Full | Deferral {
    if (destination === null) return { type: "permit", job, slot: null };
    return this.#acquire(job, destination, { nowMs, asked: this.#arrive(job, destination, nowMs) });
  }

  /** Notes the destination of the job's domain. Returns the request that the job would serve as a probe. */
  #arrive(job: ThrottledJob, destination: string, nowMs: number): ProbeRequest | null {
    this.#lastDestinations.set(job.domain, destination);
    const only = this.#onlyDomains.peek(destination);
    if (only === undefined) this.#onlyDomains.set(destination, { domain: job.domain });
    else if (only.domain !== job.domain) only.domain = null;
    return this.#asked.servedBy(job, destination, nowMs);
  }

  #acquire(
    job: ThrottledJob,
    destination: string,
    { nowMs, asked }: { nowMs: number; asked: ProbeRequest | null },
  ): Permit | Full | Deferral {
    const closed = this.#destinations.closed(destination, nowMs);
    if (closed !== null && !this.#mayAwaitProbe(destination) && this.#leavesProbe(job, destination, { nowMs, asked }))
      return { type: "deferred", destination, closed, givesWay: true };
    const slot = this.#destinations.acquire(destination, nowMs, asked?.id ?? null);
    return slot === null ? this.#refuse(job, destination, nowMs) : this.#permit(job, slot);
  }

  /** Whether the job would be a probe now, and gives way to another one. */
  #leavesProbe(
    job: ThrottledJob,
    destination: string,
    { nowMs, asked }: { nowMs: number; asked: ProbeRequest | null },
  ): boolean {
    const isAsked = asked !== null;
    if (asked?.messageId === job.messageId) return false;
    if (!isAsked && this.#destinations.capacity(destination, nowMs) === 0) return false;
    return this.#rotation.givesWay(destination, job, { nowMs, isAsked });
  }

  #permit(job: ThrottledJob, slot: WindowSlot): Permit {
    const domains = this.#attempts.get(slot.name) ?? new Map<string, number>();
    this.#attempts.set(slot.name, domains);
    count(domains, job.domain, 1);
    return { type: "permit", job, slot };
  }

  /** `trouble` is what the attempt met, if it was refused. */
  release({ slot, job }: Permit, signal: LoadSignal, nowMs: number, trouble: Trouble | null = null): void {
    if (slot === null) return;
    // Where several recipient domains go, the addresses of one of them may be dead and the others' alive.
    const isAllDead = signal === "unreachable" && this.#onlyDomains.peek(slot.name)?.domain === job.domain;
    this.#destinations.release(slot, isAllDead ? "refused" : signal, nowMs, trouble);
    const closed = this.#destinations.closed(slot.name, nowMs);
    if (closed !== null) {
      this.#noteClosed(slot.name);
      this.#awaitProbe(slot.name);
    }
    if (slot.isProbe) this.#endProbe(slot.name, job, signal);
    const domains = this.#attempts.get(slot.name);
    if (domains === undefined) return;
    count(domains, job.domain, -1);
    if (domains.size === 0) this.#attempts.delete(slot.name);
  }

  #endProbe(destination: string, job: ThrottledJob, signal: LoadSignal): void {
    if (signal === "accepted" || signal === "strained") this.#rotation.opened(destination);
    else this.#rotation.refused(destination, job);
  }

  #noteClosed(destination: string): void {
    this.#closed.add(destination);
    this.#requests.onClosed();
  }

  /** Destinations with attempts in progress, and those that were full or closed and may get less than a new one. */
  get used(): Set<string> {
    return new Set([...this.#attempts.keys(), ...this.#constrained, ...this.#awaitingProbe]);
  }

  /** The last destinations of recipient domains, as far as they are among these; at most `max`, the newest first. */
  domainsOf(destinations: ReadonlySet<string>, max: number): Record<string, string> {
    const found: Record<string, string> = {};
    let left = max;
    for (const [domain, destination] of this.#lastDestinations.entries()) {
      if (left === 0) break;
      if (!destinations.has(destination)) continue;
      found[domain] = destination;
      left -= 1;
    }
    return found;
  }

  /** Whether other mail for the permit's destination was refused for lack of a slot. */
  isConstrained({ slot }: Permit): boolean {
    return slot !== null && this.#constrained.has(slot.name);
  }

  /** How many jobs of a destination a claim may return. */
  #claimable(destination: string, nowMs: number): number {
    const destinations = this.#destinations;
    const isDeferred = destinations.closed(destination, nowMs) !== null && !this.#mayAwaitProbe(destination);
    return isDeferred ? destinations.start : this.#capacity(destination, nowMs);
  }

  #refuse(job: ThrottledJob, destination: string, nowMs: number): Full | Deferral {
    const closed = this.#destinations.closed(destination, nowMs);
    if (closed === null) {
      this.#addConstrained(destination);
      return { type: "full", destination };
    }
    this.#noteClosed(destination);
    if (this.#awaitProbe(destination)) return { type: "full", destination };
    this.#rotation.turnedAway(destination, job, nowMs);
    return { type: "deferred", destination, closed, givesWay: false };
  }

  /** Lets a closed destination's jobs wait for its next probe; returns whether they may. */
  #awaitProbe(destination: string): boolean {
    this.#constrained.delete(destination);
    if (!this.#mayAwaitProbe(destination)) return false;
    if (!this.#awaitingProbe.has(destination)) this.#awaitingOctets += destination.length;
    this.#awaitingProbe.add(destination);
    return true;
  }

  #mayAwaitProbe(destination: string): boolean {
    // All mail of an account for a recipient domain would wait, also that which leaves from addresses that are not refused.
    if (this.#destinations.hasMixedQueues?.(destination)) return false;
    const octets = this.#awaitingOctets + destination.length;
    return this.#awaitingProbe.has(destination) || octets <= AWAITING_PROBE_OCTETS;
  }

  #addConstrained(destination: string): void {
    this.#constrained.delete(destination);
    this.#constrained.add(destination);
    const [oldest] = this.#constrained;
    if (this.#constrained.size > CONSTRAINED_MAX && oldest !== undefined) this.#constrained.delete(oldest);
  }
}

/** Why a job is deferred. Without the destination's last reply, which may name another account's recipient. */
export function deferralText({ closed, givesWay }: Deferral, clock: Clock): string {
  const left = givesWay ? " It leaves the next probe to another message, because it was rejected as one." : "";
  return `not tried: ${closedText(withoutReply(closed), clock)}${left}`;
}

function count(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const changed = (counts.get(name) ?? 0) + change;
  if (changed === 0) counts.delete(name);
  else counts.set(name, changed);
}
