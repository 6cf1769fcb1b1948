/**
 * Who may start an attempt, by the destinations' windows. Tells the claim how much of each destination and recipient domain
 * is welcome, so that what cannot start stays in the spool; of a destination that has been closed for long, its mail is
 * claimed and put off instead, so that its schedule and its age go on.
 */
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import type { Closed, CongestionWindows, WindowSlot } from "./congestion-window.ts";
import type { LoadSignal } from "./load-signal.ts";

/** To be given back with `leave`. A null slot belongs to no destination. */
export interface Permit {
  type: "permit";
  domain: string;
  slot: WindowSlot | null;
}

/** The destination has no place left. */
export interface Full {
  type: "full";
  destination: string;
}

/** The destination is closed, and the work is not to wait for it. */
export interface Deferral {
  type: "deferred";
  destination: string;
  closed: Closed;
}

/** What a claim needs to know; see ClaimRequest in the spool's port. */
export interface Allowances {
  perDomain: number;
  allowance: Record<string, number>;
}

/** A work whose route and policy are being looked up. */
interface Preparing {
  domain: string;
  /** Where the domain's mail went last; null when that is not known. */
  destination: string | null;
  beganMs: number;
}

/**
 * A work that is being prepared counts as its destination's for so long. No longer, since the look-ups depend on servers that
 * the recipient domain names: they must not keep other domains' mail from a provider.
 */
const PREPARING_COUNTED_MS = 1000;

/** Domains whose last destination is known. */
const DOMAINS_MAX = 50_000;

/** Narrow destinations told to each claim while they have no attempts; of more, some works come only to be given back. */
const CONSTRAINED_MAX = 200;

/** Closed destinations whose mail waits in the spool, as each claim must be told of them; the others' is put off. */
const AWAITING_PROBE_MAX = 200;

export class DestinationThrottle {
  readonly #destinations: CongestionWindows;
  /** Where each domain's mail went last: a hint for claims, as each attempt finds its destination itself. */
  #lastDestinations = new Map<string, string>();
  /** How many attempts each recipient domain has under way, of the destinations that have any. */
  #attempts = new Map<string, Map<string, number>>();
  /** Destinations that were full and may get less than one of which nothing is known. */
  #constrained = new Set<string>();
  /** Closed destinations whose mail waits in the spool. */
  #awaitingProbe = new Set<string>();
  #preparing = new Set<Preparing>();

  constructor(destinations: CongestionWindows) {
    this.#destinations = destinations;
  }

  /**
   * How many works of each destination may be claimed now, and of each recipient domain that has attempts under way. The
   * spool learns what other domains belong to a full destination when their works are given back.
   */
  allowances(nowMs: number): Allowances {
    const destinations = this.#destinations;
    const allowance: Record<string, number> = {};
    const expected = this.#expected(nowMs);
    const allow = (destination: string, capacity: number): void => {
      allowance[destination] = Math.max(0, capacity - (expected.get(destination) ?? 0));
    };
    for (const destination of this.#constrained) {
      const capacity = destinations.capacity(destination, nowMs);
      if (capacity < destinations.start) allow(destination, capacity);
      else this.#constrained.delete(destination);
    }
    for (const destination of this.#awaitingProbe) {
      const closed = destinations.closed(destination, nowMs);
      if (closed === null) this.#addConstrained(destination);
      if (closed === null || closed.isLong) this.#awaitingProbe.delete(destination);
      else allow(destination, destinations.capacity(destination, nowMs));
    }
    for (const destination of new Set([...this.#attempts.keys(), ...expected.keys()]))
      allow(destination, this.#claimable(destination, nowMs));
    for (const [destination, domains] of this.#attempts) {
      for (const domain of domains.keys()) {
        if (this.#lastDestinations.get(domain) === destination) allowance[domain] = allowance[destination] ?? 0;
      }
    }
    this.#boundPreparing(allowance, nowMs);
    return { perDomain: destinations.start, allowance };
  }

  /** How many works that are being prepared count as each destination's. */
  #expected(nowMs: number): Map<string, number> {
    const expected = new Map<string, number>();
    for (const { destination, beganMs } of this.#preparing) {
      if (destination !== null && nowMs < beganMs + PREPARING_COUNTED_MS) count(expected, destination, 1);
    }
    return expected;
  }

  /** No domain has more works that are being prepared than its destination has room for. */
  #boundPreparing(allowance: Record<string, number>, nowMs: number): void {
    const preparing = new Map<string, number>();
    for (const { domain } of this.#preparing) count(preparing, domain, 1);
    for (const [domain, jobs] of preparing) {
      const last = this.#lastDestinations.get(domain);
      const capacity = last === undefined ? this.#destinations.start : this.#claimable(last, nowMs);
      allowance[domain] = Math.min(allowance[domain] ?? capacity, Math.max(0, capacity - jobs));
    }
  }

  /**
   * When there may be room that no attempt's end brings: at a destination whose mail waits for a probe, or whose mail takes
   * long to prepare. Null when there is no such moment ahead.
   */
  nextCapacityMs(nowMs: number): number | null {
    const moments: number[] = [];
    for (const destination of this.#awaitingProbe) {
      const closed = this.#destinations.closed(destination, nowMs);
      if (closed !== null) moments.push(closed.probeAtMs);
    }
    for (const { destination, beganMs } of this.#preparing)
      if (destination !== null) moments.push(beganMs + PREPARING_COUNTED_MS);
    const nextMs = Math.min(...moments.filter((ms) => ms > nowMs));
    return nextMs === Number.POSITIVE_INFINITY ? null : nextMs;
  }

  /** A work at the domain is being prepared from now on. Returns what to call when it no longer is, just before `enter`. */
  trackPreparation(domain: string, nowMs: number): () => void {
    const preparing = { domain, destination: this.#lastDestinations.get(domain) ?? null, beganMs: nowMs };
    this.#preparing.add(preparing);
    return () => void this.#preparing.delete(preparing);
  }

  /** Takes a place for mail to the domain, which goes to the destination; null for none. */
  acquire(domain: string, destination: string | null, nowMs: number): Permit | Full | Deferral {
    if (destination === null) return { type: "permit", domain, slot: null };
    this.#learn(domain, destination);
    const slot = this.#destinations.acquire(destination, nowMs);
    if (slot === null) return this.#refuse(destination, this.#destinations.closed(destination, nowMs));
    const domains = this.#attempts.get(destination) ?? new Map<string, number>();
    this.#attempts.set(destination, domains);
    count(domains, domain, 1);
    return { type: "permit", domain, slot };
  }

  release({ slot, domain }: Permit, signal: LoadSignal, nowMs: number): void {
    if (slot === null) return;
    this.#destinations.release(slot, signal, nowMs);
    if (this.#destinations.closed(slot.name, nowMs)?.isLong === false) this.#awaitProbe(slot.name);
    const domains = this.#attempts.get(slot.name);
    if (domains === undefined) return;
    count(domains, domain, -1);
    if (domains.size === 0) this.#attempts.delete(slot.name);
  }

  /** How many works of a destination a claim may bring. */
  #claimable(destination: string, nowMs: number): number {
    const destinations = this.#destinations;
    const isLong = destinations.closed(destination, nowMs)?.isLong === true;
    return isLong ? destinations.start : destinations.capacity(destination, nowMs);
  }

  #refuse(destination: string, closed: Closed | null): Full | Deferral {
    if (closed === null) {
      this.#addConstrained(destination);
      return { type: "full", destination };
    }
    const mayWait = !closed.isLong && this.#awaitProbe(destination);
    return mayWait ? { type: "full", destination } : { type: "deferred", destination, closed };
  }

  /** Lets a closed destination's mail wait for its next probe; returns whether it may. */
  #awaitProbe(destination: string): boolean {
    this.#constrained.delete(destination);
    if (!this.#awaitingProbe.has(destination) && this.#awaitingProbe.size >= AWAITING_PROBE_MAX) return false;
    this.#awaitingProbe.add(destination);
    return true;
  }

  #addConstrained(destination: string): void {
    this.#constrained.delete(destination);
    this.#constrained.add(destination);
    const [oldest] = this.#constrained;
    if (this.#constrained.size > CONSTRAINED_MAX && oldest !== undefined) this.#constrained.delete(oldest);
  }

  #learn(domain: string, destination: string): void {
    this.#lastDestinations.delete(domain);
    this.#lastDestinations.set(domain, destination);
    const [oldest] = this.#lastDestinations.keys();
    if (this.#lastDestinations.size > DOMAINS_MAX && oldest !== undefined) this.#lastDestinations.delete(oldest);
  }
}

/** Why a work is put off. Not what the destination said last: that may name another account's recipient. */
export function deferralText({ closed: { sinceMs, probeAtMs } }: Deferral, clock: Clock): string {
  const aheadMs = clock.now() - clock.monotonicMs();
  const [since, probe] = [sinceMs, probeAtMs].map((ms) => rfc3339(Math.round(ms + aheadMs)));
  return `not tried: the destination has refused all mail since ${since}, for rate, load or reputation; next probe from ${probe}`;
}

function count(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const changed = (counts.get(name) ?? 0) + change;
  if (changed === 0) counts.delete(name);
  else counts.set(name, changed);
}
